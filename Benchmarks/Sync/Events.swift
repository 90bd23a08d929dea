import CloudKit
import Foundation

/// From the save on one device to the event that brings the record, on others.
struct Events {
    static let zoneID = CKRecordZone.ID(zoneName: "Events")
    let rounds: Rounds

    init(_ words: ArraySlice<String>) throws {
        rounds = try Rounds(words.dropFirst())
    }

    func measure() async throws -> [String: Double] {
        let arrivals = Arrivals()
        let watchers = try (0..<rounds.devices).map { number in
            let watcher = Watcher(arrivals)
            watcher.start(try Cloud.container(device: "watcher-\(number)").privateCloudDatabase)
            return watcher
        }
        let database = try Cloud.container(device: "saver").privateCloudDatabase
        // Until every device has its account, its subscription and its poll.
        var warmUps = 0
        while true {
            do {
                _ = try await round("warm-up-\(warmUps)", database, arrivals, within: 5)
                if warmUps >= 3 { break }
            } catch is Arrivals.Missing where warmUps < 20 {}
            warmUps += 1
        }
        var times: [Double] = []
        for number in 0..<rounds.count {
            try await Task.sleep(for: .seconds(rounds.pause))
            times += try await round("event-\(number)", database, arrivals, within: 30)
        }
        withExtendedLifetime(watchers) {}
        return summary(times)
    }

    private func round(
        _ name: String, _ database: CKDatabase, _ arrivals: Arrivals, within seconds: Double
    ) async throws -> [Double] {
        let unique = "\(name)-\(UUID().uuidString)"
        let record = CKRecord(
            recordType: "Item", recordID: CKRecord.ID(recordName: unique, zoneID: Self.zoneID))
        record["text"] = "A short text, as an edit of a note is"
        record["count"] = 1
        arrivals.expect(unique, count: rounds.devices)
        let start = now()
        _ = try await database.save(record)
        return try await arrivals.all(within: seconds).map { $0 - start }
    }
}

/// A device on which an app listens.
final class Watcher: CKSyncEngineDelegate {
    private let arrivals: Arrivals
    private nonisolated(unsafe) var engine: CKSyncEngine?  // set once, before anybody else knows the object

    init(_ arrivals: Arrivals) {
        self.arrivals = arrivals
    }

    func start(_ database: CKDatabase) {
        engine = CKSyncEngine(.init(database: database, stateSerialization: nil, delegate: self))
    }

    func handleEvent(_ event: CKSyncEngine.Event, syncEngine: CKSyncEngine) async {
        guard case .fetchedRecordZoneChanges(let changes) = event else { return }
        for modification in changes.modifications { arrivals.add(modification.record.recordID.recordName) }
    }

    func nextRecordZoneChangeBatch(
        _ context: CKSyncEngine.SendChangesContext, syncEngine: CKSyncEngine
    ) async -> CKSyncEngine.RecordZoneChangeBatch? { nil }
}
