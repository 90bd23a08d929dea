import Behaviours
import Testing
import WebServices

@Suite("Users")
struct UserTests {
    @Test(
        "users/caller names the caller, flat and in users", .behaviour("users.caller"), arguments: Wire.allCases)
    func caller(_ wire: Wire) throws {
        let service = try Service(wire)
        let client = try service.signIn("anna@example.com")
        let answer = try client.send("users/caller", "{}", in: .public)
        #expect(answer.status == 200)
        let name = try #require(answer["userRecordName"]?.string)
        #expect(answer["users"]?[0]?["userRecordName"]?.string == name)
        #expect(answer["lookupInfo"]?["userRecordName"]?.string == name)
        #expect(answer["nameComponents"]?.object != nil)
        #expect(answer["emailAddress"]?.string == "anna@example.com")
        #expect(answer["firstName"]?.isNull == true)
        #expect(try client.create("a").created?.userRecordName == name)
        #expect(try client.send("users/caller", "{}").status == 200, "the private database answers as well")
    }

    @Test("users/current, the older form", .behaviour("users.current"), arguments: Wire.allCases)
    func current(_ wire: Wire) throws {
        let client = try Service(wire).signIn()
        guard case .user(let user) = try client.answer(.usersCurrent, in: .public) else { throw UnexpectedAnswer() }
        #expect(user.userRecordName == (try client.user().userRecordName))
    }

    @Test(
        "A person has one user record in the public database, and nobody else's can be made",
        .behaviour("users.record"), arguments: Wire.allCases)
    func record(_ wire: Wire) throws {
        let service = try Service(wire)
        let (anna, ben) = (try service.signIn("anna"), try service.signIn("ben"))
        let name = try anna.user().userRecordName
        let own = try anna.save(.forceUpdate, .note(name, type: "Users", ["nick": "Anna"]), database: .public)
        #expect(own.recordType == "Users")
        #expect(try ben.record(name, database: .public)?.fields["nick"] == "Anna")
        #expect(
            try ben.failure(.forceUpdate, .note(name, type: "Users", ["nick": "X"]), database: .public).code
                == .accessDenied)
        #expect(try anna.failure(.create, .note("me", type: "Users"), database: .public).code == .badRequest)
        #expect(
            try anna.failure(.create, .note("_" + String(repeating: "0", count: 32), type: "Users"), database: .public)
                .code == .badRequest)
    }
}
