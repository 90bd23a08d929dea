import CloudKit
import Foundation
import Synchronization

/// All records of a zone into a device that has none.
struct InitialSync {
    let zoneID: CKRecordZone.ID

    init(_ words: ArraySlice<String>) throws {
        guard words.count == 2, let zone = words.last else { throw Misuse() }
        zoneID = CKRecordZone.ID(zoneName: zone)
    }

    func measure() async throws -> [String: Double] {
        let reader = Reader()
        var configuration = CKSyncEngine.Configuration(
            database: try Cloud.container(device: "empty").privateCloudDatabase, stateSerialization: nil,
            delegate: reader)
        configuration.automaticallySync = false
        let engine = CKSyncEngine(configuration)
        // Signs in.
        try await engine.fetchChanges(.init(scope: .zoneIDs([])))
        let start = now()
        try await engine.fetchChanges(.init(scope: .zoneIDs([zoneID])))
        return ["seconds": now() - start, "records": Double(reader.count.load(ordering: .relaxed))]
    }
}

private final class Reader: CKSyncEngineDelegate {
    let count = Atomic(0)

    func handleEvent(_ event: CKSyncEngine.Event, syncEngine: CKSyncEngine) async {
        guard case .fetchedRecordZoneChanges(let changes) = event else { return }
        // As an app does that stores them.
        let read = changes.modifications.count { modification in
            modification.record["text"] is String && modification.record["count"] is Int
        }
        count.add(read, ordering: .relaxed)
    }

    func nextRecordZoneChangeBatch(
        _ context: CKSyncEngine.SendChangesContext, syncEngine: CKSyncEngine
    ) async -> CKSyncEngine.RecordZoneChangeBatch? { nil }
}
