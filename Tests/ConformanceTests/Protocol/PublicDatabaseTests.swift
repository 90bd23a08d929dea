import Behaviours
import Testing
import WebServices

@Suite("Public database")
struct PublicDatabaseTests {
    @Test("Everybody reads", .behaviour("public.read"), arguments: Wire.allCases)
    func read(_ wire: Wire) throws {
        let service = try Service(wire)
        try service.signIn("anna").create("a", ["title": "x"], database: .public)
        for reader in [try service.signIn("ben"), service.visitor()] {
            #expect(try reader.record("a", database: .public)?.fields["title"] == "x")
            #expect(try reader.find(.filter("title", .equals, "x"), database: .public) == ["a"])
        }
        #expect(try service.signIn("anna").record("a") == nil, "databases are worlds of their own")
    }

    @Test("Everybody who is signed in creates", .behaviour("public.create"), arguments: Wire.allCases)
    func create(_ wire: Wire) throws {
        let service = try Service(wire)
        try service.signIn("anna").create("a", database: .public)
        try service.signIn("ben").create("b", database: .public)
        #expect(
            try service.visitor().failure(.forceUpdate, .note("c"), database: .public).said
                == .init(.accessDenied, "CREATE operation not permitted"))
        #expect(try service.visitor().find(database: .public) == ["a", "b"])
    }

    @Test(
        "Only the creator writes, and a refusal is the error of that record alone", .behaviour("public.write"),
        arguments: Wire.allCases)
    func write(_ wire: Wire) throws {
        let service = try Service(wire)
        let (anna, ben) = (try service.signIn("anna"), try service.signIn("ben"))
        let tag = try anna.create("a", ["title": "Anna's"], database: .public).recordChangeTag
        let denied = ServerError.Said(.accessDenied, "WRITE operation not permitted")
        for type in [
            RecordsModify.OperationType.update, .forceUpdate, .replace, .forceReplace, .delete, .forceDelete,
        ] {
            for stranger in [ben, service.visitor()] {
                #expect(
                    try stranger.failure(type, .note("a", tag: tag, ["title": "Ben's"]), database: .public).said
                        == denied, "\(type)")
            }
        }
        let batch = try ben.modify(
            [.init(.forceUpdate, .note("a")), .init(.create, .note("b"))], database: .public)
        #expect(batch.map { $0.error?.code } == [.accessDenied, nil])
        #expect(try anna.record("a", database: .public)?.fields["title"] == "Anna's")
        try anna.delete("a", database: .public)
        try ben.create("a", database: .public)
    }

    @Test(
        "A record is deleted for good: no tombstone, and the name is free", .behaviour("public.delete"),
        arguments: Wire.allCases)
    func delete(_ wire: Wire) throws {
        let client = try Service(wire).signIn()
        let first = try client.create("a", ["title": "x"], database: .public)
        try client.delete("a", database: .public)
        #expect(try client.record("a", database: .public) == nil)
        let second = try client.create("a", database: .public)
        #expect(second.recordChangeTag != first.recordChangeTag)
        #expect(
            try client.failure(.update, .note("a", tag: first.recordChangeTag), database: .public).code == .conflict)
    }

    @Test("A batch is never atomic there", .behaviour("public.not-atomic"), arguments: Wire.allCases)
    func notAtomic(_ wire: Wire) throws {
        let client = try Service(wire).signIn()
        try client.create("taken", database: .public)
        let results = try client.modify(
            [.init(.create, .note("a")), .init(.create, .note("taken"))], database: .public)
        #expect(results.map { $0.error?.code } == [nil, .conflict])
    }
}
