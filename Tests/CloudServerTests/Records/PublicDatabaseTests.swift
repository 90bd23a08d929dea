import Testing
import WebServices

@testable import CloudServer

@Suite("The public database")
struct PublicDatabaseTests {
    let cloud: TestCloud
    let anna: TestDevice
    let ben: TestDevice

    init() throws {
        cloud = try TestCloud()
        anna = try cloud.device(of: "anna")
        ben = try cloud.device(of: "ben")
    }

    @Test("Everybody reads, also without signing in")
    func reading() throws {
        try anna.save(.create, .note("a", [("f", .int64(1))]), database: .public)
        #expect(try ben.record("a", database: .public)?.fields["f"] == .int64(1))
        #expect(try cloud.visitor().record("a", database: .public) != nil)
        #expect(try anna.record("a") == nil, "it is not in the private database")
    }

    @Test("Nobody creates without signing in")
    func anonymous() throws {
        let error = try cloud.visitor().failure(.create, .note("a"), database: .public)
        #expect(error?.code == .accessDenied)
        #expect(error?.reason == "CREATE operation not permitted")
    }

    @Test(
        "Only its creator writes a record",
        arguments: [
            RecordsModify.OperationType.forceUpdate, .forceReplace, .forceDelete,
        ])
    func writing(type: RecordsModify.OperationType) throws {
        try anna.save(.create, .note("a"), database: .public)
        let error = try ben.failure(type, .note("a"), database: .public)
        #expect(error?.code == .accessDenied)
        #expect(error?.reason == "WRITE operation not permitted")
        #expect(try anna.failure(type, .note("a"), database: .public) == nil)
    }

    @Test("Change tags differ at each save, though the clock stands still")
    func tags() throws {
        var tags: Set<String> = []
        for _ in 0..<4 {
            let saved = try anna.save(.forceUpdate, .note("a"), database: .public)
            #expect(tags.insert(try #require(saved.recordChangeTag)).inserted)
        }
    }

    @Test("Only the default zone is there")
    func zones() throws {
        let error = try anna.failure(.create, .note("a"), in: TestDevice.notes, database: .public)
        #expect(error?.code == .zoneNotFound)
    }

    @Test("A person's own user record is there, may be written by its person, and by no one else")
    func userRecord() throws {
        let name = try anna.user().userRecordName
        #expect(try anna.record(name, database: .public)?.recordType == "Users")
        try anna.save(.forceUpdate, .note(name, type: "Users", [("nick", .string("A"))]), database: .public)
        #expect(try ben.record(name, database: .public)?.fields["nick"] == .string("A"))
        #expect(try ben.failure(.forceUpdate, .note(name, type: "Users"), database: .public)?.code == .accessDenied)
        #expect(try anna.failure(.create, .note("x", type: "Users"), database: .public)?.code == .badRequest)
    }
}
