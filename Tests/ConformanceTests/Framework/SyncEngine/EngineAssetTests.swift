import Behaviours
import CloudKit
import CloudKitTesting
import Foundation
import Testing

@Suite("CloudKit: CKSyncEngine and assets", .timeLimit(.minutes(2))) struct EngineAssetTests {
    @Test(
        "Batches with files are sent and fetched, and a file that is missing fails its record alone",
        .behaviour("engine.assets"), arguments: Wire.allCases)
    func batches(_ wire: Wire) async throws {
        let world = try World(wire)
        let files = try Files()
        let (database, zoneID) = try await world.database(zone: "Notes")
        let app = EngineRecorder()
        let engine = app.engine(database)
        var records: [CKRecord] = []
        for number in 0..<5 {
            let record = note("n\(number)", zoneID)
            record["photo"] = number == 3 ? CKAsset(fileURL: files.url("none")) : try files.asset("photo \(number)")
            records.append(record)
        }
        app.send(records, engine)
        try? await engine.sendChanges()
        #expect(app.failures == ["n3": .assetFileNotFound])
        #expect(app.sent.flatMap(\.savedRecords).count == 4)
        #expect(engine.state.pendingRecordZoneChanges.isEmpty)

        let other = EngineRecorder()
        let reader = other.engine(try world.database())
        try await reader.fetchChanges()
        let texts = other.fetchedRecords.map { $0.text(of: "photo") }
        #expect(texts.sorted { ($0 ?? "") < ($1 ?? "") } == ["photo 0", "photo 1", "photo 2", "photo 4"])
    }

    @Test(
        "What a lost connection kept from being sent or fetched comes with the next try",
        .behaviour("engine.assets-lost"),
        arguments: Wire.allCases)
    func lost(_ wire: Wire) async throws {
        let world = try World(wire)
        let files = try Files()
        let (_, zoneID) = try await world.database(zone: "Notes")
        let device = try world.device()
        let app = EngineRecorder()
        let engine = app.engine(device.container(World.container).privateCloudDatabase)
        let record = note("a", zoneID)
        record["photo"] = try files.asset("a bird")
        app.send([record], engine)
        device.setFaults { $0.operation == "assets/upload/file" ? .requestLost : nil }
        try? await engine.sendChanges()
        #expect(engine.state.pendingRecordZoneChanges == [.saveRecord(record.recordID)])
        device.setFaults(nil)
        try await engine.sendChanges()
        #expect(engine.state.pendingRecordZoneChanges.isEmpty)

        let second = try world.device()
        let other = EngineRecorder()
        let reader = other.engine(second.container(World.container).privateCloudDatabase)
        second.setFaults { $0.operation == "assets/download/file" ? .requestLost : nil }
        try? await reader.fetchChanges()
        #expect(other.fetchedRecords.isEmpty)
        second.setFaults(nil)
        try await reader.fetchChanges()
        #expect(other.fetchedRecords.map { $0.text(of: "photo") } == ["a bird"])
    }
}
