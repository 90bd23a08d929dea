import CloudKitTesting
import CloudServer
import Testing
import WebServices

@Suite("Who calls, and the public database") struct AccessTests {
    @Test(
        "Without a credential, or with an unknown one, nothing is served",
        .behaviour("auth.none", "auth.unknown-api-token"), arguments: Wire.allCases)
    func apiToken(_ wire: Wire) async throws {
        let caller = try await World(wire).caller(nil)
        for token in [nil, String(repeating: "0", count: 64), "short"] {
            let stranger = Caller(transport: caller.transport, cloud: caller.cloud, apiToken: token, webAuthToken: nil)
            let error = try await stranger.refusal(.recordsLookup(.init(records: [.init(recordName: "a")])), .public)
            #expect(error?.code == .authenticationFailed)
        }
    }

    @Test(
        "An API token alone reads the public database and is asked to sign in elsewhere",
        .behaviour("auth.api-token-public", "auth.api-token-private", "auth.421", "public.read"),
        arguments: Wire.allCases)
    func anonymous(_ wire: Wire) async throws {
        let world = try World(wire)
        try await world.caller().save(.create, item("a"), .public)
        let anonymous = try await world.caller(nil)
        #expect(try await anonymous.lookup(["a"], nil, .public)[0].failure == nil)
        for database in [DatabaseScope.private, .shared] {
            let error = try await anonymous.refusal(.zonesList, database)
            #expect(error?.code == .authenticationRequired)
            #expect(error?.reason == "request needs authorization")
            #expect(error?.redirectURL?.isEmpty == false)
        }
    }

    @Test(
        "Answers carry a token once the caller is proven, and older ones go on working",
        .behaviour("auth.rotation", "auth.reuse", "auth.token-on-error"), arguments: Wire.allCases)
    func rotation(_ wire: Wire) async throws {
        let world = try World(wire)
        let caller = try await world.caller()
        #expect(try await caller.reply(.zonesList).webAuthToken != nil)
        world.cloud.clock.advance(by: .seconds(120))
        let fresh = try await caller.reply(.zonesList).webAuthToken
        #expect(fresh != nil && fresh != caller.webAuthToken)
        #expect(try await caller.refusal(.zonesList) == nil)
        let failing = try await caller.reply(.recordsQuery(.init(query: .init(recordType: "Nothing"))))
        #expect(failing.webAuthToken != nil)
        #expect(throws: ServerError.self) { try failing.result.get() }
    }

    @Test("A malformed or expired web token is refused", .behaviour("auth.bad-web-token"), arguments: Wire.allCases)
    func badTokens(_ wire: Wire) async throws {
        let world = try World(wire)
        let caller = try await world.caller()
        for token in ["nonsense", String((caller.webAuthToken ?? "").dropLast(3)) + "AAA"] {
            let forger = Caller(
                transport: caller.transport, cloud: caller.cloud, apiToken: caller.apiToken, webAuthToken: token)
            let error = try await forger.refusal(.zonesList)
            #expect(error?.code == .authenticationRequired || error?.code == .authenticationFailed)
        }
        world.cloud.clock.advance(by: .seconds(15 * 24 * 3600))
        #expect(try await caller.refusal(.zonesList)?.code == .authenticationRequired)
    }

    @Test(
        "Accounts do not see each other's private databases; user names are per container",
        .behaviour("auth.isolation", "auth.user-names", "users.caller", "users.current"), arguments: Wire.allCases)
    func isolation(_ wire: Wire) async throws {
        let world = try World(wire)
        let alice = try await world.caller()
        let bob = try await world.caller("bob")
        try await alice.save(.create, item("a"))
        #expect(try await bob.lookup(["a"])[0].failure?.code == .notFound)
        func name(_ caller: Caller, _ operation: WebServices.Operation) async throws -> String {
            guard case .user(let user) = try await caller.answer(operation, .public) else {
                throw Caller.UnexpectedAnswer()
            }
            return user.userRecordName
        }
        let own = try await name(alice, .usersCaller)
        #expect(own.wholeMatch(of: #/_[0-9a-f]{32}/#) != nil)
        #expect(try await name(alice, .usersCurrent) == own)
        #expect(try await name(bob, .usersCaller) != own)
        var elsewhere = alice
        elsewhere.container = "iCloud.com.example.other"
        #expect(try await name(elsewhere, .usersCaller) != own)
    }

    @Test(
        "In the public database everybody who is signed in creates, and the creator writes",
        .behaviour("public.create", "public.write"), arguments: Wire.allCases)
    func publicDatabase(_ wire: Wire) async throws {
        let world = try World(wire)
        let alice = try await world.caller()
        let bob = try await world.caller("bob")
        try await alice.save(.create, item("hers"), .public)
        try await bob.save(.create, item("his"), .public)
        let foreign = item("hers", ["n": .int64(1)])
        #expect(try await bob.modify([.init(.forceUpdate, foreign)], .public)[0].failure?.code == .accessDenied)
        #expect(try await bob.modify([.init(.forceDelete, item("hers"))], .public)[0].failure?.code == .accessDenied)
        try await alice.save(.forceUpdate, foreign, .public)
    }

    @Test(
        "A full account is QUOTA_EXCEEDED, and what was stored stays", .behaviour("error.quota"),
        arguments: Wire.allCases)
    func quota(_ wire: Wire) async throws {
        let caller = try await World(wire) { $0.accountQuota = 10_000 }.caller()
        try await caller.save(.create, item("a", ["text": .string(String(repeating: "x", count: 5000))]))
        let large = item("b", ["text": .string(String(repeating: "x", count: 9000))])
        #expect(try await caller.modify([.init(.create, large)])[0].failure?.code == .quotaExceeded)
        #expect(try await caller.lookup(["a"])[0].failure == nil)
    }
}

extension Caller {
    func modify(
        _ operations: [RecordsModify.Operation], _ database: DatabaseScope
    ) async throws -> [RecordResult] {
        try await modify(operations, nil, atomic: nil, desiredKeys: nil, database)
    }
}
