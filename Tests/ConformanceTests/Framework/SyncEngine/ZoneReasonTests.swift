import Behaviours
import CloudKit
import CloudKitTesting
import Foundation
import Testing

@Suite("CloudKit: CKSyncEngine tells why a zone went", .timeLimit(.minutes(2)))
struct ZoneReasonTests {
    private static let names = ["A", "B", "Secret"]
    private static let zones = names.map { CKRecordZone.ID(zoneName: $0) }

    /// Three zones with a record each, the last with an encrypted field; in a container.
    private func fill(_ database: CKDatabase) async throws {
        _ = try await database.modifyRecordZones(saving: Self.zones.map { CKRecordZone(zoneID: $0) }, deleting: [])
        for zoneID in Self.zones {
            let record = note("in \(zoneID.zoneName)", zoneID)
            if zoneID.zoneName == "Secret" { record.encryptedValues["secret"] = "s" }
            try await database.save(record)
        }
    }

    private func world(_ wire: Wire) async throws -> World {
        let world = try World(wire)
        try await fill(world.database())
        return world
    }

    /// What the app was told of the zones that went: each once, in whatever order.
    private func told(_ app: EngineRecorder) -> [String] {
        app.zoneDeletions.map { "\($0.zoneID.zoneName) \($0.reason)" }.sorted()
    }

    private static let allPurged = names.map { "\($0) purged" }

    @Test("Erased data is purged", .behaviour("engine.zone-reason", "ck.erase"), arguments: Wire.allCases)
    func purged(_ wire: Wire) async throws {
        let world = try await world(wire)
        let app = EngineRecorder()
        let engine = app.engine(try world.database())
        try await engine.fetchChanges()
        try world.cloud.eraseData(of: "alice", in: World.container)
        let error = await error { try await world.database().save(note("x", Self.zones[0])) }
        #expect(error?.code == .userDeletedZone)
        try await engine.fetchChanges()
        try await engine.fetchChanges()
        #expect(told(app) == Self.allPurged)
    }

    @Test(
        "A reset of encrypted data takes the zones that have some, and no others",
        .behaviour("engine.zone-reason", "ck.encrypted-reset"), arguments: Wire.allCases)
    func reset(_ wire: Wire) async throws {
        let world = try await world(wire)
        let app = EngineRecorder()
        let engine = app.engine(try world.database())
        try await engine.fetchChanges()
        try world.cloud.resetEncryptedData(of: "alice", in: World.container)
        try await engine.fetchChanges()
        #expect(told(app) == ["Secret encryptedDataReset"])
        // As Apple asks of an app: the zone is made again, and what the device has is sent again.
        engine.state.add(pendingDatabaseChanges: [.saveZone(CKRecordZone(zoneID: Self.zones[2]))])
        app.send([note("again", Self.zones[2])], engine)
        try await engine.sendChanges()
        #expect(try await world.database().record(for: CKRecord.ID("again", Self.zones[2]))["title"] == "Title")
    }

    @Test(
        "A zone that goes after the list was read is told with its reason", .behaviour("engine.zone-reason"),
        arguments: [false, true])
    func whileFetching(isMadeAgain: Bool) async throws {
        let world = try await world(.inProcess)
        let app = EngineRecorder()
        let engine = app.engine(try world.database())
        // The first request is for the list of zones.
        app.chooseFetches { number, options in
            guard number == 2 else { return options }
            try? world.cloud.eraseData(of: "alice", in: World.container)
            if isMadeAgain { _ = try? await world.database().save(CKRecordZone(zoneID: Self.zones[0])) }
            return options
        }
        _ = try? await engine.fetchChanges()
        app.chooseFetches { _, options in options }
        try await engine.fetchChanges()
        #expect(told(app) == Self.allPurged)
        try await world.database().save(CKRecordZone(zoneID: Self.zones[0]))
        try await world.database().save(note("new", Self.zones[0]))
        try await engine.fetchChanges()
        #expect(app.fetchedRecords.map(\.recordID.recordName) == ["new"])
    }

    @Test(
        "Zones that a list from the beginning no longer shows are told with their reasons",
        .behaviour("engine.zone-reason"), arguments: Wire.allCases)
    func unlisted(_ wire: Wire) async throws {
        let world = try await world(wire)
        let device = try world.device()
        // The state of another container: its token is none of this one, so the list is read from its beginning.
        let elsewhere = device.container("iCloud.com.example.other").privateCloudDatabase
        try await fill(elsewhere)
        let before = EngineRecorder()
        try await before.engine(elsewhere).fetchChanges()
        try await world.database().deleteRecordZone(withID: Self.zones[1])
        try world.cloud.resetEncryptedData(of: "alice", in: World.container)
        try world.cloud.eraseData(of: "alice", in: World.container)
        let app = EngineRecorder()
        let here = device.container(World.container).privateCloudDatabase
        try await app.engine(here, state: before.lastState).fetchChanges()
        #expect(told(app) == ["A purged", "B deleted", "Secret encryptedDataReset"])
    }

    @Test("An engine that was not there meanwhile hears it at its next start", .behaviour("engine.zone-reason"))
    func restarted() async throws {
        let world = try await world(.inProcess)
        let first = EngineRecorder()
        let device = try world.device()
        let database = device.container(World.container).privateCloudDatabase
        try await first.engine(database).fetchChanges()
        device.isOffline = true
        try world.cloud.eraseData(of: "alice", in: World.container)
        let app = EngineRecorder()
        let engine = app.engine(database, state: first.lastState)
        _ = try? await engine.fetchChanges()
        #expect(told(app).isEmpty)
        device.isOffline = false
        try await engine.fetchChanges()
        #expect(told(app) == Self.allPurged)
    }

    @Test("Devices hear of an erasure by push", .behaviour("ck.erase"))
    func push() async throws {
        let world = try await world(.inProcess)
        let app = EngineRecorder()
        let engine = app.engine(try world.database(), automatically: true)
        try await world.cloud.settle()
        try world.cloud.eraseData(of: "alice", in: World.container)
        try await world.cloud.settle()
        #expect(told(app) == Self.allPurged)
        withExtendedLifetime(engine) {}
    }

    @Test("What another account has stays, and what nobody used has nothing to erase", .behaviour("ck.erase"))
    func others() async throws {
        let world = try await world(.inProcess)
        try await fill(world.database("carol"))
        try world.cloud.eraseData(of: "alice", in: World.container)
        try world.cloud.eraseData(of: "nobody", in: World.container)
        try world.cloud.eraseData(of: "alice", in: "iCloud.com.example.never")
        #expect(try await world.database("carol").allRecordZones().count == Self.zones.count + 1)
    }
}
