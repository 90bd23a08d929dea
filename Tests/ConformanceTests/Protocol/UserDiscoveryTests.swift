import Behaviours
import CloudServer
import Testing
import WebServices

@Suite("Finding people")
struct UserDiscoveryTests {
    private func users(_ client: Client, _ operation: ServerOperation) throws -> [UserIdentity] {
        guard case .users(let response) = try client.answer(operation, in: .public) else { throw UnexpectedAnswer() }
        return response.users
    }

    private func allow(_ client: Client) throws {
        _ = try client.answer(.usersPermission(.init(requests: true)), in: .public)
    }

    @Test(
        "users/discover finds who lets themselves be found, by address, number or record name, and nobody else",
        .behaviour("users.discover", "users.discoverability"), arguments: Wire.allCases)
    func discover(_ wire: Wire) throws {
        let service = try Service(wire)
        _ = try service.administration.createAccount(
            name: "ada@example.com", password: "x", firstName: "Ada", lastName: "Lovelace")
        let signedIn = try service.server.identity.signIn(
            account: "ada@example.com", password: "x", keepSignedIn: true)
        let ada = service.visitor().with { $0.credentials.webAuthToken = signedIn.webAuthToken }
        let (phone, ben) = (try service.signIn("+15550100"), try service.signIn("ben@example.com"))
        let names = (try ada.user().userRecordName, try ben.user().userRecordName)
        let infos: [LookupInfo] = [
            .emailAddress("ada@example.com"), .emailAddress("ben@example.com"), .phoneNumber("+1 (555) 0100"),
            .userRecordName(names.0), .userRecordName(names.1), .emailAddress("nobody@example.com"),
            .phoneNumber("ada@example.com"), .emailAddress(""), .userRecordName("x"),
        ]
        #expect(try users(ben, .usersDiscover(.init(lookupInfos: infos))) == [])
        try allow(ada)
        try allow(phone)
        let found = try users(ben, .usersDiscover(.init(lookupInfos: infos)))
        #expect(found.map(\.lookupInfo) == [infos[0], infos[2], infos[3]])
        #expect(found[0].userRecordName == names.0 && found[2].userRecordName == names.0)
        #expect(found[0].firstName == "Ada" && found[0].lastName == "Lovelace")
        #expect(found[1].firstName == nil)
        // In another container nobody has allowed anything.
        let elsewhere = ben.with { $0.container = "iCloud.com.example.other" }
        #expect(try users(elsewhere, .usersDiscover(.init(lookupInfos: infos))) == [])
    }

    @Test(
        "users/lookup/email and users/lookup/id find the same people", .behaviour("users.lookup"),
        arguments: Wire.allCases)
    func lookup(_ wire: Wire) throws {
        let service = try Service(wire)
        let (anna, ben) = (try service.signIn("anna@example.com"), try service.signIn("ben"))
        try allow(anna)
        let name = try anna.user().userRecordName
        let byEmail = try ben.send(
            "users/lookup/email", #"{"users":[{"emailAddress":"anna@example.com"},{"emailAddress":"x@y"}]}"#,
            in: .public)
        #expect(byEmail.status == 200)
        #expect(byEmail["users"]?[0]?["userRecordName"]?.string == name)
        #expect(byEmail["users"]?[0]?["emailAddress"]?.string == "anna@example.com")
        #expect(byEmail["users"]?[0]?["firstName"]?.isNull == true)
        #expect(byEmail["users"]?[1] == nil)
        let byID = try ben.send("users/lookup/id", #"{"users":[{"userRecordName":"\#(name)"}]}"#, in: .public)
        #expect(byID["users"]?[0]?["userRecordName"]?.string == name)
        #expect(byID["users"]?[0]?["emailAddress"] == nil, "an address is told only to who knows it")
        for body in ["{}", #"{"users":[{}]}"#, #"{"users":1}"#, "[]"] {
            #expect(try ben.send("users/lookup/email", body, in: .public).status == 400)
        }
    }

    @Test(
        "There is no address book to find people by", .behaviour("users.contacts"), arguments: Wire.allCases)
    func contacts(_ wire: Wire) throws {
        let client = try Service(wire).signIn()
        try allow(client)
        #expect(try users(client, .usersDiscover(nil)) == [])
        #expect(try users(client, .usersLookupContacts) == [])
    }

    @Test(
        "People are looked for on the public path, by who is signed in, so many at a time",
        .behaviour("users.discover-where"), arguments: Wire.allCases)
    func place(_ wire: Wire) throws {
        let service = try Service(wire)
        let client = try service.signIn()
        let one = UsersDiscover.Request(lookupInfos: [.emailAddress("a@example.com")])
        for (database, name) in [(DatabaseScope.private, "privatedb"), (.shared, "sharedb")] {
            let error = try client.refusal(.usersDiscover(one), in: database)
            #expect(error.said == .init(.badRequest, "endpoint not applicable in the database type '\(name)'"))
        }
        for operation in [ServerOperation.usersDiscover(one), .usersLookupEmail(one), .usersLookupID(one)] {
            #expect(try service.visitor().refusal(operation, in: .public).code == .authenticationRequired)
        }
        let many = UsersDiscover.Request(lookupInfos: Array(repeating: .emailAddress("a@example.com"), count: 201))
        #expect(try client.refusal(.usersDiscover(many), in: .public).extensionCode == .limitExceeded)
    }
}
