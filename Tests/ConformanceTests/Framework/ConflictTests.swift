import Behaviours
import CloudKit
import CloudKitTesting
import Foundation
import Testing

@Suite("CloudKit: conflicts and save policies") struct ConflictTests {
    @Test(
        "A stale save is serverRecordChanged with server, client and ancestor", .behaviour("ck.conflict"),
        arguments: Wire.allCases)
    func conflict(_ wire: Wire) async throws {
        let world = try World(wire)
        let (phone, laptop) = (try world.database(), try world.database())
        let first = try await phone.save(note("a", title: "First"))
        let other = try await laptop.record(for: first.recordID)
        first["title"] = "Phone"
        let newest = try await phone.save(first)
        other["title"] = "Laptop"
        let conflict = try #require(await error { try await laptop.save(other) })
        #expect(conflict.code == .serverRecordChanged)
        #expect(conflict.serverRecord?["title"] == "Phone")
        #expect(conflict.serverRecord?.recordChangeTag == newest.recordChangeTag)
        #expect(conflict.clientRecord?["title"] == "Laptop")
        #expect(conflict.clientRecord === other)
        #expect(conflict.ancestorRecord?["title"] == "First")

        let merged = try #require(conflict.serverRecord)
        merged["title"] = "Both"
        try await laptop.save(merged)
        #expect(try await phone.record(for: first.recordID)["title"] == "Both")
    }

    @Test(
        "A fresh record over an existing one is serverRecordChanged", .behaviour("ck.save-over"),
        arguments: Wire.allCases)
    func saveOver(_ wire: Wire) async throws {
        let world = try World(wire)
        try await world.database().save(note("a", title: "Old"))
        let conflict = await error { try await world.database().save(note("a", title: "New")) }
        #expect(conflict?.code == .serverRecordChanged)
        #expect(conflict?.serverRecord?["title"] == "Old")
        #expect(conflict?.clientRecord?["title"] == "New")
    }

    @Test("Saving a record whose tag is gone is unknownItem", .behaviour("ck.save-deleted"), arguments: Wire.allCases)
    func saveDeleted(_ wire: Wire) async throws {
        let database = try World(wire).database()
        let record = try await database.save(note("a"))
        try await database.deleteRecord(withID: record.recordID)
        record["title"] = "Late"
        #expect(await error { try await database.save(record) }?.code == .unknownItem)
        try await database.save(note("a", title: "Again"))
    }

    @Test(
        "changedKeys overwrites the changed keys only, whatever happened meanwhile", .behaviour("ck.changed-keys"),
        arguments: Wire.allCases)
    func changedKeys(_ wire: Wire) async throws {
        let database = try World(wire).database()
        let record = note("a", title: "Title")
        record["body"] = "Body"
        let stale = try await database.save(record)
        let newer = try await database.record(for: record.recordID)
        newer["body"] = "Newer"
        try await database.save(newer)
        stale["title"] = "Changed"
        let (saved, _) = try await database.modifyRecords(saving: [stale], deleting: [], savePolicy: .changedKeys)
        #expect(try saved[record.recordID]?.get()["title"] == "Changed")
        #expect(try saved[record.recordID]?.get()["body"] == "Newer")
    }

    @Test(
        "allKeys overwrites all keys of the record; others stay on the server", .behaviour("ck.all-keys"),
        arguments: Wire.allCases)
    func allKeys(_ wire: Wire) async throws {
        let database = try World(wire).database()
        let record = note("a", title: "Title")
        record["body"] = "Body"
        let stale = try await database.save(record)
        let newer = try await database.record(for: record.recordID)
        newer["body"] = "Newer"
        newer["extra"] = 1
        try await database.save(newer)
        stale["title"] = "Changed"
        let (saved, _) = try await database.modifyRecords(saving: [stale], deleting: [], savePolicy: .allKeys)
        let result = try #require(try saved[record.recordID]?.get())
        #expect(result["title"] == "Changed")
        #expect(result["body"] == "Body")
        #expect(result["extra"] == 1)
    }

    @Test("One record twice in an operation is refused before anything is sent", .behaviour("ck.duplicate"))
    func duplicate() async throws {
        let device = try World(.inProcess).device()
        let database = device.container(World.container).privateCloudDatabase
        let twice = await error { try await database.modifyRecords(saving: [note("a"), note("a")], deleting: []) }
        #expect(twice?.code == .invalidArguments)
        #expect(twice?.localizedDescription.contains("You can't save the same record twice") == true)
        let both = await error {
            try await database.modifyRecords(saving: [note("a")], deleting: [CKRecord.ID("a")])
        }
        #expect(both?.code == .invalidArguments)
        #expect(device.requestCount == 0)
    }

    @Test(
        "More items than the server takes are limitExceeded for the whole call", .behaviour("ck.limit-exceeded"),
        arguments: Wire.allCases)
    func limitExceeded(_ wire: Wire) async throws {
        let (database, zone) = try await World(wire).database(zone: "Zone")
        let records = (0..<401).map { note("n\($0)", zone) }
        #expect(await error { try await database.modifyRecords(saving: records, deleting: []) }?.code == .limitExceeded)
        #expect(await error { try await database.records(for: records.map(\.recordID)) }?.code == .limitExceeded)
        let half = try await database.modifyRecords(saving: Array(records.prefix(200)), deleting: []).saveResults
        #expect(half.values.allSatisfy { $0.value != nil })
        let mixed = await error {
            try await database.modifyRecords(
                saving: Array(records.suffix(201)), deleting: records.prefix(200).map(\.recordID))
        }
        #expect(mixed?.code == .limitExceeded, "saves and deletions count together")
    }
}
