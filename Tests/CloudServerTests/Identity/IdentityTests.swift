import CloudStore
import Cryptography
import Testing
import WebServices

@testable import CloudServer

@Suite("Who calls")
struct IdentityTests {
    let cloud: TestCloud

    init() throws {
        cloud = try TestCloud()
    }

    private static let minute: Int64 = 60_000
    private static let lookup = ServerOperation.recordsLookup(.init(records: []))

    @Test(
        "The matrix of databases and credentials",
        arguments: [
            (DatabaseScope.public, lookup, false, nil),
            (.private, lookup, false, ServerError.Code.authenticationRequired),
            (.shared, lookup, false, .authenticationRequired), (.public, .usersCaller, false, .authenticationRequired),
            (.public, lookup, true, nil), (.private, lookup, true, nil), (.public, .usersCaller, true, nil),
            (.private, .usersCurrent, true, nil),
        ])
    func matrix(database: DatabaseScope, operation: ServerOperation, signedIn: Bool, code: ServerError.Code?) throws {
        let device = signedIn ? try cloud.device() : cloud.visitor()
        #expect(try device.error(operation, in: database)?.code == code)
    }

    @Test("Where somebody has to sign in, the answer is 421 and says where")
    func signInRequired() throws {
        let error = try #require(try cloud.visitor().error(.usersCaller, in: .public))
        #expect(error.code.status == 421)
        #expect(error.reason == "request needs authorization")
        #expect(error.redirectURL?.hasPrefix("https://cloud.example/stratus/sign-in") == true)
        #expect(error.uuid != nil)
    }

    @Test(
        "Without a good API token nothing is served",
        arguments: [
            Credentials(), Credentials(apiToken: "x"), Credentials(apiToken: String(repeating: "0", count: 64)),
            Credentials(webAuthToken: "AAAA"),
        ])
    func refused(credentials: Credentials) throws {
        var device = cloud.visitor()
        device.credentials = credentials
        let error = try device.error(Self.lookup, in: .public)
        #expect(error?.code == .authenticationFailed)
        #expect(error?.reason == "Authentication failed")
    }

    @Test("A web token that this server did not make asks for signing in again", arguments: ["x", "AAAA", "AQ=="])
    func foreignToken(text: String) throws {
        var device = cloud.visitor()
        device.credentials.webAuthToken = text
        let error = try device.error(Self.lookup, in: .public)
        #expect(error?.code == .authenticationRequired)
        #expect(error?.redirectURL != nil)
    }

    @Test("A token with any byte changed is refused")
    func damagedToken() throws {
        var device = try cloud.device()
        let text = try #require(device.credentials.webAuthToken)
        let bytes = try #require(Base64.decode(text))
        for position in bytes.indices {
            var damaged = bytes
            damaged[position] ^= 1
            device.credentials.webAuthToken = Base64.encode(damaged)
            #expect(try device.error(Self.lookup)?.code == .authenticationRequired)
        }
    }

    @Test("An API token is good for its container and environment")
    func apiToken() throws {
        let token = String(repeating: "0f", count: 32)
        try cloud.server.store.control.insertAPIToken(
            APITokenRow(
                tokenHash: Identity.hash(apiToken: token), container: TestCloud.container, environment: "development",
                origins: "", note: "", created: 0, prefix: "0f0f"))
        var device = try cloud.device()
        device.credentials.apiToken = token
        #expect(try device.error(Self.lookup) == nil)
        #expect(try device.error(Self.lookup, container: "iCloud.example.other")?.code == .authenticationFailed)
        device.environment = .production
        #expect(try device.error(Self.lookup)?.code == .authenticationFailed)
    }

    @Test("A token is renewed once it has aged, and the old one stays good until it expires")
    func renewal() throws {
        var device = try cloud.device()
        let first = try #require(device.credentials.webAuthToken)
        #expect(try device.reply(Self.lookup).webAuthToken == first)
        cloud.clock.advance(milliseconds: 2 * Self.minute)
        let second = try #require(try device.reply(Self.lookup).webAuthToken)
        #expect(second != first)
        // Even an error carries it, once its bearer is known.
        #expect(try device.reply(.recordsModify(.init(operations: [.init(.update, .note("a"))]))).webAuthToken != nil)
        cloud.clock.advance(milliseconds: 14 * 24 * 60 * Self.minute - Self.minute)
        #expect(try device.error(Self.lookup)?.code == .authenticationRequired)
        device.credentials.webAuthToken = second
        #expect(try device.error(Self.lookup) == nil)
    }

    @Test("Tokens last 30 minutes, or two weeks for whoever stays signed in", arguments: [true, false])
    func expiry(keepSignedIn: Bool) throws {
        var device = cloud.visitor()
        let signedIn = try cloud.server.identity.signIn(account: "anna", password: "", keepSignedIn: keepSignedIn)
        device.credentials.webAuthToken = signedIn.webAuthToken
        let life = keepSignedIn ? 14 * 24 * 60 * Self.minute : 30 * Self.minute
        cloud.clock.advance(milliseconds: life - 1)
        #expect(try device.error(Self.lookup) == nil)
        cloud.clock.advance(milliseconds: 1)
        #expect(try device.error(Self.lookup)?.code == .authenticationRequired)
    }

    @Test("Another password signs out everywhere")
    func revoked() throws {
        let device = try cloud.device()
        let other = try cloud.device(of: "ben")
        #expect(try device.error(Self.lookup) == nil)
        let anna = try #require(try cloud.server.store.control.account(name: "anna"))
        try cloud.server.store.control.updatePassword(account: anna.id, hash: nil)
        cloud.clock.advance(milliseconds: Identity.cacheLife + 1)
        #expect(try device.error(Self.lookup)?.code == .authenticationRequired)
        #expect(try other.error(Self.lookup) == nil)
    }

    @Test("A person has one record name in a container, and another in the next")
    func userRecordName() throws {
        let name = try cloud.device().user().userRecordName
        #expect(name.wholeMatch(of: /_[0-9a-f]{32}/) != nil)
        #expect(try cloud.device().user().userRecordName == name)
        #expect(try cloud.device(of: "ben").user().userRecordName != name)
        guard
            case .success(.user(let elsewhere)) = try cloud.device().reply(
                .usersCaller, in: .public, container: "iCloud.example.other"
            ).result
        else { throw UnexpectedAnswer() }
        #expect(elsewhere.userRecordName != name)
    }

    @Test("People do not see each other's private records")
    func isolation() throws {
        try cloud.device().save(.create, .note("a"))
        let ben = try cloud.device(of: "ben")
        #expect(try ben.record("a") == nil)
        let anna = try cloud.device().user().userRecordName
        let error = try ben.lookup(["a"], in: ZoneID(ownerRecordName: anna)).first?.error
        #expect(error?.code == .zoneNotFound)
    }

    @Test("A container that nobody registered is named in the error")
    func unknownContainer() throws {
        let cloud = try TestCloud { $0.createsContainersOnFirstUse = false }
        let error = try cloud.device().error(Self.lookup)
        #expect(error?.extensionCode == .badContainer)
        #expect(error?.reason.contains(TestCloud.container) == true)
        #expect(try self.cloud.device().error(Self.lookup, container: "../etc")?.extensionCode == .badContainer)
    }

    @Test("Signing in needs the password, and guessing is slowed down")
    func password() throws {
        let cloud = try TestCloud { $0.createsAccountsOnFirstUse = false }
        let identity = cloud.server.identity
        _ = try identity.createAccount(name: "anna", password: "correct horse")
        func code(_ name: String, _ password: String) -> ServerError.Code? {
            do {
                _ = try identity.signIn(account: name, password: password, keepSignedIn: false)
                return nil
            } catch { return (error as? ServerError)?.code }
        }
        #expect(code("nobody", "x") == .authenticationFailed)
        #expect(code("anna", "correct horse") == nil)
        for _ in 0..<3 { #expect(code("anna", "x") == .authenticationFailed) }
        #expect(code("anna", "correct horse") == .throttled)
        cloud.clock.advance(milliseconds: 1000)
        #expect(code("anna", "correct horse") == nil)
        #expect(code("anna", "x") == .authenticationFailed)
    }

    @Test("An account without a password is of use in an emulator only")
    func noPassword() throws {
        let cloud = try TestCloud { $0.createsAccountsOnFirstUse = false }
        _ = try cloud.server.identity.createAccount(name: "anna", password: "")
        #expect(throws: ServerError.self) { try cloud.device(of: "anna") }
    }
}
