import Behaviours
import CloudServer
import SchemaLanguage
import Testing
import WebServices

@Suite("Grants and roles")
struct GrantTests {
    /// A service whose development environment has these statements.
    private func service(_ wire: Wire, _ schema: String) throws -> Service {
        let service = try Service(wire)
        try service.administration.createContainer(Service.container)
        try service.administration.importSchema(
            try SchemaDefinition(text: "DEFINE SCHEMA \(schema)"), into: Service.container)
        return service
    }

    private static func denied(_ permission: String) -> ServerError.Said {
        .init(.accessDenied, "\(permission) operation not permitted")
    }

    private static let fields = "\"___recordID\" REFERENCE QUERYABLE, title STRING QUERYABLE"

    @Test(
        "What is granted to _world everybody may do, signed in or not", .behaviour("grant.world"),
        arguments: Wire.allCases)
    func world(_ wire: Wire) throws {
        let service = try service(
            wire, "RECORD TYPE Note (\(Self.fields), GRANT READ, CREATE, WRITE TO \"_world\");")
        let visitor = service.visitor()
        try visitor.create("a", ["title": "x"], database: .public)
        try service.signIn("ben").change("a", ["title": "y"], database: .public)
        try visitor.delete("a", database: .public)
    }

    @Test(
        "What is granted to _icloud whoever is signed in may do", .behaviour("grant.icloud"), arguments: Wire.allCases)
    func icloud(_ wire: Wire) throws {
        let service = try service(
            wire, "RECORD TYPE Note (\(Self.fields), GRANT READ, CREATE, WRITE TO \"_icloud\");")
        try service.signIn("anna").create("a", ["title": "x"], database: .public)
        try service.signIn("ben").change("a", ["title": "y"], database: .public)
        let visitor = service.visitor()
        #expect(try visitor.lookup(["a"], database: .public)[0].error?.said == Self.denied("READ"))
        #expect(
            try visitor.refusal(.recordsQuery(.init(query: .init(recordType: "Note"))), in: .public).said
                == Self.denied("READ"))
        #expect(try visitor.failure(.forceUpdate, .note("a"), database: .public).said == Self.denied("WRITE"))
    }

    @Test(
        "A type that only its records' creators may read shows each caller the caller's own",
        .behaviour("grant.creator-read"), arguments: Wire.allCases)
    func ownRecords(_ wire: Wire) throws {
        let service = try service(
            wire,
            "RECORD TYPE Note (\(Self.fields), GRANT CREATE TO \"_icloud\", GRANT READ, WRITE TO \"_creator\");")
        let (anna, ben) = (try service.signIn("anna"), try service.signIn("ben"))
        for name in ["a1", "a2"] { try anna.create(name, ["title": "x"], database: .public) }
        try ben.create("b", ["title": "x"], database: .public)
        #expect(try anna.find(database: .public) == ["a1", "a2"])
        #expect(try ben.find(.filter("title", .equals, "x"), database: .public) == ["b"])
        #expect(try ben.lookup(["a1", "b"], database: .public).map { $0.error?.said } == [Self.denied("READ"), nil])
        // A conflict does not show what may not be read.
        let results = try ben.native.modify([.init(.create, .note("a1"))], database: .public)
        guard case .failure(_, let error, .absent) = results[0] else {
            Issue.record("the conflict carries the record: \(results)")
            return
        }
        #expect(error.code == .conflict)
    }

    @Test(
        "CREATE granted to _creator alone lets nobody create", .behaviour("grant.creator-create"),
        arguments: Wire.allCases)
    func creatorCreates(_ wire: Wire) throws {
        let service = try service(
            wire, "RECORD TYPE Note (\(Self.fields), GRANT READ, CREATE, WRITE TO \"_creator\");")
        #expect(
            try service.signIn().failure(.create, .note("a"), database: .public).said == Self.denied("CREATE"))
    }

    @Test(
        "A type that grants nothing is closed in the public database and open in private ones",
        .behaviour("grant.none"), arguments: Wire.allCases)
    func none(_ wire: Wire) throws {
        let service = try service(wire, "RECORD TYPE Note (\(Self.fields));")
        let anna = try service.signIn()
        #expect(try anna.failure(.create, .note("a"), database: .public).said == Self.denied("CREATE"))
        #expect(
            try anna.refusal(.recordsQuery(.init(query: .init(recordType: "Note"))), in: .public).said
                == Self.denied("READ"))
        try anna.create("a", ["title": "x"])
        #expect(try anna.find() == ["a"])
    }

    @Test(
        "Whoever has a role of the container's own may do what is granted to it, from the next request on",
        .behaviour("grant.role"), arguments: Wire.allCases)
    func roles(_ wire: Wire) throws {
        let service = try service(
            wire,
            """
            CREATE ROLE Editor; CREATE ROLE Author;
            RECORD TYPE Note (\(Self.fields), GRANT READ TO "_world", GRANT WRITE TO Editor, GRANT CREATE TO Author);
            """)
        let (anna, ben) = (try service.signIn("anna"), try service.signIn("ben"))
        let administration = service.administration
        #expect(try anna.failure(.create, .note("a"), database: .public).said == Self.denied("CREATE"))
        try administration.grantRole("Author", to: "anna", in: Service.container, .development)
        try anna.create("a", ["title": "x"], database: .public)
        #expect(try anna.failure(.forceUpdate, .note("a"), database: .public).said == Self.denied("WRITE"))
        #expect(try ben.failure(.forceUpdate, .note("a"), database: .public).said == Self.denied("WRITE"))
        try administration.grantRole("Editor", to: "ben", in: Service.container, .development)
        try ben.change("a", ["title": "y"], database: .public)
        #expect(try ben.failure(.create, .note("b"), database: .public).said == Self.denied("CREATE"))
        try administration.grantRole("Author", to: "ben", in: Service.container, .development)
        try ben.create("b", database: .public)
        try administration.revokeRole("Editor", from: "ben", in: Service.container, .development)
        #expect(try ben.failure(.forceDelete, .note("a"), database: .public).said == Self.denied("WRITE"))
    }

    @Test("Nobody gives themselves a role", .behaviour("grant.roles-field"), arguments: Wire.allCases)
    func rolesField(_ wire: Wire) throws {
        let anna = try Service(wire).signIn()
        guard case .user(let user) = try anna.answer(.usersCaller, in: .public) else { throw UnexpectedAnswer() }
        let name = user.userRecordName
        try anna.save(.forceUpdate, .note(name, type: "Users", ["nick": "A"]), database: .public)
        let roles = FieldValue.list([1], of: .int64)
        #expect(
            try anna.failure(.forceUpdate, .note(name, type: "Users", ["roles": roles]), database: .public).code
                == .badRequest)
    }

    // MARK: - What a schema does to queries and saves

    @Test(
        "Asking for what is not indexed says so, system fields too", .behaviour("query.not-indexed"),
        arguments: Wire.allCases)
    func notIndexed(_ wire: Wire) throws {
        let service = try service(
            wire,
            """
            RECORD TYPE Note (title STRING QUERYABLE, place STRING SORTABLE, plain STRING,
                "___createTime" TIMESTAMP SORTABLE);
            RECORD TYPE Bare (title STRING);
            """)
        let anna = try service.signIn()
        try anna.create("a", ["title": "x", "place": "y", "plain": "z"])
        func refusal(_ query: RecordsQuery.Query) throws -> String? {
            let error = try anna.refusal(.recordsQuery(.init(query: query)))
            #expect(error.code == .badRequest)
            return error.reason
        }
        #expect(try refusal(.init(recordType: "Note")) == "Field 'recordName' is not marked queryable")
        #expect(try refusal(.init(recordType: "Bare")) == "Queried type is not marked indexable")
        let filter = RecordsQuery.Filter.filter("title", .equals, "x")
        #expect(
            try refusal(.init(recordType: "Note", filterBy: [.filter("plain", .equals, "z")]))
                == "Field 'plain' is not marked queryable")
        #expect(
            try refusal(.init(recordType: "Note", filterBy: [.filter("place", .equals, "y")]))
                == "Field 'place' is not marked queryable")
        #expect(
            try refusal(.init(recordType: "Note", filterBy: [.filter("title", .lessThan, "y")]))
                == "Field 'title' is not marked sortable")
        #expect(
            try refusal(.init(recordType: "Note", filterBy: [filter], sortBy: [.init(.user("title"))]))
                == "Field 'title' is not marked sortable")
        #expect(
            try refusal(
                .init(
                    recordType: "Note",
                    filterBy: [.init(.equals, .system(.createdTimestamp), .typed(.timestamp(0)))]))
                == "Field 'createdTimestamp' is not marked queryable")
        #expect(
            try refusal(.init(recordType: "Note", filterBy: [filter], sortBy: [.init(.system(.modifiedTimestamp))]))
                == "Field 'modifiedTimestamp' is not marked sortable")
        #expect(try anna.find(filter, sort: [.init(.system(.createdTimestamp))]) == ["a"])
        #expect(try anna.find(.filter("place", .beginsWith, "y")) == ["a"])
    }

    @Test(
        "Production has what was deployed to it, and refuses any other type and field", .behaviour("schema.deployed"),
        arguments: Wire.allCases)
    func deployed(_ wire: Wire) throws {
        let service = try service(
            wire,
            "RECORD TYPE Note (\(Self.fields), GRANT READ TO \"_world\", GRANT CREATE TO \"_icloud\");")
        let anna = try service.signIn().with { $0.environment = .production }
        try service.administration.deploySchema(of: Service.container)
        try anna.create("a", ["title": "x"])
        try anna.create("p", ["title": "x"], database: .public)
        #expect(
            try anna.failure(.create, .note("b", ["count": 1])).said
                == .init(.badRequest, "Field count not found in Note"))
        #expect(
            try anna.failure(.create, .note("b", type: "Other")).said
                == .init(.badRequest, "Cannot create new type Other in production schema"))
        #expect(
            try anna.refusal(.recordsQuery(.init(query: .init(recordType: "Other")))).said
                == .init(.badRequest, "Did not find record type: Other"))
        #expect(try anna.failure(.forceUpdate, .note("p"), database: .public).said == Self.denied("WRITE"))
    }
}
