import Foundation
import Testing

@testable import CloudKit

@Suite("Pending changes") struct PendingQueueTests {
    typealias Change = CKSyncEngine.PendingRecordZoneChange
    private static func id(_ name: String) -> CKRecord.ID {
        CKRecord.ID(recordName: name, zoneID: CKRecordZone.ID(zoneName: "Notes"))
    }
    private let a = id("a")
    private let b = id("b")

    @Test("The same change added again keeps its place")
    func same() {
        var queue = PendingQueue<Change>([.saveRecord(a), .saveRecord(b), .saveRecord(a)])
        #expect(queue.changes == [.saveRecord(a), .saveRecord(b)])
    }

    @Test("A deletion takes the place of a save, and a save that of a deletion")
    func replaced() {
        var queue = PendingQueue<Change>([.saveRecord(a), .deleteRecord(a)])
        #expect(queue.changes == [.deleteRecord(a)])
        queue.add(.saveRecord(a))
        #expect(queue.changes == [.saveRecord(a)])
    }

    @Test("Removing a save leaves a deletion of the same record alone")
    func removing() {
        var queue = PendingQueue<Change>([.deleteRecord(a)])
        queue.remove(.saveRecord(a))
        #expect(queue.changes == [.deleteRecord(a)])
        queue.remove(.deleteRecord(a))
        #expect(queue.isEmpty)
    }

    @Test("A change that was added again while it was on its way stays")
    func addedMeanwhile() {
        var queue = PendingQueue<Change>([.saveRecord(a), .saveRecord(b)])
        let sent = queue.generation
        queue.add(.saveRecord(a))
        queue.settle(.saveRecord(a), upTo: sent)
        queue.settle(.saveRecord(b), upTo: sent)
        #expect(queue.changes == [.saveRecord(a)])
    }

    @Test("A postponed change goes behind the others")
    func postponed() {
        var queue = PendingQueue<Change>([.saveRecord(a), .saveRecord(b)])
        queue.postpone(.saveRecord(a))
        #expect(queue.changes == [.saveRecord(b), .saveRecord(a)])
    }

    @Test("Zones are told apart by their names, not as objects")
    func zones() {
        var queue = PendingQueue<CKSyncEngine.PendingDatabaseChange>()
        queue.add(.saveZone(CKRecordZone(zoneName: "Notes")))
        queue.add(.saveZone(CKRecordZone(zoneName: "Notes")))
        #expect(queue.count == 1)
        queue.remove(.saveZone(CKRecordZone(zoneName: "Notes")))
        #expect(queue.isEmpty)
    }

    @Test("A queue behaves like a plain list under any changes", arguments: 0..<20)
    func oracle(seed: Int) {
        var random = SeededNumbers(state: UInt64(seed))
        var queue = PendingQueue<Change>()
        var list: [Change] = []
        for _ in 0..<600 {
            let recordID = Self.id("r\(Int.random(in: 0..<40, using: &random))")
            let change: Change = Bool.random(using: &random) ? .saveRecord(recordID) : .deleteRecord(recordID)
            switch Int.random(in: 0..<4, using: &random) {
            case 0, 1:
                queue.add(change)
                if !list.contains(change) {
                    list.removeAll { $0.recordID == recordID }
                    list.append(change)
                }
            case 2:
                queue.remove(change)
                list.removeAll { $0 == change }
            default:
                queue.postpone(change)
                if list.contains(change) {
                    list.removeAll { $0 == change }
                    list.append(change)
                }
            }
            #expect(queue.count == list.count)
        }
        #expect(queue.changes == list)
    }

    @Test("What a hundred thousand changes cost each is what a thousand cost each")
    func linear() {
        /// How often an item was hashed while so many changes were added, added again and sent in batches.
        func cost(_ count: Int) -> Int {
            let hashes = HashCount()
            let changes = (0..<count).map { CountedChange(item: CountedChange.Item(number: $0, hashes: hashes)) }
            var queue = PendingQueue(changes)
            for change in changes { queue.add(change) }
            let generation = queue.generation
            for start in stride(from: 0, to: count, by: 400) {
                for change in changes[start..<min(start + 400, count)] { queue.settle(change, upTo: generation) }
            }
            #expect(queue.isEmpty)
            return hashes.count
        }
        let few = cost(1_000)
        let many = cost(100_000)
        // Growing tables hash again, so not exactly a hundred times as often.
        #expect(many < 200 * few)
    }

    @Test("A state with a hundred thousand pending changes survives JSON, in order")
    func serialization() throws {
        let zones = ["Notes", "Work", "Zone with spaces"].map { CKRecordZone.ID(zoneName: $0) }
        let shared = CKRecordZone.ID(zoneName: "Notes", ownerName: "_somebody")
        let state = CKSyncEngine.State(nil)
        let changes: [Change] = (0..<100_000).map { number in
            let recordID = CKRecord.ID(recordName: "record \(number)", zoneID: zones[number % 3])
            return number.isMultiple(of: 7) ? .deleteRecord(recordID) : .saveRecord(recordID)
        }
        state.add(pendingRecordZoneChanges: changes)
        state.add(pendingDatabaseChanges: [.saveZone(CKRecordZone(zoneID: zones[0])), .deleteZone(zones[1])])
        state.hasPendingUntrackedChanges = true
        state.update { stored in
            stored.contents.progress = SyncProgress(userRecordName: "_me")
            stored.contents.progress.databaseToken = "database"
            stored.contents.progress.zoneTokens = [zones[0]: "one", shared: "two"]
            stored.contents.progress.addUnfetched(shared)
            stored.contents.progress.addUnfetched(zones[2])
        }
        let serialization = try #require(state.nextSerialization())
        let stored = try JSONEncoder().encode(serialization)
        let read = CKSyncEngine.State(
            try JSONDecoder().decode(CKSyncEngine.State.Serialization.self, from: stored))
        #expect(read.pendingRecordZoneChanges == changes)
        #expect(read.pendingDatabaseChanges == state.pendingDatabaseChanges)
        #expect(read.hasPendingUntrackedChanges)
        #expect(read.zoneIDsWithUnfetchedServerChanges == [shared, zones[2]])
        #expect(read.read { $0.contents.progress } == state.read { $0.contents.progress })
    }

    @Test(
        "What is not a state is refused",
        arguments: [
            "{}", #"{"version":2,"zones":[],"unfetched":[],"pendingZones":[],"pendingRecords":[]}"#,
            #"{"version":1,"zones":[],"unfetched":[3],"pendingZones":[],"pendingRecords":[]}"#,
            #"{"version":1,"zones":[],"unfetched":[],"pendingZones":[-1],"pendingRecords":[]}"#,
            #"{"version":1,"zones":[{"name":"a"}],"unfetched":[],"pendingZones":[],"pendingRecords":["s0"]}"#,
            #"{"version":1,"zones":[{"name":"a"}],"unfetched":[],"pendingZones":[],"pendingRecords":["x0 name"]}"#,
            #"{"version":1,"zones":[{"name":"a"}],"unfetched":[],"pendingZones":[],"pendingRecords":["s99999999999999999999 n"]}"#,
        ])
    func malformed(_ text: String) {
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(CKSyncEngine.State.Serialization.self, from: Data(text.utf8))
        }
    }
}

/// SplitMix64, for tests that repeat.
struct SeededNumbers: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }
}

private final class HashCount: @unchecked Sendable {
    // Unchecked: one test, one thread.
    var count = 0
}

/// A change that tells how often its item is hashed.
private struct CountedChange: PendingChange {
    struct Item: Hashable, Sendable {
        var number: Int
        var hashes: HashCount

        static func == (left: Self, right: Self) -> Bool { left.number == right.number }

        func hash(into hasher: inout Hasher) {
            hashes.count += 1
            hasher.combine(number)
        }
    }

    var item: Item
}
