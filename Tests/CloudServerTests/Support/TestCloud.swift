import CloudStore
import Synchronization
import Testing
import WebServices

@testable import CloudServer

/// A cloud in memory where everything happens on the test's own thread, with a clock that the test turns.
final class TestCloud: Sendable {
    static let container = "iCloud.example.notes"
    static let apiToken = String(repeating: "ab", count: 32)

    let server: CloudServer
    let clock: TestClock

    /// - Parameter time: in place of the clock that the test turns.
    init(
        store: CloudStore? = nil, time: ServerClock? = nil, _ configure: (inout ServerConfiguration) -> Void = { _ in }
    ) throws {
        var configuration = ServerConfiguration.emulator(apiToken: Self.apiToken)
        configuration.publicURL = "https://cloud.example"
        configure(&configuration)
        let clock = TestClock()
        self.clock = clock
        server = try CloudServer(
            store: try store ?? CloudStore.inMemory(options: StoreOptions(execution: .inline)),
            configuration: configuration,
            clock: time ?? ServerClock(now: { clock.now }), random: .seeded(1), log: .silent,
            encryptionKeys: EncryptionKeys(inMemory: .seeded(2)))
    }

    /// A device of a person, who signs in.
    func device(
        of account: String = "anna", native: Bool = false, environment: CloudEnvironment = .development
    ) throws -> TestDevice {
        let signedIn = try server.identity.signIn(account: account, password: "", keepSignedIn: true)
        return TestDevice(
            cloud: self, credentials: Credentials(apiToken: Self.apiToken, webAuthToken: signedIn.webAuthToken),
            client: native ? .native(deviceID: "device-1") : .webServices, environment: environment)
    }

    /// A client with an API token and nobody signed in.
    func visitor() -> TestDevice {
        TestDevice(
            cloud: self, credentials: Credentials(apiToken: Self.apiToken), client: .webServices,
            environment: .development)
    }
}

/// Stands still unless it is moved.
final class TestClock: Sendable {
    private let time = Mutex<Int64>(1_800_000_000_000)

    var now: Int64 { time.withLock { $0 } }

    func advance(milliseconds: Int64) {
        time.withLock { $0 += milliseconds }
    }
}

extension RandomSource {
    /// Repeatable bytes.
    static func seeded(_ seed: UInt64) -> RandomSource {
        let state = SeededState(seed)
        return RandomSource { count in
            state.value.withLock { state in
                (0..<count).map { _ in
                    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                    return UInt8(truncatingIfNeeded: state >> 33)
                }
            }
        }
    }

    private final class SeededState: Sendable {
        let value: Mutex<UInt64>
        init(_ seed: UInt64) { value = Mutex(seed) }
    }
}

/// Makes calls with one set of credentials.
struct TestDevice: Sendable {
    let cloud: TestCloud
    var credentials: Credentials
    var client: ClientKind
    var environment: CloudEnvironment

    func reply(
        _ operation: ServerOperation, in database: DatabaseScope = .private,
        container: String = TestCloud.container, wantsSyncToken: Bool = false
    ) throws -> Reply {
        let box = ReplyBox()
        cloud.server.handle(
            Call(
                container: container, environment: environment, database: database, credentials: credentials,
                client: client, operation: operation, wantsSyncToken: wantsSyncToken)
        ) { box.set($0) }
        return try #require(box.reply, "the call was not answered")
    }

    func answer(_ operation: ServerOperation, in database: DatabaseScope = .private) throws -> Answer {
        try reply(operation, in: database).result.get()
    }

    /// The error of the whole request.
    func error(
        _ operation: ServerOperation, in database: DatabaseScope = .private,
        container: String = TestCloud.container
    ) throws -> ServerError? {
        if case .failure(let error) = try reply(operation, in: database, container: container).result {
            error
        } else {
            nil
        }
    }

    private final class ReplyBox: Sendable {
        private let value = Mutex<Reply?>(nil)
        var reply: Reply? { value.withLock { $0 } }
        func set(_ reply: Reply) { value.withLock { $0 = reply } }
    }
}

/// Foundation has an `Operation` as well.
typealias ServerOperation = WebServices.Operation
