import Behaviours
import CloudKit
import CloudKitTesting
import CloudServer
import Foundation
import Synchronization
import Testing

@Suite("CloudKit: CKSyncEngine sends", .timeLimit(.minutes(2))) struct SyncEngineSendTests {
    private static let zoneID = CKRecordZone.ID(zoneName: "Notes")

    /// A device with an engine that has sent a zone, and another device's database.
    private struct Bench {
        let world: World
        let app = EngineRecorder()
        let device: Device
        let engine: CKSyncEngine
        let other: CKDatabase

        init(configure: (inout ServerConfiguration) -> Void = { _ in }) async throws {
            world = try World(.inProcess, configure: configure)
            device = try world.device()
            other = try world.database()
            try await other.save(CKRecordZone(zoneID: zoneID))
            engine = app.engine(device.container(World.container).privateCloudDatabase)
            try await engine.sendChanges()
            app.forgetEvents()
        }

        func pending(_ name: String) -> Bool {
            engine.state.pendingRecordZoneChanges.contains(.saveRecord(CKRecord.ID(name, zoneID)))
        }
    }

    private func record(_ name: String, _ title: String = "Title") -> CKRecord {
        note(name, Self.zoneID, title: title)
    }

    @Test(
        "A send tells its beginning, zones before records, and its end", .behaviour("engine.send-order"),
        arguments: Wire.allCases)
    func order(_ wire: Wire) async throws {
        let world = try World(wire)
        let app = EngineRecorder()
        let engine = app.engine(try world.database())
        app.send([record("a")], engine)
        engine.state.add(pendingDatabaseChanges: [.saveZone(CKRecordZone(zoneID: Self.zoneID))])
        try await engine.sendChanges()
        #expect(
            app.names == [
                "accountChange", "willSendChanges", "sentDatabaseChanges", "sentRecordZoneChanges", "didSendChanges",
            ])
        #expect(app.batchRequests == 2)
        #expect(app.sent.first?.savedRecords.first?.recordChangeTag != nil)
    }

    @Test("A zone that is added while records are sent goes before the next batch", .behaviour("engine.send-order"))
    func zoneBetween() async throws {
        let bench = try await Bench()
        let second = CKRecordZone.ID(zoneName: "Second")
        bench.app.handle { event, engine in
            if case .sentRecordZoneChanges = event, bench.app.sent.count == 1 {
                engine.state.add(pendingDatabaseChanges: [.saveZone(CKRecordZone(zoneID: second))])
                bench.app.send([note("there", second)], engine)
            }
        }
        bench.app.send((0..<401).map { record("\($0)") }, bench.engine)
        try await bench.engine.sendChanges()
        #expect(
            bench.app.names == [
                "willSendChanges", "sentRecordZoneChanges", "sentDatabaseChanges", "sentRecordZoneChanges",
                "sentRecordZoneChanges", "didSendChanges",
            ])
        #expect(bench.engine.state.pendingRecordZoneChanges.isEmpty)
    }

    @Test("Zones are deleted, also those that are gone already", .behaviour("engine.delete-zone"))
    func deleteZone() async throws {
        let bench = try await Bench()
        let missing = CKRecordZone.ID(zoneName: "Missing")
        bench.engine.state.add(pendingDatabaseChanges: [.deleteZone(Self.zoneID), .deleteZone(missing)])
        try? await bench.engine.sendChanges()
        let sent = bench.app.events.compactMap {
            if case .sentDatabaseChanges(let sent) = $0 { sent } else { nil }
        }
        #expect(sent.count == 1)
        #expect(sent.first?.deletedZoneIDs.contains(Self.zoneID) == true)
        #expect(bench.engine.state.pendingDatabaseChanges.isEmpty)
        #expect(try await bench.other.allRecordZones().map(\.zoneID.zoneName) == ["_defaultZone"])
    }

    @Test("Of one record, and of one zone, the last change is pending", .behaviour("engine.dedupe"))
    func dedupe() throws {
        let engine = EngineRecorder().engine(try World(.inProcess).database())
        let (a, b) = (CKRecord.ID("a", Self.zoneID), CKRecord.ID("b", Self.zoneID))
        engine.state.add(pendingRecordZoneChanges: [.saveRecord(a), .saveRecord(b), .saveRecord(a)])
        #expect(engine.state.pendingRecordZoneChanges == [.saveRecord(a), .saveRecord(b)])
        engine.state.add(pendingRecordZoneChanges: [.deleteRecord(a)])
        #expect(engine.state.pendingRecordZoneChanges == [.saveRecord(b), .deleteRecord(a)])
        engine.state.add(pendingRecordZoneChanges: [.saveRecord(a)])
        #expect(engine.state.pendingRecordZoneChanges == [.saveRecord(b), .saveRecord(a)])
        engine.state.remove(pendingRecordZoneChanges: [.deleteRecord(b), .saveRecord(a)])
        #expect(engine.state.pendingRecordZoneChanges == [.saveRecord(b)])
        let zone = CKRecordZone(zoneID: Self.zoneID)
        engine.state.add(pendingDatabaseChanges: [
            .saveZone(zone), .deleteZone(Self.zoneID), .saveZone(CKRecordZone(zoneID: Self.zoneID)),
        ])
        #expect(engine.state.pendingDatabaseChanges == [.saveZone(zone)])
    }

    @Test("A batch takes up to 400 records, 2 MB, and leaves out what is gone", .behaviour("engine.batch-size"))
    func batchSize() async {
        let names = (0..<450).map { CKRecord.ID("\($0)", Self.zoneID) }
        let changes = names.enumerated().map { number, recordID in
            number.isMultiple(of: 2)
                ? CKSyncEngine.PendingRecordZoneChange.saveRecord(recordID) : .deleteRecord(recordID)
        }
        let batch = await CKSyncEngine.RecordZoneChangeBatch(pendingChanges: changes) { recordID in
            CKRecord(recordType: "Note", recordID: recordID)
        }
        #expect(batch?.recordsToSave.count == 200 && batch?.recordIDsToDelete.count == 200)
        #expect(batch?.atomicByZone == false)
        let large = await CKSyncEngine.RecordZoneChangeBatch(pendingChanges: names.map { .saveRecord($0) }) {
            recordID in
            let record = CKRecord(recordType: "Note", recordID: recordID)
            record["text"] = String(repeating: "x", count: 300_000)
            return record
        }
        #expect(large?.recordsToSave.count == 6)
        let none = await CKSyncEngine.RecordZoneChangeBatch(pendingChanges: names.map { .saveRecord($0) }) { _ in nil }
        #expect(none == nil)
    }

    @Test("A record that the app no longer has keeps nothing else from being sent", .behaviour("engine.missing-record"))
    func missingRecord() async throws {
        let bench = try await Bench()
        bench.engine.state.add(pendingRecordZoneChanges: [.saveRecord(CKRecord.ID("gone", Self.zoneID))])
        bench.app.send([record("a")], bench.engine)
        try await bench.engine.sendChanges()
        #expect(bench.app.sent.flatMap(\.savedRecords).map(\.recordID.recordName) == ["a"])
        #expect(bench.app.batchRequests <= 3)
    }

    @Test(
        "Of an atomic batch the culprit goes to the app, its siblings stay pending; both are sent next time",
        .behaviour("engine.atomic"))
    func atomic() async throws {
        let bench = try await Bench()
        bench.app.beAtomic()
        try await bench.other.save(record("taken", "theirs"))
        bench.app.send([record("new"), record("taken", "mine")], bench.engine)
        #expect(await error { try await bench.engine.sendChanges() }?.code == .partialFailure)
        #expect(bench.app.failures == ["new": .batchRequestFailed, "taken": .serverRecordChanged])
        #expect(bench.pending("new") && !bench.pending("taken"))
        let server = try #require(bench.app.sent.flatMap(\.failedRecordSaves).compactMap(\.error.serverRecord).first)
        server["title"] = "merged"
        bench.app.send([server], bench.engine)
        try await bench.engine.sendChanges()
        #expect(bench.engine.state.pendingRecordZoneChanges.isEmpty)
        let saved = try await bench.other.records(for: ["new", "taken"].map { CKRecord.ID($0, Self.zoneID) })
        #expect(saved.values.allSatisfy { $0.error == nil })
    }

    @Test(
        "Whatever does not pass by itself goes to the app, is thrown, and waits for the next send if it is added again",
        .behaviour("engine.dropped"))
    func dropped() async throws {
        let bench = try await Bench()
        bench.app.send([record("deleted")], bench.engine)
        try await bench.engine.sendChanges()
        try await bench.other.deleteRecord(withID: CKRecord.ID("deleted", Self.zoneID))
        try await bench.other.save(record("taken"))
        let orphan = record("orphan")
        orphan.parent = CKRecord.Reference(recordID: CKRecord.ID("nobody", Self.zoneID), action: .none)
        bench.app.handle { event, engine in
            guard case .sentRecordZoneChanges(let sent) = event else { return }
            let again = sent.failedRecordSaves.map(\.record.recordID).filter { $0.recordName == "orphan" }
            engine.state.add(pendingRecordZoneChanges: again.map { .saveRecord($0) })
        }
        let deleted = try #require(bench.app.sent.flatMap(\.savedRecords).first)
        deleted["title"] = "changed"
        bench.app.forgetEvents()
        let elsewhere = note("elsewhere", CKRecordZone.ID(zoneName: "Missing"))
        bench.app.send([deleted, record("taken"), orphan, elsewhere, record("fine")], bench.engine)
        let failure = await error { try await bench.engine.sendChanges() }
        #expect(failure?.code == .partialFailure && failure?.partialErrorsByItemID?.count == 4)
        #expect(
            bench.app.failures == [
                "deleted": .unknownItem, "taken": .serverRecordChanged, "orphan": .referenceViolation,
                "elsewhere": .zoneNotFound,
            ])
        #expect(bench.app.sent.flatMap(\.failedRecordSaves).count == 4)
        #expect(bench.engine.state.pendingRecordZoneChanges == [.saveRecord(orphan.recordID)])
        #expect(bench.app.sent.flatMap(\.savedRecords).map(\.recordID.recordName) == ["fine"])
    }

    @Test(
        "A record that somebody else changed is never overwritten; the one merged from the server's is taken",
        .behaviour("engine.save-policy"))
    func savePolicy() async throws {
        let bench = try await Bench()
        bench.app.send([record("a")], bench.engine)
        try await bench.engine.sendChanges()
        let mine = try #require(bench.app.sent.first?.savedRecords.first)
        let theirs = try await bench.other.record(for: mine.recordID)
        theirs["author"] = "somebody"
        try await bench.other.save(theirs)
        mine["title"] = "mine"
        bench.app.send([mine], bench.engine)
        #expect(await error { try await bench.engine.sendChanges() } != nil)
        let conflict = try #require(bench.app.sent.last?.failedRecordSaves.first)
        #expect(conflict.error.code == .serverRecordChanged)
        let server = try #require(conflict.error.serverRecord)
        #expect(server["author"] == "somebody" && server["title"] == "Title")
        #expect(conflict.error.clientRecord?["title"] == "mine")
        #expect(conflict.error.ancestorRecord?["title"] == "Title")
        server["title"] = "mine"
        bench.app.send([server], bench.engine)
        try await bench.engine.sendChanges()
        let saved = try await bench.other.record(for: mine.recordID)
        #expect(saved["author"] == "somebody" && saved["title"] == "mine")
    }

    @Test("The scope says what is sent", .behaviour("engine.send-scope"))
    func scope() async throws {
        let bench = try await Bench()
        let second = CKRecordZone.ID(zoneName: "Second")
        try await bench.other.save(CKRecordZone(zoneID: second))
        bench.app.send([record("a"), record("b"), note("c", second), note("d", second)], bench.engine)
        func sent(_ scope: CKSyncEngine.SendChangesOptions.Scope) async throws -> Set<String> {
            bench.app.forgetEvents()
            try await bench.engine.sendChanges(.init(scope: scope))
            return Set(bench.app.sent.flatMap(\.savedRecords).map(\.recordID.recordName))
        }
        #expect(try await sent(.recordIDs([CKRecord.ID("b", Self.zoneID), CKRecord.ID("c", second)])) == ["b", "c"])
        #expect(try await sent(.allExcluding([second])) == ["a"])
        #expect(try await sent(.zoneIDs([Self.zoneID])) == [])
        #expect(try await sent(.zoneIDs([second])) == ["d"])
    }

    @Test(
        "A server that takes less than 400 records at once gets smaller requests", .behaviour("engine.limit"),
        arguments: [1, 7, 150])
    func limit(_ items: Int) async throws {
        let bench = try await Bench { $0.nativeLimits.items = items }
        bench.app.send((0..<200).map { record("\($0)") }, bench.engine)
        try await bench.engine.sendChanges()
        #expect(bench.engine.state.pendingRecordZoneChanges.isEmpty)
        #expect(bench.app.sent.flatMap(\.savedRecords).count == 200)
        #expect(bench.app.sent.flatMap(\.failedRecordSaves).isEmpty)
    }

    @Test("A full account ends the send and keeps what is pending, in order", .behaviour("engine.quota"))
    func quota() async throws {
        let bench = try await Bench { $0.accountQuota = 20_000 }
        let records = (0..<5).map { record("\($0)", String(repeating: "x", count: 6_000)) }
        for record in records {
            bench.app.send([record], bench.engine)
            try? await bench.engine.sendChanges()
        }
        #expect(bench.app.failures.values.contains(.quotaExceeded))
        let left = bench.engine.state.pendingRecordZoneChanges
        #expect(!left.isEmpty)
        try await bench.other.deleteRecord(withID: CKRecord.ID("0", Self.zoneID))
        try await bench.other.deleteRecord(withID: CKRecord.ID("1", Self.zoneID))
        try bench.world.cloud.runMaintenance()
        try await bench.engine.sendChanges()
        #expect(bench.engine.state.pendingRecordZoneChanges.isEmpty)
    }

    @Test(
        "Changes that the app keeps itself are asked for until there are none", .behaviour("engine.untracked"))
    func untracked() async throws {
        let bench = try await Bench()
        let left = Mutex((0..<3).map { "note \($0)" })
        bench.app.provide { _, _ in
            guard let name = left.withLock({ $0.popLast() }) else { return nil }
            return .init(recordsToSave: [note(name, Self.zoneID)])
        }
        bench.engine.state.hasPendingUntrackedChanges = true
        try await bench.engine.sendChanges()
        #expect(!bench.engine.state.hasPendingUntrackedChanges)
        #expect(bench.app.sent.flatMap(\.savedRecords).count == 3)
        #expect(bench.engine.state.pendingRecordZoneChanges.isEmpty)
    }

    @Test("Records of types and fields that no other version knows are sent and fetched", .behaviour("engine.any-type"))
    func anyType() async throws {
        let bench = try await Bench()
        let strange = CKRecord(recordType: "FromTheFuture", recordID: CKRecord.ID("x", Self.zoneID))
        strange["answer"] = 42
        bench.app.send([strange], bench.engine)
        try await bench.engine.sendChanges()
        let reader = EngineRecorder()
        try await reader.engine(bench.other).fetchChanges()
        #expect(reader.fetchedRecords.map(\.recordType) == ["FromTheFuture"])
        #expect(reader.fetchedRecords.first?["answer"] == 42)
    }

    @Test(
        "One event is told after the other, and a call returns when the last was handled", .behaviour("engine.serial"))
    func serial() async throws {
        let bench = try await Bench()
        let running = Mutex((now: 0, most: 0, handled: 0))
        bench.app.handle { _, _ in
            running.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1), $0.handled) }
            for _ in 0..<50 { await Task.yield() }
            running.withLock { $0 = ($0.now - 1, $0.most, $0.handled + 1) }
        }
        bench.app.send((0..<3).map { record("\($0)") }, bench.engine)
        async let sending: Void = bench.engine.sendChanges()
        async let fetching: Void = bench.engine.fetchChanges()
        async let again: Void = bench.engine.sendChanges()
        _ = try await (sending, fetching, again)
        #expect(running.withLock { $0.most } == 1)
        try await bench.world.cloud.settle()
        #expect(running.withLock { $0.handled } == bench.app.events.count)
    }

    @Test(
        "Every change of what is pending is handed out to be stored, without a sync", .behaviour("engine.state-update"))
    func stateUpdate() async throws {
        let bench = try await Bench()
        bench.app.send([record("a"), record("b")], bench.engine)
        try await bench.world.cloud.settle()
        #expect(bench.app.names.isEmpty)
        let data = try JSONEncoder().encode(try #require(bench.app.lastState))
        let state = try JSONDecoder().decode(CKSyncEngine.State.Serialization.self, from: data)
        let next = EngineRecorder().engine(bench.engine.database, state: state)
        #expect(next.state.pendingRecordZoneChanges == bench.engine.state.pendingRecordZoneChanges)
        #expect(next.state.pendingRecordZoneChanges.count == 2)
    }

    @Test(
        "An engine made anew at once takes over what is pending; one with an older state, or none, starts over",
        .behaviour("engine.made-anew"))
    func madeAnew() async throws {
        let bench = try await Bench()
        let database = bench.engine.database
        bench.app.send([record("first")], bench.engine)
        try await bench.world.cloud.settle()
        try await bench.engine.sendChanges()
        let sent = bench.app.sent.count
        bench.app.send([record("a"), record("b")], bench.engine)
        bench.engine.state.add(pendingDatabaseChanges: [.saveZone(CKRecordZone(zoneName: "Later"))])
        let next = bench.app.engine(database, state: bench.app.lastState)
        #expect(next.state.pendingRecordZoneChanges == bench.engine.state.pendingRecordZoneChanges)
        #expect(next.state.pendingDatabaseChanges.count == 1)
        try await next.sendChanges()
        #expect(bench.app.sent.dropFirst(sent).flatMap(\.savedRecords).count == 2)

        let stranger = EngineRecorder().engine(database)
        #expect(stranger.state.pendingRecordZoneChanges.isEmpty)
        let older = bench.app.lastState
        bench.app.send([record("c")], next)
        try await bench.world.cloud.settle()
        #expect(bench.app.engine(database, state: older).state.pendingRecordZoneChanges.isEmpty)
        #expect(bench.app.engine(database, state: nil).state.pendingRecordZoneChanges.isEmpty)
    }
}
