import CloudStore
import SchemaLanguage
import Testing
import WebServices

@testable import CloudServer

@Suite("Schemas that are imported, deployed and reset")
struct SchemaTransitionTests {
    static let container = TestCloud.container
    let cloud: TestCloud
    let anna: TestDevice

    init() throws {
        cloud = try TestCloud()
        anna = try cloud.device(of: "anna")
        try administration.createContainer(Self.container)
    }

    private var administration: Administration {
        Administration(store: cloud.server.store, clock: cloud.server.clock)
    }

    private func schema(_ body: String) throws -> SchemaDefinition {
        try SchemaDefinition(text: "DEFINE SCHEMA \(body)").complete
    }

    /// Imports what has these statements, and returns what that changed.
    @discardableResult
    private func importing(_ body: String, allowingLoss: Bool = false) throws -> [String] {
        try administration.importSchema(try schema(body), into: Self.container, allowingLoss: allowingLoss)
            .changes.map(\.text)
    }

    private var stored: SchemaDefinition {
        get throws { try administration.schema(of: Self.container, .development) }
    }

    private var usage: Int64 {
        get throws {
            let owner = try anna.user().userRecordName
            let store = try #require(
                try cloud.server.store.container(Self.container, "development", create: false))
            return try store.read { try $0.ownerUsage(scope: .private, owner: owner) }
        }
    }

    private static let note = """
        RECORD TYPE Note ("___recordID" REFERENCE QUERYABLE, title STRING QUERYABLE SORTABLE, count INT64,
            GRANT READ TO "_world", GRANT CREATE, WRITE TO "_icloud");
        """

    // MARK: - Import

    @Test("What is imported is exported, and importing it again changes nothing")
    func roundTrip() throws {
        let body = """
            CREATE ROLE Editor;
            RECORD TYPE A (s STRING SEARCHABLE, n NUMBER, p NUMBER PREFERRED AS INT64, q NUMBER PREFERRED AS DOUBLE,
                l LIST<LOCATION>, e ENCRYPTED BYTES, f LIST<ENCRYPTED STRING>, r REFERENCE QUERYABLE, d ASSET,
                "___createTime" TIMESTAMP SORTABLE, GRANT READ, WRITE TO Editor);
            RECORD TYPE "cloudkit.share" ("cloudkit.title" STRING, GRANT READ TO "_world");
            RECORD TYPE Users (roles LIST<INT64>, nick STRING, GRANT READ TO "_icloud");
            """
        try importing(body)
        #expect(try stored == schema(body))
        #expect(try importing(body) == [])
    }

    @Test("What came into being with records is exported, and means the same where it is imported")
    func grown() throws {
        try anna.save(
            .create,
            .note(
                "a",
                [
                    ("s", .string("x")), ("i", .int64(1)), ("d", .double(1.5)), ("t", .timestamp(1)),
                    ("l", .list([.string("x")], of: .string)),
                ]))
        let exported = try stored
        #expect(
            exported.recordTypes["Note"]?.grants == ["_world": .read, "_icloud": .create, "_creator": .write])
        #expect(exported.recordTypes["Note"]?.fields["i"]?.type == FieldDataType(.int64))
        let other = try TestCloud()
        let elsewhere = Administration(store: other.server.store, clock: other.server.clock)
        try elsewhere.createContainer(Self.container)
        try elsewhere.importSchema(try SchemaDefinition(text: exported.text), into: Self.container)
        #expect(try elsewhere.schema(of: Self.container, .development) == exported)
    }

    @Test("Saves still add to an imported schema in development")
    func growsOn() throws {
        try importing(Self.note)
        try anna.save(.create, .note("a", [("title", .string("x")), ("more", .int64(1))]))
        #expect(try stored.recordTypes["Note"]?.fields["more"] != nil)
        #expect(throws: AdministrationError.schemaLosesData(["Field “more” of “Note” is removed, with its values"])) {
            try importing(Self.note)
        }
    }

    @Test("What an import would delete is refused with every reason, and then nothing is changed")
    func refused() throws {
        try importing(Self.note + "RECORD TYPE Old (a STRING);")
        let before = try stored
        let smaller = "RECORD TYPE Note (count DOUBLE); RECORD TYPE New (a STRING);"
        let reasons = [
            "Field “count” of “Note” changes from INT64 to DOUBLE, which its values are not",
            "Field “title” of “Note” is removed, with its values",
            "Record type “Old” is removed, with its records",
        ]
        #expect(throws: AdministrationError.schemaLosesData(reasons)) { try importing(smaller) }
        #expect(try stored == before)
        try importing(smaller, allowingLoss: true)
        #expect(try stored == schema(smaller))
    }

    @Test("Records of removed types and values of removed fields go as changes that every device hears of")
    func losses() throws {
        try anna.makeZone()
        try importing(Self.note + "RECORD TYPE Old (a STRING, parent REFERENCE);")
        for index in 0..<450 {
            try anna.save(
                .create, .note("n\(index)", [("title", .string("t")), ("count", .int64(Int64(index)))]),
                in: TestDevice.notes)
            if index < 10 {
                try anna.save(.create, .note("o\(index)", type: "Old", [("a", .string("x"))]), in: TestDevice.notes)
            }
        }
        try anna.save(.create, .note("public", [("count", .int64(1))]), database: .public)
        try anna.save(.forceUpdate, .note("empty", [("title", .string("t"))]), in: TestDevice.notes)
        let tag = try anna.record("n7", in: TestDevice.notes)?.recordChangeTag
        let untouched = try anna.record("empty", in: TestDevice.notes)?.recordChangeTag
        try importing(
            """
            RECORD TYPE Note ("___recordID" REFERENCE QUERYABLE, title STRING QUERYABLE SORTABLE, count DOUBLE SORTABLE,
                GRANT READ TO "_world");
            """, allowingLoss: true)
        let left = try #require(try anna.record("n7", in: TestDevice.notes))
        #expect(left.fields.names == ["title"])
        #expect(left.recordChangeTag != tag)
        #expect(try anna.record("empty", in: TestDevice.notes)?.recordChangeTag == untouched)
        #expect(try anna.record("o3", in: TestDevice.notes) == nil)
        #expect(try anna.record("public", database: .public)?.fields.names == [])
        #expect(try anna.error(.recordsQuery(.init(query: .init(recordType: "Old")))) != nil)
        #expect(try anna.query(.init(recordType: "Note"), in: TestDevice.notes).count == 451)
        try anna.save(.forceUpdate, .note("n7", [("count", .double(0.5))]), in: TestDevice.notes)
        #expect(
            try anna.query([.init("count", .lessThan, .double(1))], in: TestDevice.notes) == ["n7"])
        // The sums are those of what is left.
        var expected: Int64 = 0
        let store = try #require(try cloud.server.store.container(Self.container, "development", create: false))
        let owner = try anna.user().userRecordName
        try store.read { reader in
            let zone = try #require(try reader.zones(scope: .private, owner: owner).first)
            try reader.records(zone: zone.id, afterName: "", limit: 1000) { row in
                expected += ZoneBatchAttempt.size(row)
                return true
            }
            #expect(zone.recordCount == 451)
        }
        #expect(try usage == expected)
    }

    // MARK: - Indexes

    @Test("An index over stored records finds them all, those that were saved meanwhile too")
    func building() throws {
        try anna.makeZone()
        try importing("RECORD TYPE Note (\"___recordID\" REFERENCE QUERYABLE, title STRING);")
        for index in 0..<430 {
            try anna.save(
                .create, .note("n\(index)", [("title", .string("t\(index % 10)"))]), in: TestDevice.notes)
        }
        try anna.save(.create, .note("elsewhere", [("title", .string("t1"))]))
        let filter = RecordsQuery.Filter("title", .equals, .string("t1"))
        let refusal = try anna.error(
            .recordsQuery(.init(query: .init(recordType: "Note", filterBy: [filter]), zoneID: TestDevice.notes)))
        #expect(refusal?.reason == "Field 'title' is not marked queryable")
        #expect(
            try importing("RECORD TYPE Note (\"___recordID\" REFERENCE QUERYABLE, title STRING QUERYABLE SORTABLE);")
                == ["~ Note.title indexes: none → QUERYABLE SORTABLE"])
        #expect(try anna.query([filter], in: TestDevice.notes).count == 43)
        #expect(try anna.query([filter]) == ["elsewhere"])
        let sorted = try anna.query(
            [], sort: [.init(.user("title"), ascending: false)], in: TestDevice.notes)
        #expect(sorted.count == 430 && Set(sorted).count == 430)
        #expect(sorted.first?.hasSuffix("9") == true)
    }

    @Test("An index that is dropped and made again knows what changed in between")
    func rebuilding() throws {
        let plain = "RECORD TYPE Note (\"___recordID\" REFERENCE QUERYABLE, title STRING);"
        let indexed = "RECORD TYPE Note (\"___recordID\" REFERENCE QUERYABLE, title STRING QUERYABLE SORTABLE);"
        try importing(indexed)
        for name in ["a", "b", "c"] { try anna.save(.create, .note(name, [("title", .string("old"))])) }
        try importing(plain)
        try anna.save(.forceUpdate, .note("b", [("title", .string("new"))]))
        try anna.save(.forceDelete, .note("c"))
        try importing(indexed)
        #expect(try anna.query([.init("title", .equals, .string("old"))]) == ["a"])
        #expect(try anna.query([.init("title", .equals, .string("new"))]) == ["b"])
        #expect(try anna.query([], sort: [.init(.user("title"))]) == ["b", "a"])
        // Nothing of the dropped index is left behind.
        let store = try #require(try cloud.server.store.container(Self.container, "development", create: false))
        try store.read { reader in
            let zone = try #require(try reader.zoneIDs(after: 0, limit: 1).first)
            let current = try #require(try reader.fields().first { $0.name == "title" }?.id)
            for field in 1..<current {
                try reader.scanIndex(zone: zone, field: field) { _, _ in
                    Issue.record("an entry of field \(field), which is gone")
                    return true
                }
            }
        }
    }

    @Test("A build that was interrupted is no use to queries until the next one ends it")
    func interrupted() throws {
        try importing("RECORD TYPE Note (\"___recordID\" REFERENCE QUERYABLE, title STRING);")
        try anna.save(.create, .note("a", [("title", .string("x"))]))
        let store = try #require(try cloud.server.store.container(Self.container, "development", create: false))
        let indexed = try schema("RECORD TYPE Note (\"___recordID\" REFERENCE QUERYABLE, title STRING QUERYABLE);")
        try store.writeAndWait { writer in
            let stored = try StoredSchema(writer)
            var editor = SchemaEditor(writer)
            try editor.apply(SchemaDifference(from: stored.definition, to: indexed), to: stored.schema)
        }
        try anna.save(.create, .note("b", [("title", .string("x"))]))
        let filter = RecordsQuery.Filter("title", .equals, .string("x"))
        #expect(
            try anna.error(.recordsQuery(.init(query: .init(recordType: "Note", filterBy: [filter]))))?.code
                == .badRequest)
        try administration.importSchema(indexed, into: Self.container)
        #expect(try anna.query([filter]) == ["a", "b"])
    }

    // MARK: - Deployment

    @Test("Production gets what development has, with indexes over what it has stored, and keeps its records")
    func deployment() throws {
        try importing("RECORD TYPE Note (\"___recordID\" REFERENCE QUERYABLE, title STRING);")
        try administration.deploySchema(of: Self.container)
        let production = try cloud.device(of: "anna", environment: .production)
        try production.save(.create, .note("a", [("title", .string("x"))]))
        #expect(try production.failure(.create, .note("b", [("count", .int64(1))]))?.code == .badRequest)
        try importing(Self.note)
        let planned = try administration.differenceOfDeployment(of: Self.container)
        #expect(
            planned.changes.map(\.text) == [
                "+ Note.count INT64", "~ Note.title indexes: none → QUERYABLE SORTABLE",
                "~ Note grants _icloud: none → CREATE, WRITE", "~ Note grants _world: none → READ",
            ])
        #expect(try administration.deploySchema(of: Self.container) == planned)
        #expect(try administration.differenceOfDeployment(of: Self.container).isEmpty)
        try production.save(.create, .note("b", [("count", .int64(1))]))
        #expect(try production.query([.init("title", .equals, .string("x"))]) == ["a"])
        #expect(try production.query(.init(recordType: "Note")) == ["a", "b"])
    }

    @Test("What would lose data in production is refused with every reason, by import and by deployment")
    func refusedDeployment() throws {
        try importing("CREATE ROLE Editor; \(Self.note) RECORD TYPE Old (a STRING);")
        try administration.deploySchema(of: Self.container)
        try administration.createAccount(name: "ben", password: "x")
        try administration.grantRole("Editor", to: "ben", in: Self.container, .production)
        let smaller = "RECORD TYPE Note (\"___recordID\" REFERENCE QUERYABLE, count ENCRYPTED INT64);"
        let reasons = [
            "Role “Editor” is removed, and nobody has it any more",
            "Field “count” of “Note” changes from INT64 to ENCRYPTED INT64, which its values are not",
            "Field “title” of “Note” is removed, with its values",
            "Record type “Old” is removed, with its records",
        ]
        #expect(throws: AdministrationError.schemaRefused(reasons)) { try importing(smaller, allowingLoss: true) }
        try administration.revokeRole("Editor", from: "ben", in: Self.container, .production)
        #expect(throws: AdministrationError.schemaRefused(Array(reasons.dropFirst()))) {
            try importing(smaller, allowingLoss: true)
        }
        #expect(try administration.schema(of: Self.container, .production) == stored)
    }

    @Test("A reset leaves production's schema and nothing else in development")
    func reset() throws {
        try importing(Self.note)
        try administration.deploySchema(of: Self.container)
        let production = try cloud.device(of: "anna", environment: .production)
        try production.save(.create, .note("kept", [("title", .string("x"))]))
        try anna.makeZone()
        try importing(Self.note + "RECORD TYPE Trial (a STRING);")
        try anna.save(.create, .note("a", [("title", .string("x"))]), in: TestDevice.notes)
        try anna.save(.create, .note("b", [("extra", .int64(1))]))
        try anna.save(.create, .note("c"), database: .public)
        try administration.resetSchema(of: Self.container)
        #expect(try stored == administration.schema(of: Self.container, .production))
        #expect(try anna.record("b") == nil)
        #expect(try anna.record("c", database: .public) == nil)
        #expect(try anna.failure(.create, .note("a"), in: TestDevice.notes)?.code == .zoneNotFound)
        try anna.save(.create, .note("b", [("title", .string("y"))]))
        #expect(try anna.query([.init("title", .equals, .string("y"))]) == ["b"])
        #expect(try production.record("kept") != nil)
    }

    // MARK: - Roles

    @Test("Roles are given to accounts and taken from them, and go with them")
    func roles() throws {
        try importing("CREATE ROLE Editor; CREATE ROLE Author;")
        for name in ["ben", "eve"] { try administration.createAccount(name: name, password: "x") }
        try administration.grantRole("Editor", to: "eve", in: Self.container, .development)
        try administration.grantRole("Editor", to: "ben", in: Self.container, .development)
        try administration.grantRole("Editor", to: "ben", in: Self.container, .development)
        #expect(
            try administration.roles(of: Self.container, .development) == [
                .init(name: "Author", members: []), .init(name: "Editor", members: ["ben", "eve"]),
            ])
        #expect(try administration.roles(of: Self.container, .production) == [])
        try administration.revokeRole("Editor", from: "ben", in: Self.container, .development)
        try administration.deleteAccount("eve")
        #expect(try administration.roles(of: Self.container, .development).map(\.members) == [[], []])
        #expect(throws: AdministrationError.noRole("Admin")) {
            try administration.grantRole("Admin", to: "ben", in: Self.container, .development)
        }
        #expect(throws: AdministrationError.noAccount("eve")) {
            try administration.grantRole("Editor", to: "eve", in: Self.container, .development)
        }
    }
}
