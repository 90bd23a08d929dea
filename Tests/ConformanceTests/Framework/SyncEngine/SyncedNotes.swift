import CloudKit
import CloudKitTesting
import Foundation
import Synchronization

/// An app that keeps titled notes in step by an engine: its store, its answers, what it was told.
final class SyncedNotes: CKSyncEngineDelegate {
    struct Store: Sendable {
        var titles: [CKRecord.ID: String] = [:]
        /// The server's state of each record, without values.
        var known: [CKRecord.ID: CKRecord] = [:]
        var state: Data?
        /// Records that a reading from the beginning, begun after the server had lost track, has not shown yet.
        var unconfirmed: Set<CKRecord.ID>?
    }
    struct Told: Sendable {
        var events: [String] = []
        var accountChanges: [CKSyncEngine.Event.AccountChange.ChangeType] = []
        var zoneDeletions: [CKDatabase.DatabaseChange.Deletion] = []
    }

    static let zoneID = CKRecordZone.ID(zoneName: "Notes")
    private let store: Mutex<Store>
    private let told = Mutex(Told())
    private let listener = Mutex<(@Sendable (CKSyncEngine.Event) -> Void)?>(nil)
    private let isAtomic: Bool

    init(_ store: Store = Store(), isAtomic: Bool = false) {
        self.store = Mutex(store)
        self.isAtomic = isAtomic
    }

    /// What would be on the disk after a crash.
    var stored: Store { store.withLock { $0 } }
    var titles: [String: String] {
        store.withLock { Dictionary(uniqueKeysWithValues: $0.titles.map { ($0.key.recordName, $0.value) }) }
    }
    var events: [String] { told.withLock { $0.events } }
    var accountChanges: [CKSyncEngine.Event.AccountChange.ChangeType] { told.withLock { $0.accountChanges } }
    var zoneDeletions: [CKDatabase.DatabaseChange.Deletion] { told.withLock { $0.zoneDeletions } }

    func listen(_ body: @escaping @Sendable (CKSyncEngine.Event) -> Void) {
        listener.withLock { $0 = body }
    }

    func engine(_ database: CKDatabase, automatically: Bool = false) throws -> CKSyncEngine {
        let state = try stored.state.map { try JSONDecoder().decode(CKSyncEngine.State.Serialization.self, from: $0) }
        var configuration = CKSyncEngine.Configuration(database: database, stateSerialization: state, delegate: self)
        configuration.automaticallySync = automatically
        return CKSyncEngine(configuration)
    }

    func write(_ titles: [String: String], _ engine: CKSyncEngine) {
        let changes = titles.map { (CKRecord.ID($0.key, Self.zoneID), $0.value) }
        store.withLock { store in
            for (recordID, title) in changes { store.titles[recordID] = title }
        }
        engine.state.add(pendingRecordZoneChanges: changes.map { .saveRecord($0.0) })
    }

    func erase(_ name: String, _ engine: CKSyncEngine) {
        let recordID = CKRecord.ID(name, Self.zoneID)
        store.withLock { store in
            store.titles[recordID] = nil
            store.known[recordID] = nil
        }
        engine.state.add(pendingRecordZoneChanges: [.deleteRecord(recordID)])
    }

    // MARK: The delegate

    func handleEvent(_ event: CKSyncEngine.Event, syncEngine: CKSyncEngine) async {
        told.withLock { $0.events.append(String(event.description.prefix { $0 != "(" })) }
        switch event {
        case .stateUpdate(let update):
            let data = try? JSONEncoder().encode(update.stateSerialization)
            store.withLock { $0.state = data }
        case .accountChange(let change):
            told.withLock { $0.accountChanges.append(change.changeType) }
            if case .signIn = change.changeType {
                syncEngine.state.add(pendingDatabaseChanges: [.saveZone(CKRecordZone(zoneID: Self.zoneID))])
            } else {
                store.withLock { $0 = Store(state: $0.state) }
            }
        case .fetchedDatabaseChanges(let changes):
            told.withLock { $0.zoneDeletions += changes.deletions }
            if changes.deletions.contains(where: { $0.zoneID == Self.zoneID }) {
                store.withLock { $0 = Store(state: $0.state) }
            }
        case .fetchedRecordZoneChanges(let changes):
            let pending = Set(syncEngine.state.pendingRecordZoneChanges)
            store.withLock { store in
                for change in changes.modifications {
                    // What was written here since goes on top of it.
                    let isEdited = pending.contains(.saveRecord(change.record.recordID))
                    store.learn(change.record, keepsTitle: isEdited)
                    store.unconfirmed?.remove(change.record.recordID)
                }
                for deletion in changes.deletions {
                    store.titles[deletion.recordID] = nil
                    store.known[deletion.recordID] = nil
                }
            }
        case .didFetchRecordZoneChanges(let did):
            store.withLock { store in
                if did.error?.code == .changeTokenExpired {
                    store.unconfirmed = Set(store.known.keys)
                } else if did.error == nil, let gone = store.unconfirmed {
                    for recordID in gone {
                        store.known[recordID] = nil
                        store.titles[recordID] = nil
                    }
                    store.unconfirmed = nil
                }
            }
        case .sentRecordZoneChanges(let sent):
            sentRecords(sent, syncEngine)
        default: break
        }
        listener.withLock { $0 }?(event)
    }

    private func sentRecords(_ sent: CKSyncEngine.Event.SentRecordZoneChanges, _ engine: CKSyncEngine) {
        var again: [CKSyncEngine.PendingRecordZoneChange] = []
        store.withLock { store in
            for record in sent.savedRecords { store.known[record.recordID] = record }
            for failure in sent.failedRecordSaves {
                let recordID = failure.record.recordID
                switch failure.error.code {
                case .serverRecordChanged:
                    // The larger title wins, so that all devices agree.
                    guard let server = failure.error.serverRecord else { continue }
                    let mine = store.titles[recordID] ?? ""
                    store.learn(server)
                    if mine > store.titles[recordID] ?? "" {
                        store.titles[recordID] = mine
                        again.append(.saveRecord(recordID))
                    }
                case .zoneNotFound, .unknownItem:
                    store.known[recordID] = nil
                    again.append(.saveRecord(recordID))
                default: break
                }
            }
        }
        if sent.failedRecordSaves.contains(where: { $0.error.code == .zoneNotFound }) {
            engine.state.add(pendingDatabaseChanges: [.saveZone(CKRecordZone(zoneID: Self.zoneID))])
        }
        engine.state.add(pendingRecordZoneChanges: again)
    }

    func nextRecordZoneChangeBatch(
        _ context: CKSyncEngine.SendChangesContext, syncEngine: CKSyncEngine
    ) async -> CKSyncEngine.RecordZoneChangeBatch? {
        let changes = syncEngine.state.pendingRecordZoneChanges.filter { context.options.scope.contains($0) }
        let now = stored
        var batch = await CKSyncEngine.RecordZoneChangeBatch(pendingChanges: changes) { recordID in
            guard let title = now.titles[recordID] else { return nil }
            let record =
                now.known[recordID]?.copy() as? CKRecord ?? CKRecord(recordType: "Note", recordID: recordID)
            record["title"] = title
            return record
        }
        batch?.atomicByZone = isAtomic
        return batch
    }
}

extension SyncedNotes.Store {
    mutating func learn(_ record: CKRecord, keepsTitle: Bool = false) {
        known[record.recordID] = record
        if !keepsTitle { titles[record.recordID] = record["title"] }
    }
}
