import Behaviours
import CloudKitTesting
import CloudServer
import Testing
import WebServices

@Suite("Who calls")
struct AuthenticationTests {
    private static let failed = ServerError.Said(.authenticationFailed, "Authentication failed")
    private static let signInRequired = ServerError.Said(.authenticationRequired, "request needs authorization")

    @Test("Without any credential nothing is served", .behaviour("auth.none"), arguments: Wire.allCases)
    func none(_ wire: Wire) throws {
        let client = try Service(wire).visitor().with { $0.credentials = Credentials() }
        for database in DatabaseScope.allCases {
            #expect(try client.refusal(.zonesList, in: database).said == Self.failed)
        }
    }

    @Test(
        "An API token alone reads the public database", .behaviour("auth.api-token-public"),
        arguments: Wire.allCases)
    func apiTokenPublic(_ wire: Wire) throws {
        let service = try Service(wire)
        try service.signIn().create("a", ["title": "For all"], database: .public)
        let visitor = service.visitor()
        #expect(try visitor.record("a", database: .public)?.fields["title"] == "For all")
        #expect(try visitor.find(database: .public) == ["a"])
        #expect(
            try visitor.failure(.create, .note("b"), database: .public).said
                == .init(.accessDenied, "CREATE operation not permitted"))
    }

    @Test(
        "An API token alone meets 421 where somebody has to be signed in",
        .behaviour("auth.api-token-private", "auth.421"), arguments: Wire.allCases)
    func apiTokenPrivate(_ wire: Wire) throws {
        let visitor = try Service(wire) { $0.publicURL = "https://cloud.example" }.visitor()
        let calls: [(ServerOperation, DatabaseScope)] = [
            (.zonesList, .private), (.zonesList, .shared), (.recordsLookup(.init(records: [])), .private),
            (.usersCaller, .public), (.usersCurrent, .public),
        ]
        for (operation, database) in calls {
            let error = try visitor.refusal(operation, in: database)
            #expect(error.said == Self.signInRequired)
            #expect(error.redirectURL?.hasPrefix("https://cloud.example/") == true)
            #expect(error.uuid != nil)
        }
    }

    @Test("Over HTTP that is status 421, with the sign-in page on the host that was asked", .behaviour("auth.421"))
    func misdirected() throws {
        let service = try Service(.http)
        let answer = try service.visitor().http("GET", "users/caller", in: .public)
        #expect(answer.status == 421)
        let url = try #require(answer["redirectURL"]?.string)
        let origin = "http://localhost:\(service.port)"
        #expect(url.hasPrefix("\(origin)/"))
        let page = try HTTPClient(port: service.port).send("GET", String(url.dropFirst(origin.count)))
        #expect(page.status == 200)
        #expect(page.headers["content-type"]?.hasPrefix("text/html") == true)
    }

    @Test(
        "An unknown API token proves nothing", .behaviour("auth.unknown-api-token"), arguments: Wire.allCases,
        ["", "x", String(repeating: "0", count: 64), String(repeating: "ä", count: 32)])
    func unknownAPIToken(_ wire: Wire, _ token: String) throws {
        let client = try Service(wire).signIn().with { $0.credentials.apiToken = token }
        #expect(try client.refusal(.zonesList).said == Self.failed)
        #expect(try client.refusal(.zonesList, in: .public).said == Self.failed)
    }

    @Test(
        "An API token belongs to one container and one environment", .behaviour("auth.token-of-other-container"),
        arguments: Wire.allCases)
    func otherContainer(_ wire: Wire) throws {
        let service = try Service(wire)
        _ = try service.signIn().zones(.zonesList)
        let token = try service.administration.createToken(container: Service.container, environment: .development)
            .token
        let own = service.visitor().with { $0.credentials.apiToken = token }
        #expect(try own.zones(.zonesList, in: .public).count == 1)
        #expect(
            try own.with { $0.container = "iCloud.com.example.other" }.refusal(.zonesList, in: .public).said
                == Self.failed)
        #expect(try own.with { $0.environment = .production }.refusal(.zonesList, in: .public).said == Self.failed)
    }

    @Test(
        "A web token that is damaged, foreign or expired is refused", .behaviour("auth.bad-web-token"),
        arguments: Wire.allCases)
    func badWebToken(_ wire: Wire) throws {
        let service = try Service(wire)
        let client = try service.signIn()
        let token = try #require(client.credentials.webAuthToken)
        let other = try Service(.inProcess, seed: 7)
        let foreign = try other.server.identity.signIn(account: "anna", password: "", keepSignedIn: true)
            .webAuthToken
        var damaged = Array(token)
        damaged[damaged.count / 2] = damaged[damaged.count / 2] == "A" ? "B" : "A"
        for text in ["x", "AAAA", String(token.dropLast(8)), String(damaged), foreign, "ä"] {
            let refused = client.with { $0.credentials.webAuthToken = text }
            for database in [DatabaseScope.private, .public] {
                let error = try refused.refusal(.zonesList, in: database)
                #expect(error.said == Self.signInRequired, "\(text)")
                #expect(error.redirectURL != nil)
            }
        }
        service.clock.advance(by: .seconds(15 * 24 * 3600))
        #expect(try client.refusal(.zonesList).said == Self.signInRequired)
    }

    @Test(
        "Every answer carries a web token, a younger one once the old has aged; the older one stays good",
        .behaviour("auth.rotation", "auth.reuse"), arguments: Wire.allCases)
    func rotation(_ wire: Wire) throws {
        let service = try Service(wire)
        let client = try service.signIn()
        let first = try #require(try client.reply(.zonesList).webAuthToken)
        service.clock.advance(by: .seconds(90))
        let second = try #require(try client.reply(.zonesList).webAuthToken)
        #expect(second != first)
        for token in [first, second, first] {
            let again = client.with { $0.credentials.webAuthToken = token }
            #expect(try again.user().userRecordName == client.user().userRecordName)
        }
    }

    @Test(
        "The token also comes with an error once the caller is proven", .behaviour("auth.token-on-error"),
        arguments: Wire.allCases)
    func tokenOnError(_ wire: Wire) throws {
        let client = try Service(wire).signIn()
        let reply = try client.reply(.recordsQuery(.init(query: .init(recordType: "Nothing"))))
        #expect(throws: ServerError.self) { try reply.result.get() }
        #expect(reply.webAuthToken != nil)
        let stranger = client.with { $0.credentials.webAuthToken = "x" }
        #expect(try stranger.reply(.zonesList).webAuthToken == nil)
    }

    @Test(
        "A web token lives 30 minutes, two weeks for a person who stays signed in", .behaviour("auth.lifetime"),
        arguments: Wire.allCases, [false, true])
    func lifetime(_ wire: Wire, _ keepSignedIn: Bool) throws {
        let service = try Service(wire)
        let client = try service.signIn(keepSignedIn: keepSignedIn)
        let life = keepSignedIn ? 14 * 24 * 3600 : 30 * 60
        service.clock.advance(by: .seconds(life - 5))
        #expect(try client.zones(.zonesList).count == 1)
        service.clock.advance(by: .seconds(10))
        #expect(try client.refusal(.zonesList).code == .authenticationRequired)
    }

    @Test(
        "User record names are _ and 32 hexadecimal digits, other ones in each container",
        .behaviour("auth.user-names"), arguments: Wire.allCases)
    func userNames(_ wire: Wire) throws {
        let service = try Service(wire)
        let anna = try service.signIn("anna")
        let name = try anna.user().userRecordName
        #expect(name.wholeMatch(of: /_[0-9a-f]{32}/) != nil)
        #expect(try service.signIn("anna").user().userRecordName == name)
        #expect(try service.signIn("ben").user().userRecordName != name)
        #expect(try anna.with { $0.container = "iCloud.com.example.other" }.user().userRecordName != name)
    }

    @Test(
        "Accounts do not see each other's private databases", .behaviour("auth.isolation"),
        arguments: Wire.allCases)
    func isolation(_ wire: Wire) throws {
        let service = try Service(wire)
        let (anna, ben) = (try service.signIn("anna"), try service.signIn("ben"))
        try anna.zone(.create)
        try anna.create("secret", ["title": "Mine"], in: .notes)
        try anna.create("secret", ["title": "Mine"])
        let token = try anna.changes().syncToken

        let owner = try anna.user().userRecordName
        let zone = ZoneID(zoneName: "Notes", ownerRecordName: owner)
        let defaultZone = ZoneID(ownerRecordName: owner)
        let missing = ServerError.Said(.zoneNotFound, "Zone does not exist")
        #expect(try ben.lookup(["secret"], in: zone)[0].error?.said == missing)
        #expect(try ben.lookup(["secret"], in: defaultZone)[0].error?.said == missing)
        #expect(try ben.failure(.forceUpdate, .note("secret"), in: zone).said == missing)
        #expect(try ben.changesFailure(in: zone).said == missing)
        #expect(try ben.zoneFailure(.delete, zone).said == missing)
        #expect(try ben.record("secret") == nil)
        #expect(try ben.find() == [])
        #expect(try ben.find(zoneWide: true) == [])
        #expect(try ben.zones(.zonesList).map(\.name) == ["_defaultZone"])
        #expect(try ben.databaseChanges().zones.isEmpty)
        try ben.zone(.create)
        #expect(try ben.changesFailure(since: token).code == .changeTokenExpired)
        #expect(try anna.record("secret", in: .notes)?.fields["title"] == "Mine")
    }

    @Test(
        "A new password ends the tokens of all sessions", .behaviour("auth.sign-out"),
        arguments: Wire.allCases)
    func signOutEverywhere(_ wire: Wire) throws {
        let service = try Service(wire)
        let (phone, laptop) = (try service.signIn(), try service.signIn())
        try service.administration.setPassword("new password", ofAccount: "anna")
        // What a process knows of a session it may believe for five seconds.
        service.clock.advance(by: .seconds(6))
        #expect(try phone.refusal(.zonesList).code == .authenticationRequired)
        #expect(try laptop.refusal(.zonesList).code == .authenticationRequired)
    }
}
