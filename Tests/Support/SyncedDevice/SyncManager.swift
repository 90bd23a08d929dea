import CloudKit
import Foundation

/// The app's store and its engine.
// Unchecked: what is stored is behind the lock, the engine is set once.
final class SyncManager: CKSyncEngineDelegate, @unchecked Sendable {
    private struct Stored: Codable {
        var titles: [String: String] = [:]
        /// The server's record of each note, archived.
        var records: [String: Data] = [:]
        var state: CKSyncEngine.State.Serialization?
    }

    static let zone = CKRecordZone(zoneName: "Notes")

    private let file: URL
    private let lock = NSLock()
    private var unlocked: Stored
    private var stored: Stored {
        lock.lock()
        defer { lock.unlock() }
        return unlocked
    }
    private(set) var syncEngine: CKSyncEngine!

    init(file: URL) {
        self.file = file
        let data = try? Data(contentsOf: file)
        unlocked = data.flatMap { try? JSONDecoder().decode(Stored.self, from: $0) } ?? Stored()
        var configuration = CKSyncEngine.Configuration(
            database: CKContainer.default().privateCloudDatabase, stateSerialization: unlocked.state, delegate: self)
        configuration.automaticallySync = false
        syncEngine = CKSyncEngine(configuration)
    }

    private func change(_ body: (inout Stored) -> Void) {
        lock.lock()
        defer { lock.unlock() }
        body(&unlocked)
    }

    func save() {
        do {
            try JSONEncoder().encode(stored).write(to: file, options: .atomic)
        } catch {
            print("not stored: \(error)")
        }
    }

    func write(_ name: String, _ title: String) {
        change { $0.titles[name] = title }
        syncEngine.state.add(pendingRecordZoneChanges: [.saveRecord(recordID(name))])
    }

    func delete(_ name: String) {
        change { stored in
            stored.titles[name] = nil
            stored.records[name] = nil
        }
        syncEngine.state.add(pendingRecordZoneChanges: [.deleteRecord(recordID(name))])
    }

    /// Sends until nothing is pending: what the app resolves after a conflict goes in the next send.
    func send() async throws {
        for _ in 0..<3 {
            do {
                try await syncEngine.sendChanges()
            } catch let error as CKError where error.code == .partialFailure {
                continue
            }
        }
        if !syncEngine.state.pendingRecordZoneChanges.isEmpty { throw CKError(.partialFailure) }
    }

    /// The notes with all their fields.
    var description: String {
        var notes: [String: [String: Any]] = [:]
        for (name, data) in stored.records {
            guard let record = record(data) else { continue }
            var fields: [String: Any] = ["type": record.recordType]
            for key in record.allKeys() {
                switch record[key] {
                case let value as String: fields[key] = value
                case let value as Date: fields[key] = (value.timeIntervalSince1970 * 1000).rounded()
                case let value as Data: fields[key] = value.base64EncodedString()
                case let value as [String]: fields[key] = value
                case let value as CKRecord.Reference: fields[key] = value.recordID.recordName
                case let value as NSNumber: fields[key] = value
                default: fields[key] = "?"
                }
            }
            notes[name] = fields
        }
        let data = try? JSONSerialization.data(withJSONObject: notes, options: [.sortedKeys])
        return data.map { String(decoding: $0, as: UTF8.self) } ?? "?"
    }

    private func recordID(_ name: String) -> CKRecord.ID {
        CKRecord.ID(recordName: name, zoneID: SyncManager.zone.zoneID)
    }

    private func record(_ data: Data) -> CKRecord? {
        try? NSKeyedUnarchiver.unarchivedObject(ofClass: CKRecord.self, from: data)
    }

    private func keep(_ record: CKRecord) {
        let name = record.recordID.recordName
        let data = try? NSKeyedArchiver.archivedData(withRootObject: record, requiringSecureCoding: true)
        change { stored in
            stored.records[name] = data
            stored.titles[name] = record["title"] as? String
        }
    }

    // MARK: CKSyncEngineDelegate

    func handleEvent(_ event: CKSyncEngine.Event, syncEngine: CKSyncEngine) async {
        switch event {
        case .stateUpdate(let update):
            change { $0.state = update.stateSerialization }
        case .accountChange(let change):
            if case .signIn = change.changeType {
                syncEngine.state.add(pendingDatabaseChanges: [.saveZone(SyncManager.zone)])
            }
        case .fetchedRecordZoneChanges(let changes):
            for modification in changes.modifications { keep(modification.record) }
            for deletion in changes.deletions {
                change { stored in
                    stored.records[deletion.recordID.recordName] = nil
                    stored.titles[deletion.recordID.recordName] = nil
                }
            }
        case .sentRecordZoneChanges(let sent):
            for record in sent.savedRecords { keep(record) }
            for failed in sent.failedRecordSaves {
                guard failed.error.code == .serverRecordChanged, let server = failed.error.serverRecord else {
                    continue
                }
                // What was typed here wins; the server's other fields stay.
                let title = stored.titles[server.recordID.recordName]
                keep(server)
                change { $0.titles[server.recordID.recordName] = title }
                syncEngine.state.add(pendingRecordZoneChanges: [.saveRecord(server.recordID)])
            }
        default:
            break
        }
    }

    func nextRecordZoneChangeBatch(
        _ context: CKSyncEngine.SendChangesContext, syncEngine: CKSyncEngine
    ) async -> CKSyncEngine.RecordZoneChangeBatch? {
        let changes = syncEngine.state.pendingRecordZoneChanges.filter { context.options.scope.contains($0) }
        let stored = self.stored
        return await CKSyncEngine.RecordZoneChangeBatch(pendingChanges: changes) { recordID in
            guard let title = stored.titles[recordID.recordName] else { return nil }
            let known = stored.records[recordID.recordName].flatMap { self.record($0) }
            let record = known ?? CKRecord(recordType: "Note", recordID: recordID)
            record["title"] = title as CKRecordValue
            record["length"] = title.count as CKRecordValue
            record["written"] = Date(timeIntervalSince1970: 1_700_000_000.5) as CKRecordValue
            record["tags"] = ["swift", "foreign"] as CKRecordValue
            return record
        }
    }
}
