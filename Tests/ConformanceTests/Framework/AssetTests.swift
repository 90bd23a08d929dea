import Behaviours
import CloudKit
import CloudKitTesting
import CloudServer
import Foundation
import Synchronization
import Testing

@Suite("CloudKit: assets") struct AssetTests {
    @Test(
        "A saved file comes back as a file of its own, from a look-up, a query and the changes",
        .behaviour("ck.asset-fetch"), arguments: Wire.allCases)
    func saveAndFetch(_ wire: Wire) async throws {
        let world = try World(wire)
        let files = try Files()
        let (database, zoneID) = try await world.database(zone: "Notes")
        let record = note("a", zoneID)
        let local = try files.write("a bird")
        record["photo"] = CKAsset(fileURL: local)
        try await database.save(record)
        let other = try world.database()
        let (matches, _) = try await other.records(
            matching: CKQuery(recordType: "Note", predicate: NSPredicate(value: true)), inZoneWith: zoneID)
        let changes = try await other.recordZoneChanges(inZoneWith: zoneID, since: nil)
        let found = [
            try await other.record(for: record.recordID), try matches.first?.1.get(),
            try changes.modificationResultsByID[record.recordID]?.get().record,
        ]
        var urls: Set<URL> = [local]
        for record in found {
            let asset = try #require(record?["photo"] as? CKAsset)
            #expect(asset.text == "a bird")
            #expect(urls.insert(try #require(asset.fileURL)).inserted, "each fetch makes a file of its own")
            #expect(record?.changedKeys().isEmpty == true)
        }
        // The app may do with it what it likes.
        for url in urls where url != local { try FileManager.default.removeItem(at: url) }
    }

    @Test(
        "The saved record has the app's own file, and the one passed in stays as it was",
        .behaviour("ck.asset-saved"), arguments: Wire.allCases)
    func saved(_ wire: Wire) async throws {
        let files = try Files()
        let record = note("a")
        let local = try files.write("a bird")
        let asset = CKAsset(fileURL: local)
        record["photo"] = asset
        let saved = try await World(wire).database().save(record)
        #expect((saved["photo"] as? CKAsset)?.fileURL == local)
        #expect(record["photo"] as? CKAsset === asset)
        #expect(try String(contentsOf: local, encoding: .utf8) == "a bird")
    }

    @Test(
        "A file that is not there is assetFileNotFound, one that cannot be read assetNotAvailable, and takes its batch along",
        .behaviour("ck.asset-file-not-found", "ck.asset-not-readable"), arguments: Wire.allCases)
    func missing(_ wire: Wire) async throws {
        let world = try World(wire)
        let files = try Files()
        let (database, zoneID) = try await world.database(zone: "Notes")
        let (bad, folder, good) = (note("bad", zoneID), note("folder", zoneID), note("good", zoneID))
        bad["photo"] = CKAsset(fileURL: files.url("none"))
        folder["photo"] = CKAsset(fileURL: files.url("."))
        good["photo"] = try files.asset("a bird")
        let (all, _) = try await database.modifyRecords(saving: [bad, folder, good], deleting: [])
        #expect(all[bad.recordID]?.error?.code == .assetFileNotFound)
        #expect(all[folder.recordID]?.error?.code == .assetNotAvailable)
        #expect(all[good.recordID]?.error?.code == .batchRequestFailed)
        let (each, _) = try await database.modifyRecords(
            saving: [bad, folder, good], deleting: [], atomically: false)
        #expect(each[bad.recordID]?.error?.code == .assetFileNotFound)
        #expect(each[good.recordID]?.value?.text(of: "photo") == "a bird")
    }

    @Test(
        "A file that changes while it is uploaded is assetFileModified", .behaviour("ck.asset-file-modified"),
        arguments: Wire.allCases)
    func modified(_ wire: Wire) async throws {
        let world = try World(wire)
        let files = try Files()
        let device = try world.device()
        let database = device.container(World.container).privateCloudDatabase
        let record = note("a")
        record["photo"] = CKAsset(fileURL: try files.write("a bird"))
        device.setFaults { request in
            if request.operation == "assets/upload/file" { _ = try? files.write("a bear") }
            return nil
        }
        #expect(await error { try await database.save(record) }?.code == .assetFileModified)
        device.setFaults(nil)
        #expect(try await database.save(record).text(of: "photo") == "a bear")
        #expect(try await world.database().record(for: record.recordID).text(of: "photo") == "a bear")
    }

    @Test("Only desired assets are fetched", .behaviour("ck.asset-desired-keys"), arguments: Wire.allCases)
    func desiredKeys(_ wire: Wire) async throws {
        let world = try World(wire)
        let files = try Files()
        let record = note("a")
        record["photo"] = try files.asset("a bird")
        record["cover"] = try files.asset("a bear")
        try await world.database().save(record)
        let device = try world.device()
        let database = device.container(World.container).privateCloudDatabase
        let fetches = Mutex(0)
        device.setFaults { request in
            if request.operation == "assets/download/file" { fetches.withLock { $0 += 1 } }
            return nil
        }
        let bare = try await database.records(for: [record.recordID], desiredKeys: ["title"])[record.recordID]?.get()
        #expect(bare?.allKeys() == ["title"])
        #expect(fetches.withLock { $0 } == 0)
        let one = try await database.records(for: [record.recordID], desiredKeys: ["cover"])[record.recordID]?.get()
        #expect(one?.text(of: "cover") == "a bear")
        #expect(fetches.withLock { $0 } == 1)
    }

    @Test("A list of assets and one without bytes come back", .behaviour("ck.asset-fetch"), arguments: Wire.allCases)
    func lists(_ wire: Wire) async throws {
        let world = try World(wire)
        let files = try Files()
        let record = note("a")
        record["photos"] = [try files.asset("one"), try files.asset("two"), try files.asset("one")]
        record["empty"] = try files.asset("")
        let saved = try await world.database().save(record)
        #expect((saved["photos"] as? [CKAsset])?.map(\.text) == ["one", "two", "one"])
        let found = try await world.database().record(for: record.recordID)
        #expect((found["photos"] as? [CKAsset])?.map(\.text) == ["one", "two", "one"])
        #expect(found.text(of: "empty") == "")
    }

    @Test(
        "A record that is saved again for other keys sends no file, and a replaced file takes the old one's place",
        .behaviour("ck.asset-unchanged"), arguments: Wire.allCases)
    func unchanged(_ wire: Wire) async throws {
        let world = try World(wire)
        let files = try Files()
        let device = try world.device()
        let database = device.container(World.container).privateCloudDatabase
        let uploads = Mutex(0)
        device.setFaults { request in
            if request.operation == "assets/upload/file" { uploads.withLock { $0 += 1 } }
            return nil
        }
        let record = note("a")
        record["photo"] = try files.asset("a bird")
        try await database.save(record)
        let found = try await database.record(for: record.recordID)
        found["title"] = "Bird"
        let again = try await database.save(found)
        #expect(again.text(of: "photo") == "a bird")
        again["title"] = "Birds"
        // All keys, the asset among them, and set to what it was.
        again["photo"] = again["photo"] as? CKAsset
        let (all, _) = try await database.modifyRecords(saving: [again], deleting: [], savePolicy: .allKeys)
        let third = try #require(try all[record.recordID]?.get())
        #expect(uploads.withLock { $0 } == 1)
        third["photo"] = try files.asset("a bear")
        try await database.save(third)
        #expect(uploads.withLock { $0 } == 2)
        #expect(try await database.record(for: record.recordID).text(of: "photo") == "a bear")
    }

    @Test(
        "A fetched asset can be given to another record", .behaviour("ck.asset-copied"), arguments: Wire.allCases)
    func copied(_ wire: Wire) async throws {
        let world = try World(wire)
        let files = try Files()
        let database = try world.database()
        let record = note("a")
        record["photo"] = try files.asset("a bird")
        try await database.save(record)
        let found = try await database.record(for: record.recordID)
        let copy = CKRecord(recordType: "Page", recordID: CKRecord.ID("b"))
        copy["cover"] = found["photo"] as? CKAsset
        try await database.save(copy)
        #expect(try await world.database().record(for: copy.recordID).text(of: "cover") == "a bird")
    }

    @Test(
        "A record whose file cannot be fetched fails alone", .behaviour("ck.asset-fetch-fails-alone"),
        arguments: Wire.allCases)
    func failsAlone(_ wire: Wire) async throws {
        let world = try World(wire)
        let files = try Files()
        let (with, without) = (note("with"), note("without"))
        with["photo"] = try files.asset("a bird")
        let database = try world.database()
        _ = try await database.modifyRecords(saving: [with, without], deleting: [])
        let device = try world.device()
        let other = device.container(World.container).privateCloudDatabase
        device.setFaults { $0.operation == "assets/download/file" ? .timedOut : nil }
        let results = try await other.records(for: [with.recordID, without.recordID])
        #expect(results[with.recordID]?.error?.code == .networkFailure)
        #expect(results[without.recordID]?.value?["title"] == "Title")
        device.setFaults { $0.operation == "assets/download/file" ? .refused(.accessDenied) : nil }
        let refused = try await other.records(for: [with.recordID])
        #expect(refused[with.recordID]?.error?.code == .permissionFailure)
        device.setFaults(nil)
        #expect(try await other.record(for: with.recordID).text(of: "photo") == "a bird")
    }

    @Test(
        "An address that expires before its turn is asked for again", .behaviour("ck.asset-address-expired"),
        arguments: Wire.allCases)
    func expired(_ wire: Wire) async throws {
        let world = try World(wire)
        let files = try Files()
        let (database, zoneID) = try await world.database(zone: "Notes")
        let record = note("a", zoneID)
        record["photo"] = try files.asset("a bird")
        try await database.save(record)
        let device = try world.device()
        let waited = Mutex(false)
        device.setFaults { request in
            let isFirst = waited.withLock { waited in
                defer { waited = waited || request.operation == "assets/download/file" }
                return !waited && request.operation == "assets/download/file"
            }
            if isFirst { world.cloud.clock.advance(by: .seconds(2 * 3600)) }
            return nil
        }
        let changes = try await device.container(World.container).privateCloudDatabase.recordZoneChanges(
            inZoneWith: zoneID, since: nil)
        let found = try #require(try changes.modificationResultsByID[record.recordID]?.get().record)
        #expect(found.text(of: "photo") == "a bird")
        #expect(found["title"] == "Title")
        #expect(waited.withLock { $0 })
    }

    @Test(
        "A conflict brings the server's record with its file", .behaviour("ck.asset-conflict"),
        arguments: Wire.allCases)
    func conflict(_ wire: Wire) async throws {
        let world = try World(wire)
        let files = try Files()
        let record = note("a")
        record["photo"] = try files.asset("mine")
        try await world.database("alice").save(record)
        let late = note("a")
        late["photo"] = try files.asset("late")
        let conflict = try #require(await error { try await world.database("alice").save(late) })
        #expect(conflict.code == .serverRecordChanged)
        #expect(conflict.serverRecord?.text(of: "photo") == "mine")
        #expect(conflict.clientRecord?.text(of: "photo") == "late")
    }

    @Test("A file that is too large is limitExceeded", .behaviour("ck.asset-too-large"), arguments: Wire.allCases)
    func tooLarge(_ wire: Wire) async throws {
        let world = try World(wire) { $0.assets.maximumSize = 1000 }
        let files = try Files()
        let record = note("a")
        record["photo"] = try files.asset(String(repeating: "x", count: 1001))
        let database = try world.database()
        #expect(await error { try await database.save(record) }?.code == .limitExceeded)
        record["photo"] = try files.asset(String(repeating: "x", count: 1000))
        try await database.save(record)
    }

    @Test(
        "What a lost connection cut off is saved by the next try", .behaviour("ck.asset-lost"), arguments: Wire.allCases
    )
    func lost(_ wire: Wire) async throws {
        let world = try World(wire)
        let files = try Files()
        let device = try world.device()
        let database = device.container(World.container).privateCloudDatabase
        let record = note("a")
        record["photo"] = try files.asset("a bird")
        for fault in [Fault.requestLost, .answerLost] {
            device.setFaults { $0.operation == "assets/upload/file" ? fault : nil }
            // Nobody doubts whether the record was saved: it was not.
            #expect(await error { try await database.save(record) }?.code == .networkFailure)
        }
        device.setFaults(nil)
        try await database.save(record)
        #expect(try await world.database().record(for: record.recordID).text(of: "photo") == "a bird")
    }

    @Test(
        "Files of the public database are for everybody who may read the record", .behaviour("ck.asset-fetch"),
        arguments: Wire.allCases)
    func publicDatabase(_ wire: Wire) async throws {
        let world = try World(wire)
        let files = try Files()
        let record = note("a")
        record["photo"] = try files.asset("a bird")
        try await world.database("alice", .public).save(record)
        for reader in ["bob", nil] {
            let database = try world.database(reader, .public)
            #expect(try await database.record(for: record.recordID).text(of: "photo") == "a bird")
        }
    }

    // MARK: - Progress

    private final class Progress: Sendable {
        private let parts = Mutex<[String: [Double]]>([:])
        func add(_ name: String, _ part: Double) { parts.withLock { $0[name, default: []].append(part) } }
        subscript(_ name: String) -> [Double] { parts.withLock { $0[name] ?? [] } }
    }

    @Test(
        "Progress grows with the bytes that travel and ends with 1", .behaviour("ck.asset-progress"),
        arguments: Wire.allCases)
    func progress(_ wire: Wire) async throws {
        let world = try World(wire)
        let files = try Files()
        let database = try world.database()
        let (large, small) = (note("large"), note("small"))
        large["photo"] = try files.asset(String(repeating: "0123456789abcdef", count: 200_000))
        let progress = Progress()
        await withCheckedContinuation { continuation in
            let operation = CKModifyRecordsOperation(recordsToSave: [large, small])
            operation.perRecordProgressBlock = { progress.add($0.recordID.recordName, $1) }
            operation.modifyRecordsResultBlock = { _ in continuation.resume() }
            database.add(operation)
        }
        check(progress, "sending")
        let fetched = Progress()
        await withCheckedContinuation { continuation in
            let operation = CKFetchRecordsOperation(recordIDs: [large.recordID, small.recordID])
            operation.perRecordProgressBlock = { fetched.add($0.recordName, $1) }
            operation.fetchRecordsResultBlock = { _ in continuation.resume() }
            database.add(operation)
        }
        check(fetched, "fetching")
    }

    private func check(_ progress: Progress, _ what: Comment) {
        #expect(progress["small"] == [1], what)
        let large = progress["large"]
        #expect(large.count > 2, what)
        #expect(large == large.sorted(), what)
        #expect(large.dropLast().allSatisfy { (0..<1).contains($0) }, what)
        #expect(large.last == 1, what)
    }
}
