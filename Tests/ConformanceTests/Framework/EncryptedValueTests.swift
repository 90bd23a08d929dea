import Behaviours
import CloudKit
import CloudKitTesting
import CloudServer
import Foundation
import Testing

@Suite("CloudKit: encrypted values") struct EncryptedValueTests {
    private func secretNote(_ name: String, _ zoneID: CKRecordZone.ID) -> CKRecord {
        let record = note(name, zoneID)
        record.encryptedValues["text"] = "hush"
        record.encryptedValues["count"] = 3
        record.encryptedValues["when"] = Date(timeIntervalSinceReferenceDate: 780_000_000.123_456_7)
        record.encryptedValues["place"] = CLLocation(latitude: 1.5, longitude: 2.5)
        record.encryptedValues["texts"] = ["a", "b"]
        record.encryptedValues["nothing"] = [String]()
        return record
    }

    @Test(
        "Another device finds them through encryptedValues, and their keys with the others",
        .behaviour("ck.encrypted"), arguments: Wire.allCases)
    func values(_ wire: Wire) async throws {
        let world = try World(wire)
        let (database, zone) = try await world.database(zone: "Notes")
        let record = secretNote("a", zone)
        record.encryptedValues["nothing"] = ["first"]
        try await database.save(record)
        let found = try await world.database().record(for: record.recordID)
        #expect(found.encryptedValues["text"] == "hush")
        #expect(found.encryptedValues["count"] == 3)
        #expect(
            found.encryptedValues["when"] as? Date == Date(timeIntervalSinceReferenceDate: 780_000_000.123_456_7))
        #expect((found.encryptedValues["place"] as? CLLocation)?.coordinate.longitude == 2.5)
        #expect(found.encryptedValues["texts"] as? [String] == ["a", "b"])
        #expect(found["title"] == "Title")
        #expect(found["text"] == nil)
        #expect(Set(found.allKeys()) == Set(record.allKeys()))
        #expect(Set(found.encryptedValues.allKeys()) == Set(record.encryptedValues.allKeys()))
        #expect(found.changedKeys().isEmpty)
        // An empty list has the type that the field has.
        found.encryptedValues["nothing"] = [String]()
        let again = try await world.database().save(found)
        #expect((again.encryptedValues["nothing"] as? [String])?.isEmpty == true)
    }

    @Test(
        "A change of one and a cleared one reach the other device; a plain change leaves them alone",
        .behaviour("ck.encrypted-changes"), arguments: Wire.allCases)
    func changes(_ wire: Wire) async throws {
        let world = try World(wire)
        let (database, zone) = try await world.database(zone: "Notes")
        let record = secretNote("a", zone)
        record.encryptedValues["nothing"] = nil
        let saved = try await database.save(record)
        saved.encryptedValues["text"] = nil
        saved.encryptedValues["count"] = 4
        saved["title"] = "Other"
        let other = try world.database()
        let before = try await other.recordZoneChanges(inZoneWith: zone, since: nil)
        try await database.save(saved)
        let after = try await other.recordZoneChanges(inZoneWith: zone, since: before.changeToken)
        let found = try #require(try after.modificationResultsByID[record.recordID]?.get().record)
        #expect(found.encryptedValues["text"] == nil)
        #expect(found.encryptedValues["count"] == 4)
        #expect(found["title"] == "Other")
        found["title"] = "Third"
        let third = try await other.save(found)
        #expect(third.encryptedValues["count"] == 4)
        let part = try await database.records(for: [record.recordID], desiredKeys: ["count"])[record.recordID]?.get()
        #expect(part?.allKeys() == ["count"])
    }

    @Test(
        "A conflict's server record has them, and system fields that were archived are enough to save over one",
        .behaviour("ck.encrypted-conflict"), arguments: Wire.allCases)
    func conflict(_ wire: Wire) async throws {
        let world = try World(wire)
        let (database, zone) = try await world.database(zone: "Notes")
        let saved = try await database.save(secretNote("a", zone).without("nothing"))
        let archiver = NSKeyedArchiver(requiringSecureCoding: true)
        saved.encodeSystemFields(with: archiver)
        let unarchiver = try NSKeyedUnarchiver(forReadingFrom: archiver.encodedData)
        let bare = try #require(CKRecord(coder: unarchiver))
        #expect(bare.allKeys().isEmpty)
        bare.encryptedValues["text"] = "mine"
        let mine = try await database.save(bare)
        #expect(mine.encryptedValues["count"] == 3, "the server keeps what was not sent")

        saved.encryptedValues["text"] = "too late"
        let error = await error { try await database.save(saved) }
        #expect(error?.code == .serverRecordChanged)
        #expect(error?.serverRecord?.encryptedValues["text"] == "mine")
        #expect(error?.clientRecord?.encryptedValues["text"] == "too late")
        #expect(error?.ancestorRecord?.encryptedValues["text"] == "hush")
    }

    @Test(
        "They are refused in the public database, and where the field is plain or the query asks for one",
        .behaviour("ck.encrypted-errors"), arguments: Wire.allCases)
    func errors(_ wire: Wire) async throws {
        let world = try World(wire)
        let (database, zone) = try await world.database(zone: "Notes")
        try await database.save(secretNote("a", zone).without("nothing"))
        let open = try world.database("alice", .public)
        #expect(await error { try await open.save(secretNote("a", .default)) }?.code == .invalidArguments)
        let plain = note("b", zone)
        plain.encryptedValues["title"] = "hush"
        #expect(await error { try await database.save(plain) }?.code == .invalidArguments)
        let query = CKQuery(recordType: "Note", predicate: NSPredicate(format: "text == %@", "hush"))
        #expect(
            await error { try await database.records(matching: query, inZoneWith: zone) }?.code == .invalidArguments)
    }

    @Test(
        "A date comes back as it was saved, to its last digit", .behaviour("ck.exact-dates"), arguments: Wire.allCases)
    func dates(_ wire: Wire) async throws {
        let world = try World(wire)
        let (database, zone) = try await world.database(zone: "Notes")
        let dates = [
            Date(timeIntervalSinceReferenceDate: 780_000_000.123_456_7), .distantPast, .distantFuture,
            Date(timeIntervalSinceReferenceDate: -0.000_1), Date(timeIntervalSince1970: 1.5),
            Date(timeIntervalSinceReferenceDate: 780_000_000.999_999_9),
        ]
        let record = note("a", zone)
        for (index, date) in dates.enumerated() {
            record["date\(index)"] = date
            record.encryptedValues["secret\(index)"] = date
        }
        record["dates"] = dates
        try await database.save(record)
        let found = try await world.database().record(for: record.recordID)
        for (index, date) in dates.enumerated() {
            #expect(found["date\(index)"] as? Date == date)
            #expect(found.encryptedValues["secret\(index)"] as? Date == date)
        }
        #expect(found["dates"] as? [Date] == dates)
        // The index counts milliseconds, as the wire does.
        let query = CKQuery(recordType: "Note", predicate: NSPredicate(format: "date0 == %@", dates[0] as NSDate))
        #expect(try await database.records(matching: query, inZoneWith: zone).matchResults.count == 1)
    }

    @Test(
        "A zone that went because its encrypted data was reset says so in the feed and at the next save",
        .behaviour("ck.encrypted-reset"), arguments: Wire.allCases)
    func reset(_ wire: Wire) async throws {
        let world = try World(wire)
        let (database, zone) = try await world.database(zone: "Notes")
        try await database.save(secretNote("a", zone).without("nothing"))
        let before = try await database.databaseChanges(since: nil)
        let store = world.cloud.server.store
        // As though the operator's file were lost.
        let others = try EncryptionKeys(inMemory: .system)
        #expect(try Administration(store: store).resetUnreadableZones(others) == 1)
        let after = try await database.databaseChanges(since: before.changeToken)
        #expect(after.deletions.map(\.reason) == [.encryptedDataReset])
        let error = await error { try await database.save(note("b", zone)) }
        #expect(error?.code == .zoneNotFound)
        #expect(error?.userInfo[CKErrorUserDidResetEncryptedDataKey] as? Bool == true)
        try await database.save(CKRecordZone(zoneID: zone))
        try await database.save(secretNote("a", zone).without("nothing"))
    }
}

extension CKRecord {
    /// The record with an encrypted key removed that no server could give a type.
    fileprivate func without(_ key: String) -> CKRecord {
        let copy = CKRecord(recordType: recordType, recordID: recordID)
        for other in allKeys() where other != key {
            copy[other] = object(forKey: other)
            if let value = encryptedValues.object(forKey: other) {
                copy.encryptedValues.setObject(value, forKey: other)
            }
        }
        return copy
    }
}
