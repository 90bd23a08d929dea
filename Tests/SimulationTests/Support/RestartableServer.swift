import CloudStore
import Foundation
import SQL
import WebServices

@testable import CloudServer

/// A server on a folder of its own that can be closed and opened again, with a clock and chance of the simulation.
final class RestartableServer {
    static let apiToken = String(repeating: "5e", count: 32)

    /// What an operator may change from one start to the next.
    struct Settings {
        /// Items of one request; nil is what a server usually takes.
        var items: Int?
        var quota: Int64?
    }

    private let home: URL
    private var directory: URL
    private let clock: SimulatedClock
    private let chance: SimulatedChance
    private let keys: EncryptionKeys
    private var restores = 0
    private(set) var settings = Settings()
    private(set) var server: CloudServer

    init(seed: UInt64) throws {
        home = Self.folder.appendingPathComponent("stratus-simulation-\(UUID().uuidString)")
        directory = home.appendingPathComponent("0")
        clock = SimulatedClock()
        chance = SimulatedChance(seed: seed)
        keys = try EncryptionKeys(inMemory: RandomSource(bytes: chance.bytes))
        try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
        server = try Self.open(directory, Settings(), clock, chance, keys)
    }

    /// In memory where the system has such a place: of a simulated second most would be spent on waiting for a disk.
    private static let folder: URL = {
        let memory = "/dev/shm"
        return FileManager.default.isWritableFile(atPath: memory)
            ? URL(fileURLWithPath: memory) : FileManager.default.temporaryDirectory
    }()

    deinit {
        server.push.stop()
        server.store.close()
        try? FileManager.default.removeItem(at: home)
    }

    var handle: CallHandler { server.handle }

    func signIn(_ user: String) throws -> String {
        try server.identity.signIn(account: user, password: "", keepSignedIn: true).webAuthToken
    }

    /// As after a kill: nothing is finished, the files are opened again.
    func restart(_ change: (inout Settings) -> Void = { _ in }) throws {
        change(&settings)
        close()
        server = try Self.open(directory, settings, clock, chance, keys)
    }

    private func close() {
        server.push.stop()
        server.store.close()
    }

    /// A year passes, and the maintenance does its work.
    func expireTombstones() throws {
        clock.advance(milliseconds: server.configuration.tombstoneLife + 1000)
        let container = try server.store.container(World.container, "development", create: false)
        while try container?.runMaintenanceStep(
            now: clock.now(), tombstoneLife: server.configuration.tombstoneLife) == true
        {}
    }

    /// A zone goes without its devices' doing.
    ///
    /// - Returns: Whether it was there.
    func removeZone(owner: String, name: String, reason: ZoneDeletionReason) throws -> Bool {
        let key = ZoneKey(scope: .private, owner: owner, name: name)
        let now = clock.now()
        let container = try server.store.container(World.container, "development", create: false)
        return try container?.writeAndWait { writer in
            guard let row = try writer.zone(key) else { return false }
            try writer.deleteZone(row, reason: reason.rawValue, at: now)
            return true
        } ?? false
    }

    /// All of an account goes, or what is encrypted of it.
    ///
    /// - Returns: The zones that went.
    func erase(_ account: String, _ removal: EngineAction.Removal) throws -> [String] {
        let erased =
            switch removal {
            case .encryptedDataReset: try server.resetEncryptedData(ofAccount: account, in: World.container)
            case .deleted, .purged: try server.erase(account: account, in: World.container)
            }
        return erased.flatMap(\.zones)
    }

    /// The sums that quotas are judged by are those of the records that are there.
    func checkCounts(owner: String) throws {
        let container = try server.store.container(World.container, "development", create: false)
        try container?.read { reader in
            var used: Int64 = 0
            for zone in try reader.zones(scope: .private, owner: owner) {
                var (records, bytes): (Int64, Int64) = (0, 0)
                try reader.changes(zone: zone.id, after: 0, limit: .max) { row in
                    if !row.deleted { records += 1 }
                    bytes += ZoneBatchAttempt.size(row)
                    return true
                }
                let sums = try reader.zone(id: zone.id)
                guard sums?.recordCount == records, sums?.byteCount == bytes else {
                    throw Violation("\(zone.key.name) has \(records) records, \(bytes) bytes, and counts \(zone)")
                }
                used += bytes
            }
            let usage = try reader.ownerUsage(scope: .private, owner: owner)
            guard usage == used else { throw Violation("\(owner) uses \(used) bytes, and the server counts \(usage)") }
        }
    }

    // MARK: Backups

    /// The newest backup replaces the one before.
    func backUp() throws {
        let backup = home.appendingPathComponent("backup")
        try? FileManager.default.removeItem(at: backup)
        try server.store.backup(to: backup)
    }

    /// The server goes on as it was at the last backup.
    func restore() throws {
        close()
        restores += 1
        // It takes its time; restores are told apart by the second.
        clock.advance(milliseconds: 2000)
        let restored = home.appendingPathComponent("\(restores)")
        try CloudStore.restore(
            from: home.appendingPathComponent("backup"), to: restored, options: Self.options(clock))
        try? FileManager.default.removeItem(at: directory)
        directory = restored
        server = try Self.open(directory, settings, clock, chance, keys)
    }

    private static func options(_ clock: SimulatedClock) -> StoreOptions {
        var options = StoreOptions()
        options.execution = .inline
        // Power loss is the crash tests' matter; here only the order of things counts.
        options.synchronous = .off
        options.now = clock.now
        return options
    }

    private static func open(
        _ directory: URL, _ settings: Settings, _ clock: SimulatedClock, _ chance: SimulatedChance,
        _ keys: EncryptionKeys
    ) throws -> CloudServer {
        var configuration = ServerConfiguration.emulator(apiToken: apiToken)
        // Tokens outlive the simulated years, and no poll ends by a real clock.
        configuration.tokenLife.keptSignedIn = .max / 4
        configuration.tokenLife.sessionKeptSignedIn = .max / 4
        configuration.push.pollLife = .seconds(24 * 3600)
        configuration.push.memory = .seconds(24 * 3600)
        if let items = settings.items { configuration.nativeLimits.items = items }
        configuration.accountQuota = settings.quota
        return try CloudServer(
            store: try CloudStore(directory: directory, options: options(clock)), configuration: configuration,
            clock: ServerClock(now: clock.now), random: RandomSource(bytes: chance.bytes),
            encryptionKeys: keys)
    }
}

/// Time that passes by a millisecond at each look, and when it is told to.
final class SimulatedClock: @unchecked Sendable {
    // Unchecked: the simulation has one thread.
    private var milliseconds: Int64 = 1_800_000_000_000

    @Sendable func now() -> Int64 {
        milliseconds += 1
        return milliseconds
    }

    func advance(milliseconds more: Int64) {
        milliseconds += more
    }
}

final class SimulatedChance: @unchecked Sendable {
    // Unchecked: one thing happens after another, also where the hub of pushes has its turn on another thread.
    private var generator: SeededGenerator

    init(seed: UInt64) {
        generator = SeededGenerator(seed: ~seed)
    }

    @Sendable func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
    }
}
