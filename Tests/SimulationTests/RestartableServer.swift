import CloudServer
import CloudStore
import Foundation
import SQL
import WebServices

/// A server on a folder of its own that can be closed and opened again, with a clock and chance of the simulation.
final class RestartableServer {
    static let apiToken = String(repeating: "5e", count: 32)

    private let directory: URL
    private let clock: SimulatedClock
    private let chance: SimulatedChance
    private var server: CloudServer

    init(seed: UInt64) throws {
        directory = FileManager.default.temporaryDirectory.appendingPathComponent(
            "stratus-simulation-\(UUID().uuidString)")
        clock = SimulatedClock()
        chance = SimulatedChance(seed: seed)
        server = try Self.open(directory, clock, chance)
    }

    deinit {
        server.store.close()
        try? FileManager.default.removeItem(at: directory)
    }

    var handle: CallHandler { server.handle }

    func signIn(_ user: String) throws -> String {
        try server.identity.signIn(account: user, password: "", keepSignedIn: true).webAuthToken
    }

    /// As after a kill: nothing is finished, the files are opened again.
    func restart() throws {
        server.store.close()
        server = try Self.open(directory, clock, chance)
    }

    /// A year passes, and the maintenance does its work.
    func expireTombstones() throws {
        clock.advance(milliseconds: server.configuration.tombstoneLife + 1000)
        let container = try server.store.container(World.container, "development", create: false)
        while try container?.runMaintenanceStep(
            now: clock.now(), tombstoneLife: server.configuration.tombstoneLife) == true
        {}
    }

    private static func open(_ directory: URL, _ clock: SimulatedClock, _ chance: SimulatedChance) throws -> CloudServer
    {
        var options = StoreOptions()
        options.execution = .inline
        // Power loss is the crash tests' matter; here only the order of things counts.
        options.synchronous = .off
        var configuration = ServerConfiguration.emulator(apiToken: apiToken)
        // Tokens outlive the simulated years.
        configuration.tokenLife.keptSignedIn = .max / 4
        configuration.tokenLife.sessionKeptSignedIn = .max / 4
        return try CloudServer(
            store: try CloudStore(directory: directory, options: options), configuration: configuration,
            clock: ServerClock(now: clock.now), random: RandomSource(bytes: chance.bytes))
    }
}

/// Time that passes by a millisecond at each look, and when it is told to.
final class SimulatedClock: @unchecked Sendable {
    // Unchecked: the simulation has one thread.
    private var milliseconds: Int64 = 1_700_000_000_000

    @Sendable func now() -> Int64 {
        milliseconds += 1
        return milliseconds
    }

    func advance(milliseconds more: Int64) {
        milliseconds += more
    }
}

final class SimulatedChance: @unchecked Sendable {
    // Unchecked: the simulation has one thread.
    private var generator: SeededGenerator

    init(seed: UInt64) {
        generator = SeededGenerator(seed: ~seed)
    }

    @Sendable func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
    }
}
