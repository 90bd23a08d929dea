import Behaviours
import CloudKit
import CloudKitTesting
import Foundation
import Testing

@Suite("CloudKit: records") struct RecordTests {
    @Test("A saved record is fetched by another device", .behaviour("ck.save-fetch"), arguments: Wire.allCases)
    func saveAndFetch(_ wire: Wire) async throws {
        let world = try World(wire)
        let saved = try await world.database().save(note("first", title: "Hello"))
        #expect(saved.recordChangeTag != nil)
        #expect(saved.creationDate != nil)
        let found = try await world.database().record(for: CKRecord.ID("first"))
        #expect(found["title"] == "Hello")
        #expect(found.recordChangeTag == saved.recordChangeTag)
        #expect(found.changedKeys().isEmpty)
    }

    @Test("Values of every kind come back as they went", .behaviour("ck.save-fetch"), arguments: Wire.allCases)
    func values(_ wire: Wire) async throws {
        let world = try World(wire)
        let record = note("all")
        let date = Date(timeIntervalSince1970: 1_700_000_000.125)
        record["text"] = "Grüße 🌦 \u{0}\"\\"
        record["integer"] = Int64.max
        record["number"] = 0.1
        record["flag"] = true
        record["date"] = date
        record["data"] = Data([0, 1, 255])
        record["place"] = CLLocation(latitude: 48.2, longitude: 16.37)
        record["other"] = CKRecord.Reference(recordID: CKRecord.ID("elsewhere"), action: .none)
        record["texts"] = ["a", "b"]
        record["integers"] = [1, 2, 3]
        record["dates"] = [date]
        try await world.database().save(record)
        let found = try await world.database().record(for: record.recordID)
        #expect(found["text"] == "Grüße 🌦 \u{0}\"\\")
        #expect(found["integer"] == Int64.max)
        #expect(found["number"] == 0.1)
        #expect(found["flag"] == true)
        #expect(found["date"] == date)
        #expect(found["data"] == Data([0, 1, 255]))
        let place = found["place"] as? CLLocation
        #expect(place?.coordinate.latitude == 48.2)
        #expect((found["other"] as? CKRecord.Reference)?.recordID == CKRecord.ID("elsewhere"))
        #expect(found["texts"] == ["a", "b"])
        #expect(found["integers"] == [1, 2, 3])
        #expect(found["dates"] == [date])
        #expect(Set(found.allKeys()) == Set(record.allKeys()))
    }

    @Test(
        "A missing record is unknownItem, in a missing zone zoneNotFound",
        .behaviour("ck.unknown-item", "ck.unknown-zone"), arguments: Wire.allCases)
    func missing(_ wire: Wire) async throws {
        let database = try World(wire).database()
        #expect(await error { try await database.record(for: CKRecord.ID("none")) }?.code == .unknownItem)
        let nowhere = CKRecord.ID("none", CKRecordZone.ID(zoneName: "Nowhere"))
        #expect(await error { try await database.record(for: nowhere) }?.code == .zoneNotFound)
        let (saved, _) = try await database.modifyRecords(saving: [note("a", nowhere.zoneID)], deleting: [])
        #expect(saved[CKRecord.ID("a", nowhere.zoneID)]?.error?.code == .zoneNotFound)
        #expect(await error { try await database.deleteRecord(withID: nowhere) }?.code == .zoneNotFound)
    }

    @Test(
        "Records of several zones are fetched in one call; those that fail have their own errors",
        arguments: Wire.allCases)
    func severalZones(_ wire: Wire) async throws {
        let (database, zone) = try await World(wire).database(zone: "Zone")
        let nowhere = CKRecord.ID("c", CKRecordZone.ID(zoneName: "Nowhere"))
        let (saved, _) = try await database.modifyRecords(
            saving: [note("a"), note("b", zone), note("c", nowhere.zoneID)], deleting: [])
        #expect(saved[CKRecord.ID("a")]?.value != nil)
        #expect(saved[CKRecord.ID("b", zone)]?.value != nil)
        #expect(saved[nowhere]?.error?.code == .zoneNotFound)
        let found = try await database.records(for: [
            CKRecord.ID("a"), CKRecord.ID("b", zone), nowhere, CKRecord.ID("d"),
        ])
        #expect(found.count == 4)
        #expect(found[CKRecord.ID("a")]?.value?["title"] == "Title")
        #expect(found[CKRecord.ID("b", zone)]?.value?["title"] == "Title")
        #expect(found[nowhere]?.error?.code == .zoneNotFound)
        #expect(found[CKRecord.ID("d")]?.error?.code == .unknownItem)
    }

    @Test("Deleting a record that does not exist succeeds", .behaviour("ck.delete-unknown"), arguments: Wire.allCases)
    func deleteUnknown(_ wire: Wire) async throws {
        let (database, zone) = try await World(wire).database(zone: "Zone")
        #expect(try await database.deleteRecord(withID: CKRecord.ID("none")) == CKRecord.ID("none"))
        try await database.deleteRecord(withID: CKRecord.ID("none", zone))
    }

    @Test("desiredKeys nil is all fields, empty is none", .behaviour("ck.desired-keys"), arguments: Wire.allCases)
    func desiredKeys(_ wire: Wire) async throws {
        let database = try World(wire).database()
        let record = note("a")
        record["body"] = "Text"
        try await database.save(record)
        for (keys, expected) in [(nil, ["body", "title"]), ([], []), (["body"], ["body"])] as [([String]?, [String])] {
            let found = try await database.records(for: [record.recordID], desiredKeys: keys)
            #expect(try found[record.recordID]?.get().allKeys() == expected)
        }
    }

    @Test(
        "Returned records are copies, and the saved instance stays as it was", .behaviour("ck.copies"),
        arguments: Wire.allCases)
    func copies(_ wire: Wire) async throws {
        let database = try World(wire).database()
        let record = note("a")
        let saved = try await database.save(record)
        #expect(saved !== record)
        #expect(record.recordChangeTag == nil)
        saved["title"] = "Other"
        #expect(try await database.record(for: record.recordID)["title"] == "Title")
        #expect(await error { try await database.save(record) }?.code == .serverRecordChanged)
    }

    @Test("A key set to nil is cleared on the server", arguments: Wire.allCases)
    func clearing(_ wire: Wire) async throws {
        let database = try World(wire).database()
        let saved = try await database.save(note("a"))
        saved["title"] = nil as String?
        try await database.save(saved)
        #expect(try await database.record(for: CKRecord.ID("a")).allKeys().isEmpty)
    }

    @Test("The completion forms give what the async ones give")
    func completionForms() async throws {
        let database = try World(.inProcess).database()
        let saved = await withCheckedContinuation { continuation in
            database.save(note("a")) { record, error in
                #expect(!Thread.isMainThread)
                continuation.resume(returning: error == nil ? record : nil)
            }
        }
        #expect(saved?.recordChangeTag != nil)
        let failure = await withCheckedContinuation { continuation in
            database.fetch(withRecordID: CKRecord.ID("none")) { _, error in continuation.resume(returning: error) }
        }
        #expect((failure as? CKError)?.code == .unknownItem)
        let results = await withCheckedContinuation { continuation in
            database.fetch(withRecordIDs: [CKRecord.ID("a")]) { continuation.resume(returning: $0) }
        }
        #expect(try results.get()[CKRecord.ID("a")]?.get()["title"] == "Title")
    }

    @Test(
        "The current user shows as CKCurrentUserDefaultName in creators and modifiers, others by name",
        arguments: Wire.allCases)
    func users(_ wire: Wire) async throws {
        let world = try World(wire)
        let alice = try world.device("alice").container(World.container)
        let mine = alice.publicCloudDatabase
        let record = CKRecord(recordType: "Guide", recordID: CKRecord.ID(recordName: "g"))
        record["title"] = "River"
        let saved = try await mine.save(record)
        let fetched = try await mine.record(for: record.recordID)
        let query = CKQuery(recordType: "Guide", predicate: NSPredicate(format: "title = 'River'"))
        let matched = try #require(try await mine.records(matching: query).matchResults.first).1.get()
        for own in [saved, fetched, matched] {
            #expect(own.creatorUserRecordID?.recordName == CKCurrentUserDefaultName)
            #expect(own.lastModifiedUserRecordID?.recordName == CKCurrentUserDefaultName)
        }
        let seen = try await world.database("bob", .public).record(for: record.recordID)
        #expect(try await seen.creatorUserRecordID == alice.userRecordID())
    }
}
