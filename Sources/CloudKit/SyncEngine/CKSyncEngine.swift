import Foundation
import Synchronization

/// Keeps an app's own store and one of its databases in step.
///
/// The app says what changed (`state`), gives the records when asked and stores what comes; when and how to send, to fetch
/// and to try again is the engine's affair. The engine stores nothing: the app keeps the serialization that comes with each
/// `stateUpdate`, together with its data, and hands it in at the next launch.
public final class CKSyncEngine: Sendable, CustomStringConvertible {
    public let database: CKDatabase
    public let state: State
    private let driver: SyncDriver

    public convenience init(_ configuration: Configuration) {
        self.init(configuration, surroundings: .system)
    }

    /// - Parameter surroundings: Clock and randomness, which tests hand in.
    package init(_ configuration: Configuration, surroundings: SyncSurroundings) {
        database = configuration.database
        let earlier = LivingEngines.engine(succeededBy: configuration)
        state = earlier?.state ?? State(configuration.stateSerialization)
        if earlier != nil { state.beShared() }
        driver = SyncDriver(configuration, state: state, surroundings: surroundings)
        let driver = driver
        driver.start(self)
        state.setChanged { [weak self] sends in
            guard let self else { return }
            driver.stateChanged(sends: sends, self)
        }
        LivingEngines.add(self, of: configuration.delegate)
    }

    deinit {
        driver.stop()
    }

    /// Fetches what changed on the server.
    ///
    /// Returns when the delegate has handled all of it.
    /// - Throws: `CKError`: what ended the fetch, or `.partialFailure` with the errors of single zones.
    public func fetchChanges(_ options: FetchChangesOptions = FetchChangesOptions()) async throws {
        try await driver.perform(.fetch(FetchChangesContext(reason: .manual, options: options)), self)
    }

    /// Sends what is pending.
    ///
    /// Returns when the delegate has handled what became of it.
    /// - Throws: `CKError`: what ended the send, or `.partialFailure` with the errors of single records and zones.
    public func sendChanges(_ options: SendChangesOptions = SendChangesOptions()) async throws {
        try await driver.perform(.send(SendChangesContext(reason: .manual, options: options)), self)
    }

    /// Ends whatever the engine is doing; calls of `fetchChanges` and `sendChanges` throw `.operationCancelled`. Pending
    /// changes stay pending. Returns when nothing is going on any more.
    public func cancelOperations() async {
        await driver.cancel()
    }

    /// What the engine is at, or is about to do by itself; nil also while it waits for network, account or room.
    package var activity: String? { driver.activity }

    /// Something may have changed on the server: a push came.
    package func serverMayHaveChanges() {
        driver.serverMayHaveChanges(self)
    }

    public var description: String {
        "<CKSyncEngine: database=\(database.databaseScope), container=\(database.core.identifier)>"
    }
}

extension CKSyncEngine {
    /// How an engine is set up.
    public struct Configuration: Sendable, CustomStringConvertible {
        /// The private or the shared database.
        public var database: CKDatabase
        /// What the last `stateUpdate` brought; nil at the very first launch.
        public var stateSerialization: State.Serialization?
        /// The engine does not keep it alive.
        public var delegate: any CKSyncEngineDelegate
        /// Whether the engine decides itself when to sync. Without, it does so only when it is told: for tests.
        public var automaticallySync = true
        /// A database subscription that the app made already.
        public var subscriptionID: CKSubscription.ID?

        public init(
            database: CKDatabase, stateSerialization: State.Serialization?, delegate: any CKSyncEngineDelegate
        ) {
            self.database = database
            self.stateSerialization = stateSerialization
            self.delegate = delegate
        }

        public var description: String {
            "Configuration(database: \(database.databaseScope), automaticallySync: \(automaticallySync))"
        }
    }
}

/// What an engine takes from the outside beside its database.
package struct SyncSurroundings: Sendable {
    /// Seconds on a clock that never goes back.
    package var now: @Sendable () -> Double
    package var sleep: @Sendable (_ seconds: Double) async throws -> Void
    package var seed: UInt64

    package init(
        now: @escaping @Sendable () -> Double, sleep: @escaping @Sendable (Double) async throws -> Void, seed: UInt64
    ) {
        self.now = now
        self.sleep = sleep
        self.seed = seed
    }

    package static var system: SyncSurroundings {
        let start = ContinuousClock.now
        return SyncSurroundings(
            now: { start.duration(to: .now) / .seconds(1) },
            sleep: { try await Task.sleep(for: .seconds($0)) }, seed: .random(in: 0 ... .max))
    }
}
