import CloudKit
import CloudServer
import CloudStore
import Dispatch
import Foundation
import Synchronization
import WebServices

/// A cloud inside the test's process: a whole Stratus server over a store in memory.
///
/// Containers, record types and fields come into being when they are first used, and so do accounts. Every cloud is a
/// world of its own, so tests can run side by side.
public final class Cloud: Sendable {
    /// The time that the server sees.
    public let clock: TestClock
    package let host: ServerHost
    private let devices = Mutex(0)

    /// - Parameters:
    ///   - seed: Makes the server's random choices (change tags, names, tokens) repeatable.
    ///   - clock: Handed in where several clouds share one.
    public convenience init(seed: UInt64 = 0, clock: TestClock = TestClock()) throws {
        try self.init(seed: seed, clock: clock) { _ in }
    }

    /// A cloud whose server is set up otherwise: with smaller limits or a quota.
    package init(seed: UInt64 = 0, clock: TestClock = TestClock(), configure: (inout ServerConfiguration) -> Void)
        throws
    {
        self.clock = clock
        let random = SeededRandom(seed: seed)
        apiToken = Hex.encode(random.bytes(32))
        var configuration = ServerConfiguration.emulator(apiToken: apiToken)
        configure(&configuration)
        var options = StoreOptions()
        options.now = { clock.milliseconds }
        let server = try CloudServer(
            store: CloudStore.inMemory(options: options), configuration: configuration,
            clock: ServerClock(now: { clock.tick() }), random: RandomSource(bytes: random.bytes), log: .silent,
            encryptionKeys: EncryptionKeys(inMemory: RandomSource(bytes: random.bytes)))
        host = ServerHost(server)
    }

    package var server: CloudServer { host.server }

    /// A new device.
    ///
    /// - Parameter account: Whoever is signed in; nil nobody. An account needs no password and need not exist before.
    public func device(account: String? = nil) -> Device {
        Device(name: nextName(), account: account, cloud: self, transport: inProcessTransport)
    }

    /// Answers over HTTP too, on this machine only: for devices in other processes, and for other clients.
    ///
    /// - Returns: What those set as `STRATUS_URL`, beside `STRATUS_API_TOKEN`.
    public func serve() throws -> URL {
        try host.serve()
    }

    /// Admits clients that come over HTTP.
    public let apiToken: String

    /// Does now what a server does in the background: deleted zones and old deletions go for good.
    package func runMaintenance() throws {
        while try server.maintenanceStep() {}
    }

    /// A device that reaches this cloud over HTTP.
    package func deviceOverHTTP(account: String?) throws -> Device {
        Device(name: nextName(), account: account, cloud: self, transport: HTTPTransport(root: try serve()))
    }

    private func nextName() -> String {
        let number = devices.withLock { count in
            count += 1
            return count
        }
        return "device-\(number)"
    }

    package var inProcessTransport: InProcessTransport {
        let host = host
        return InProcessTransport(
            // Off the tasks' own threads: the store's calls block.
            handler: { call, respond in host.queue.async { host.server.handle(call, respond: respond) } },
            signIn: { account, password in
                do {
                    return .success(
                        try host.server.identity.signIn(account: account, password: password, keepSignedIn: true)
                            .webAuthToken)
                } catch {
                    return .failure(error as? ServerError ?? ServerError(.internalError, String(describing: error)))
                }
            },
            files: InProcessTransport.Files(
                send: { file, url, progress in host.server.receiveFile(at: file, sentTo: url, progress: progress) },
                fetch: { url, file, progress in host.server.sendFile(from: url, to: file, progress: progress) }))
    }
}

/// A repeatable source of random bytes.
private final class SeededRandom: Sendable {
    private let state: Mutex<UInt64>

    init(seed: UInt64) {
        state = Mutex(seed)
    }

    @Sendable func bytes(_ count: Int) -> [UInt8] {
        state.withLock { state in
            (0..<count).map { _ in
                // SplitMix64.
                state &+= 0x9E37_79B9_7F4A_7C15
                var word = state
                word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
                word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
                return UInt8(truncatingIfNeeded: word ^ (word >> 31))
            }
        }
    }
}
