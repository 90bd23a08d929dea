import Behaviours
import CloudKit
import CloudKitTesting
import Foundation
import Synchronization
import Testing

@Suite("CloudKit: changes") struct ChangeTests {
    @Test(
        "recordZoneChanges gives the newest state once, and deletions with their type", .behaviour("ck.zone-changes"),
        arguments: Wire.allCases)
    func zoneChanges(_ wire: Wire) async throws {
        let (database, zone) = try await World(wire).database(zone: "Zone")
        let first = try await database.save(note("a", zone, title: "One"))
        try await database.save(note("b", zone))
        let start = try await database.recordZoneChanges(inZoneWith: zone, since: nil)
        #expect(start.modificationResultsByID.count == 2)
        #expect(start.deletions.isEmpty)
        #expect(!start.moreComing)

        first["title"] = "Two"
        let second = try await database.save(first)
        second["title"] = "Three"
        try await database.save(second)
        try await database.deleteRecord(withID: CKRecord.ID("b", zone))
        let next = try await database.recordZoneChanges(inZoneWith: zone, since: start.changeToken)
        #expect(next.modificationResultsByID.count == 1)
        #expect(try next.modificationResultsByID[first.recordID]?.get().record["title"] == "Three")
        #expect(next.deletions.map(\.recordID) == [CKRecord.ID("b", zone)])
        #expect(next.deletions.map(\.recordType) == ["Note"])
        let last = try await database.recordZoneChanges(inZoneWith: zone, since: next.changeToken)
        #expect(last.modificationResultsByID.isEmpty && last.deletions.isEmpty)
    }

    @Test("Changes come in pages, with the fields asked for", .behaviour("ck.zone-changes"), arguments: Wire.allCases)
    func pages(_ wire: Wire) async throws {
        let (database, zone) = try await World(wire).database(zone: "Zone")
        _ = try await database.modifyRecords(saving: (0..<250).map { note("n\($0)", zone) }, deleting: [])
        var seen: Set<CKRecord.ID> = []
        var token: CKServerChangeToken?
        var pages = 0
        while true {
            let page = try await database.recordZoneChanges(
                inZoneWith: zone, since: token, desiredKeys: [], resultsLimit: 60)
            #expect(page.modificationResultsByID.count <= 60)
            for (recordID, result) in page.modificationResultsByID {
                #expect(seen.insert(recordID).inserted)
                #expect(try result.get().record.allKeys().isEmpty)
            }
            token = page.changeToken
            pages += 1
            if !page.moreComing { break }
        }
        #expect(seen.count == 250)
        #expect(pages >= 5)
        let large = try await database.recordZoneChanges(inZoneWith: zone, since: nil, resultsLimit: 240)
        #expect(large.modificationResultsByID.count == 240)
        #expect(large.moreComing)
    }

    @Test(
        "databaseChanges gives changed zones, and deleted ones with a reason", .behaviour("ck.database-changes"),
        arguments: Wire.allCases)
    func databaseChanges(_ wire: Wire) async throws {
        let (database, zone) = try await World(wire).database(zone: "Zone")
        let other = try await database.save(CKRecordZone(zoneName: "Other")).zoneID
        let start = try await database.databaseChanges(since: nil)
        #expect(Set(start.modifications.map(\.zoneID)).isSuperset(of: [zone, other]))
        try await database.save(note("a", zone))
        try await database.deleteRecordZone(withID: other)
        let next = try await database.databaseChanges(since: start.changeToken)
        #expect(next.modifications.map(\.zoneID) == [zone])
        #expect(next.deletions.map(\.zoneID) == [other])
        #expect(next.deletions.map(\.reason) == [.deleted])
        #expect(try await database.databaseChanges(since: next.changeToken).modifications.isEmpty)
    }

    @Test("A change token survives an archive", .behaviour("ck.token-archive"), arguments: Wire.allCases)
    func archive(_ wire: Wire) async throws {
        let (database, zone) = try await World(wire).database(zone: "Zone")
        try await database.save(note("a", zone))
        let token = try await database.recordZoneChanges(inZoneWith: zone, since: nil).changeToken
        let data = try NSKeyedArchiver.archivedData(withRootObject: token, requiringSecureCoding: true)
        let restored = try #require(
            try NSKeyedUnarchiver.unarchivedObject(ofClass: CKServerChangeToken.self, from: data))
        try await database.save(note("b", zone))
        let changes = try await database.recordZoneChanges(inZoneWith: zone, since: restored)
        #expect(changes.modificationResultsByID.keys.map(\.recordName) == ["b"])
    }

    @Test(
        "A token of another zone, or from before the clean-up, is changeTokenExpired", .behaviour("ck.token-expired"),
        arguments: Wire.allCases)
    func expired(_ wire: Wire) async throws {
        let (database, zone) = try await World(wire).database(zone: "Zone")
        let other = try await database.save(CKRecordZone(zoneName: "Other")).zoneID
        try await database.save(note("a", zone))
        try await database.save(note("b", other))
        let token = try await database.recordZoneChanges(inZoneWith: zone, since: nil).changeToken
        let foreign = await error { try await database.recordZoneChanges(inZoneWith: other, since: token) }
        #expect(foreign?.code == .changeTokenExpired)
        try await database.deleteRecordZone(withID: zone)
        try await database.save(CKRecordZone(zoneID: zone))
        let old = await error { try await database.recordZoneChanges(inZoneWith: zone, since: token) }
        #expect(old?.code == .changeTokenExpired)
    }

    @Test("A missing zone fails; the public database keeps no changes", arguments: Wire.allCases)
    func refusals(_ wire: Wire) async throws {
        let world = try World(wire)
        let nowhere = CKRecordZone.ID(zoneName: "Nowhere")
        let missing = await error { try await world.database().recordZoneChanges(inZoneWith: nowhere, since: nil) }
        #expect(missing?.code == .zoneNotFound)
        let open = try world.database("alice", .public)
        #expect(await error { try await open.databaseChanges(since: nil) }?.code == .badDatabase)
    }

    @Test(
        "fetchAllChanges reads zones to their ends and reports each token between", .behaviour("ck.fetch-all"),
        arguments: Wire.allCases)
    func fetchAll(_ wire: Wire) async throws {
        let (database, zone) = try await World(wire).database(zone: "Zone")
        let other = try await database.save(CKRecordZone(zoneName: "Other")).zoneID
        let nowhere = CKRecordZone.ID(zoneName: "Nowhere")
        _ = try await database.modifyRecords(saving: (0..<130).map { note("n\($0)", zone) }, deleting: [])
        try await database.save(note("single", other))
        let configuration = CKFetchRecordZoneChangesOperation.ZoneConfiguration(resultsLimit: 50)
        let operation = CKFetchRecordZoneChangesOperation(
            recordZoneIDs: [zone, other, nowhere], configurationsByRecordZoneID: [zone: configuration])
        let log = Mutex<(records: [String], tokens: [String], zones: [CKRecordZone.ID: CKError?])>(([], [], [:]))
        operation.recordWasChangedBlock = { recordID, _ in log.withLock { $0.records.append(recordID.recordName) } }
        operation.recordZoneChangeTokensUpdatedBlock = { zoneID, _, _ in
            log.withLock { $0.tokens.append(zoneID.zoneName) }
        }
        operation.recordZoneFetchResultBlock = { zoneID, result in
            log.withLock { $0.zones[zoneID] = .some(result.error) }
            if case .success(let end) = result { #expect(!end.moreComing) }
        }
        let result = await withCheckedContinuation { continuation in
            operation.fetchRecordZoneChangesResultBlock = { continuation.resume(returning: $0) }
            database.add(operation)
        }
        #expect(result.error == nil)
        let (records, tokens, zones) = log.withLock { $0 }
        #expect(records.count == 131)
        #expect(tokens == ["Zone", "Zone"])
        #expect(zones.count == 3)
        #expect(zones[nowhere]??.code == .zoneNotFound, "one zone's failure does not stop the others")
    }

    @Test("CKFetchRecordChangesOperation, the older form, reads a zone page by page", arguments: Wire.allCases)
    @available(*, deprecated)
    func olderForm(_ wire: Wire) async throws {
        let (database, zone) = try await World(wire).database(zone: "Zone")
        let records = (0..<5).map { note("\($0)", zone) }
        _ = try await database.modifyRecords(saving: records, deleting: [])
        try await database.deleteRecord(withID: records[0].recordID)
        var token: CKServerChangeToken?
        var names: [String] = []
        var hasMore = true
        while hasMore {
            let fetch = CKFetchRecordChangesOperation(recordZoneID: zone, previousServerChangeToken: token)
            fetch.resultsLimit = 3
            let page: (CKServerChangeToken?, Bool, [String]) = try await withCheckedThrowingContinuation {
                continuation in
                // Blocks run one at a time.
                nonisolated(unsafe) var seen: [String] = []
                fetch.recordChangedBlock = { seen.append($0.recordID.recordName) }
                fetch.recordWithIDWasDeletedBlock = { seen.append("deleted \($0.recordName)") }
                fetch.fetchRecordChangesCompletionBlock = { token, _, error in
                    if let error { return continuation.resume(throwing: error) }
                    continuation.resume(returning: (token, fetch.moreComing, seen))
                }
                database.add(fetch)
            }
            (token, hasMore) = (page.0, page.1)
            names += page.2
        }
        #expect(names == ["1", "2", "3", "4", "deleted 0"])
    }

    @Test(
        "CKFetchDatabaseChangesOperation reports zones and ends with a token", .behaviour("ck.database-changes"),
        arguments: Wire.allCases)
    func databaseOperation(_ wire: Wire) async throws {
        let (database, zone) = try await World(wire).database(zone: "Zone")
        let start = try await database.databaseChanges(since: nil).changeToken
        let other = try await database.save(CKRecordZone(zoneName: "Other")).zoneID
        try await database.deleteRecordZone(withID: zone)
        let operation = CKFetchDatabaseChangesOperation(previousServerChangeToken: start)
        let log = Mutex<(changed: [CKRecordZone.ID], deleted: [CKRecordZone.ID])>(([], []))
        operation.recordZoneWithIDChangedBlock = { zoneID in log.withLock { $0.changed.append(zoneID) } }
        operation.recordZoneWithIDWasDeletedBlock = { zoneID in log.withLock { $0.deleted.append(zoneID) } }
        let result = await withCheckedContinuation { continuation in
            operation.fetchDatabaseChangesResultBlock = { continuation.resume(returning: $0) }
            database.add(operation)
        }
        #expect(result.value?.moreComing == false)
        #expect(log.withLock { $0.changed } == [other])
        #expect(log.withLock { $0.deleted } == [zone])
    }
}
