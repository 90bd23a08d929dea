import Behaviours
import CloudKit
import CloudKitTesting
import Foundation
import Testing

@Suite("CloudKit: zones") struct ZoneTests {
    @Test(
        "A zone is made, listed, fetched and deleted with its records", .behaviour("zone.create", "zone.delete"),
        arguments: Wire.allCases)
    func lifeOfAZone(_ wire: Wire) async throws {
        let database = try World(wire).database()
        let zone = try await database.save(CKRecordZone(zoneName: "Zone"))
        #expect(zone.capabilities.contains([.atomic, .fetchChanges]))
        #expect(Set(try await database.allRecordZones().map(\.zoneID)) == [.default, zone.zoneID])
        #expect(try await database.recordZone(for: zone.zoneID).zoneID == zone.zoneID)
        try await database.save(note("a", zone.zoneID))
        try await database.deleteRecordZone(withID: zone.zoneID)
        #expect(await error { try await database.recordZone(for: zone.zoneID) }?.code == .zoneNotFound)
        #expect(await error { try await database.record(for: CKRecord.ID("a", zone.zoneID)) }?.code == .zoneNotFound)
    }

    @Test("Saving a zone again keeps its records", .behaviour("ck.zone-resave"), arguments: Wire.allCases)
    func resave(_ wire: Wire) async throws {
        let (database, zone) = try await World(wire).database(zone: "Zone")
        try await database.save(note("a", zone))
        try await database.save(CKRecordZone(zoneID: zone))
        #expect(try await database.record(for: CKRecord.ID("a", zone))["title"] == "Title")
    }

    @Test("Deleting an unknown zone is zoneNotFound", .behaviour("ck.delete-unknown-zone"), arguments: Wire.allCases)
    func deleteUnknown(_ wire: Wire) async throws {
        let database = try World(wire).database()
        let nowhere = CKRecordZone.ID(zoneName: "Nowhere")
        let (_, deleted) = try await database.modifyRecordZones(saving: [], deleting: [nowhere])
        #expect(deleted[nowhere]?.error?.code == .zoneNotFound)
        // On its own, what is gone is gone.
        #expect(try await database.deleteRecordZone(withID: nowhere) == nowhere)
    }

    @Test("Zones are made in private databases only", arguments: [CKDatabase.Scope.public, .shared])
    func otherDatabases(_ scope: CKDatabase.Scope) async throws {
        let database = try World(.inProcess).database("alice", scope)
        #expect(await error { try await database.save(CKRecordZone(zoneName: "Zone")) }?.code == .badDatabase)
    }

    @Test(
        "Several zones are saved and deleted in one call, each with its own result", .behaviour("zone.all-attempted"),
        arguments: Wire.allCases)
    func several(_ wire: Wire) async throws {
        let database = try World(wire).database()
        let (saved, deleted) = try await database.modifyRecordZones(
            saving: [CKRecordZone(zoneName: "A"), CKRecordZone(zoneName: "B")],
            deleting: [CKRecordZone.ID(zoneName: "Nowhere")])
        #expect(saved.count == 2)
        #expect(saved.values.allSatisfy { $0.value != nil })
        #expect(deleted.values.first?.error?.code == .zoneNotFound)
        let found = try await database.recordZones(for: [
            CKRecordZone.ID(zoneName: "A"), CKRecordZone.ID(zoneName: "C"),
        ])
        #expect(found[CKRecordZone.ID(zoneName: "A")]?.value != nil)
        #expect(found[CKRecordZone.ID(zoneName: "C")]?.error?.code == .zoneNotFound)
    }
}
