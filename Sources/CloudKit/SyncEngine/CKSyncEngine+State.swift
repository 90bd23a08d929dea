import Foundation
import Synchronization

extension CKSyncEngine {
    /// What is to be sent, and what the engine knows is to be fetched. May be changed from any thread, also while an
    /// event is handled.
    public final class State: Sendable {
        private let stored: Mutex<Stored>
        /// Told after every change made from outside.
        private let changed = Mutex<(@Sendable (_ sends: Bool) -> Void)?>(nil)

        struct Stored: Sendable {
            var contents = StateContents()
            /// Raised by each change, so that a state is told apart from one already handed out.
            var revision: UInt64 = 0
            var handedOut: UInt64 = 0
            var untrackedRevision: UInt64 = 0
            /// The newest state that the app can have stored: the last one handed out, or the one that it came with.
            var newest: Serialization.Identity?
            /// Whether an engine that was made anew goes on with it while the one before may still be at work.
            var isShared = false
        }

        init(_ serialization: Serialization?) {
            stored = Mutex(
                Stored(contents: serialization?.contents ?? StateContents(), newest: serialization?.identity))
        }

        /// The records to be sent, each once, in the order in which they were added.
        public var pendingRecordZoneChanges: [PendingRecordZoneChange] {
            stored.withLock { $0.contents.records.changes }
        }

        /// The zones to be sent.
        public var pendingDatabaseChanges: [PendingDatabaseChange] {
            stored.withLock { $0.contents.zones.changes }
        }

        /// Whether the app has changes to send that are not in `pendingRecordZoneChanges`: the engine then asks its
        /// delegate for batches. The engine sets it back once the delegate had none left.
        public var hasPendingUntrackedChanges: Bool {
            get { stored.withLock { $0.contents.hasUntrackedChanges } }
            set {
                change(sends: newValue) { stored in
                    stored.contents.hasUntrackedChanges = newValue
                    stored.untrackedRevision &+= 1
                }
            }
        }

        /// Zones with changes that the engine knows of and has not fetched yet.
        public var zoneIDsWithUnfetchedServerChanges: [CKRecordZone.ID] {
            stored.withLock { $0.contents.progress.unfetchedZoneIDs }
        }

        /// Adds records to be sent. Of one record only the last change stays.
        public func add(pendingRecordZoneChanges: [PendingRecordZoneChange]) {
            guard !pendingRecordZoneChanges.isEmpty else { return }
            change(sends: true) { stored in
                for change in pendingRecordZoneChanges { stored.contents.records.add(change) }
            }
        }

        public func remove(pendingRecordZoneChanges: [PendingRecordZoneChange]) {
            guard !pendingRecordZoneChanges.isEmpty else { return }
            change(sends: false) { stored in
                for change in pendingRecordZoneChanges { stored.contents.records.remove(change) }
            }
        }

        /// Adds zones to be sent. Of one zone only the last change stays.
        public func add(pendingDatabaseChanges: [PendingDatabaseChange]) {
            guard !pendingDatabaseChanges.isEmpty else { return }
            change(sends: true) { stored in
                for change in pendingDatabaseChanges { stored.contents.zones.add(change) }
            }
        }

        public func remove(pendingDatabaseChanges: [PendingDatabaseChange]) {
            guard !pendingDatabaseChanges.isEmpty else { return }
            change(sends: false) { stored in
                for change in pendingDatabaseChanges { stored.contents.zones.remove(change) }
            }
        }

        private func change(sends: Bool, _ body: (inout Stored) -> Void) {
            stored.withLock { stored in
                body(&stored)
                stored.revision &+= 1
            }
            changed.withLock { $0 }?(sends)
        }

        // MARK: For the engine

        func setChanged(_ handler: (@Sendable (Bool) -> Void)?) {
            changed.withLock { $0 = handler }
        }

        /// Changes the contents on the engine's behalf.
        func update<Value: Sendable>(_ body: (inout Stored) -> Value) -> Value {
            stored.withLock { stored in
                stored.revision &+= 1
                return body(&stored)
            }
        }

        func read<Value: Sendable>(_ body: (inout Stored) -> Value) -> Value {
            stored.withLock { body(&$0) }
        }

        /// The state to be stored; nil where the last one handed out still holds.
        func nextSerialization() -> Serialization? {
            stored.withLock { stored in
                guard stored.revision != stored.handedOut else { return nil }
                stored.handedOut = stored.revision
                let serialization = Serialization(stored.contents)
                stored.newest = serialization.identity
                return serialization
            }
        }

        /// Another engine has it too.
        func beShared() { update { $0.isShared = true } }
    }
}

/// Everything that an engine needs to go on after a restart.
struct StateContents: Sendable {
    var progress = SyncProgress()
    var records = PendingQueue<CKSyncEngine.PendingRecordZoneChange>()
    var zones = PendingQueue<CKSyncEngine.PendingDatabaseChange>()
    var hasUntrackedChanges = false
}
