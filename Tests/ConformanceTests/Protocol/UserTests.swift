import Behaviours
import CloudServer
import SchemaLanguage
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

    @Test(
        "Users' records are neither queried nor deleted", .behaviour("users.no-query"), .behaviour("users.no-delete"),
        arguments: Wire.allCases)
    func fixed(_ wire: Wire) throws {
        let anna = try Service(wire).signIn()
        let name = try anna.user().userRecordName
        for filters in [[], [RecordsQuery.Filter(.equals, .user("nick"), .typed(.string("x")))]] {
            let query = RecordsQuery.Query(recordType: "Users", filterBy: filters)
            let error = #expect(throws: ServerError.self) {
                try anna.answer(.recordsQuery(.init(query: query)), in: .public)
            }
            #expect(error?.code == .badRequest && error?.reason.contains("cannot be queried") == true)
        }
        for type in [RecordsModify.OperationType.delete, .forceDelete] {
            let record = try #require(try anna.record(name, database: .public))
            #expect(try anna.failure(type, record, database: .public).code == .badRequest)
        }
        #expect(try anna.record(name, database: .public)?.recordType == "Users")
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

    @Test(
        "A user's record is there before its user saves it: others find it and refer to it",
        .behaviour("users.record-there"), arguments: Wire.allCases)
    func recordIsThere(_ wire: Wire) throws {
        let service = try Service(wire)
        let (anna, ben) = (try service.signIn("anna"), try service.signIn("ben"))
        let name = try anna.user().userRecordName
        let found = try #require(try ben.record(name, database: .public))
        #expect(found.recordType == "Users" && found.fields.isEmpty)
        #expect(found.recordChangeTag != nil && found.created?.userRecordName == name)
        #expect(try service.visitor().record(name, database: .public)?.recordChangeTag == found.recordChangeTag)
        #expect(try anna.record(name, database: .public)?.recordChangeTag == found.recordChangeTag)
        // As it is there, it is not made but changed.
        #expect(try anna.failure(.create, .note(name, type: "Users"), database: .public).code == .conflict)
        var changed = Record.note(name, type: "Users", ["nick": "Anna"])
        changed.recordChangeTag = found.recordChangeTag
        #expect(try anna.save(.update, changed, database: .public).fields["nick"] == "Anna")
        #expect(try anna.user().userRecordName == name)
        #expect(try ben.record(name, database: .public)?.fields["nick"] == "Anna", "and is not made anew")

        // Who saves in the public database is seen there by name.
        let carol = try service.signIn("carol")
        let creator = try #require(try carol.save(.create, .note("guide"), database: .public).created?.userRecordName)
        #expect(try ben.record(creator, database: .public)?.recordType == "Users")
        #expect(try ben.record("_" + String(repeating: "0", count: 32), database: .public) == nil, "nobody's")
        // And who lets others find them is found with a record.
        let address = "dan@example.com"
        _ = try service.signIn(address).answer(.usersPermission(.init(requests: true)), in: .public)
        let discover = UsersDiscover.Request(lookupInfos: [.emailAddress(address)])
        guard case .users(let people) = try ben.answer(.usersDiscover(discover), in: .public) else {
            throw UnexpectedAnswer()
        }
        let dan = try #require(people.users.first?.userRecordName)
        #expect(try ben.record(dan, database: .public)?.recordType == "Users")
    }

    @Test("Whatever the schema grants, the server makes it", .behaviour("users.record-there"))
    func recordWithoutGrants() throws {
        let service = try Service(.inProcess)
        try service.administration.createContainer(Service.container)
        let schema = "DEFINE SCHEMA RECORD TYPE Users (roles LIST<INT64>, GRANT READ TO \"_world\");"
        try service.administration.importSchema(try SchemaDefinition(text: schema), into: Service.container)
        let anna = try service.signIn("anna")
        let name = try anna.user().userRecordName
        #expect(try service.signIn("ben").record(name, database: .public)?.recordType == "Users")
        #expect(
            try anna.failure(.forceUpdate, .note(name, type: "Users", ["nick": "A"]), database: .public).code
                == .accessDenied)
    }
}
