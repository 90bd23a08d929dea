import Behaviours
import CloudKit
import CloudKitTesting
import Foundation
import Synchronization
import Testing

@Suite("CloudKit: CKSyncEngine", .timeLimit(.minutes(5))) struct SyncEngineTests {
    @Test(
        "What one device writes, changes and deletes reaches the other", .behaviour("engine.round-trip"),
        arguments: Wire.allCases)
    func twoDevices(_ wire: Wire) async throws {
        let world = try World(wire)
        let (phone, laptop) = (SyncedNotes(), SyncedNotes())
        let (sender, receiver) = (try phone.engine(world.database()), try laptop.engine(world.database()))
        let titles = Dictionary(uniqueKeysWithValues: (0..<444).map { ("note \($0)", "first") })
        phone.write(titles, sender)
        try await sender.sendChanges()
        #expect(sender.state.pendingRecordZoneChanges.isEmpty)
        #expect(phone.accountChanges.count == 1)
        try await receiver.fetchChanges()
        #expect(laptop.titles == titles)
        phone.write(["note 1": "second"], sender)
        phone.erase("note 2", sender)
        try await sender.sendChanges()
        try await receiver.fetchChanges()
        #expect(laptop.titles == phone.titles)
        #expect(laptop.titles.count == 443)
    }

    @Test(
        "A conflict is thrown and told; after the app has merged, both devices agree", .behaviour("engine.conflict"),
        arguments: Wire.allCases)
    func conflict(_ wire: Wire) async throws {
        let world = try World(wire)
        let (phone, laptop) = (SyncedNotes(), SyncedNotes())
        let (first, second) = (try phone.engine(world.database()), try laptop.engine(world.database()))
        phone.write(["a": "0"], first)
        try await first.sendChanges()
        try await second.fetchChanges()
        phone.write(["a": "1"], first)
        laptop.write(["a": "2"], second)
        try await first.sendChanges()
        let failure = await error { try await second.sendChanges() }
        #expect(failure?.code == .partialFailure)
        #expect(second.state.pendingRecordZoneChanges.count == 1)
        try await second.sendChanges()
        try await first.fetchChanges()
        #expect(phone.titles == ["a": "2"])
        #expect(laptop.titles == phone.titles)
    }

    @Test(
        "A zone that vanished is made again by the app, in the next send", .behaviour("engine.zone-not-found"))
    func zoneNotFound() async throws {
        let world = try World(.inProcess)
        let app = SyncedNotes()
        let engine = try app.engine(world.database())
        app.write(["a": "1"], engine)
        try await engine.sendChanges()
        try await world.database().deleteRecordZone(withID: SyncedNotes.zoneID)
        app.write(["a": "2"], engine)
        #expect(await error { try await engine.sendChanges() } != nil)
        #expect(engine.state.pendingRecordZoneChanges.count == 1)
        try await engine.sendChanges()
        let saved = try await world.database().record(for: CKRecord.ID("a", SyncedNotes.zoneID))
        #expect(saved["title"] == "2")
    }

    @Test(
        "No fault of the network or the server loses a change", .behaviour("engine.retried"),
        arguments: [
            Fault.requestLost, .answerLost, .offline, .timedOut, .refused(.throttled, retryAfter: 5),
            .refused(.unavailable), .refused(.zoneBusy), .refused(.quotaExceeded), .refused(.limitExceeded),
            .refused(.notAuthenticated),
        ])
    func faults(_ fault: Fault) async throws {
        let world = try World(.inProcess)
        let device = try world.device()
        let app = SyncedNotes()
        let engine = try app.engine(device.container(World.container).privateCloudDatabase)
        app.write(["a": "1", "b": "1"], engine)
        try await engine.sendChanges()
        app.write(["a": "2", "b": "2"], engine)
        let left = Mutex(1)
        device.setFaults { request in
            guard request.operation == "records/modify" else { return nil }
            return left.withLock { left in
                left -= 1
                return left >= 0 ? fault : nil
            }
        }
        for _ in 0..<3 { try? await engine.sendChanges() }
        #expect(engine.state.pendingRecordZoneChanges.isEmpty)
        let other = SyncedNotes()
        try await other.engine(world.database()).fetchChanges()
        #expect(other.titles == ["a": "2", "b": "2"])
    }

    @Test(
        "An edit made while its batch is on its way is sent too", .behaviour("engine.edit-in-flight"),
        arguments: Wire.allCases)
    func editMeanwhile(_ wire: Wire) async throws {
        let world = try World(wire)
        let device = try world.device()
        let app = SyncedNotes()
        let engine = try app.engine(device.container(World.container).privateCloudDatabase)
        app.write(["a": "1"], engine)
        let left = Mutex(1)
        device.setFaults { request in
            let edits = left.withLock { left in
                if request.operation == "records/modify" { left -= 1 }
                return left == 0 && request.operation == "records/modify"
            }
            if edits { app.write(["a": "2"], engine) }
            return nil
        }
        try await engine.sendChanges()
        let saved = try await world.database().record(for: CKRecord.ID("a", SyncedNotes.zoneID))
        #expect(saved["title"] == "2")
        #expect(engine.state.pendingRecordZoneChanges.isEmpty)
    }

    @Test(
        "What was stored with the state is enough to go on after a crash", .behaviour("engine.state"))
    func restart() async throws {
        let world = try World(.inProcess)
        let device = try world.device()
        let database = device.container(World.container).privateCloudDatabase
        let app = SyncedNotes()
        var engine: CKSyncEngine? = try app.engine(database)
        if let engine { app.write(["a": "1"], engine) }
        try await engine?.sendChanges()
        device.isOffline = true
        if let engine { app.write(["b": "1"], engine) }
        await #expect(throws: CKError.self) { try await engine?.sendChanges() }
        engine = nil
        device.isOffline = false
        let again = SyncedNotes(app.stored)
        let next = try again.engine(database)
        #expect(next.state.pendingRecordZoneChanges == [.saveRecord(CKRecord.ID("b", SyncedNotes.zoneID))])
        try await next.sendChanges()
        try await next.fetchChanges()
        #expect(again.titles == ["a": "1", "b": "1"])
        #expect(again.accountChanges.isEmpty)
    }

    @Test(
        "Another account hears nothing of the one before", .behaviour("engine.switch-accounts"))
    func switchAccounts() async throws {
        let world = try World(.inProcess)
        let device = try world.device("alice")
        let app = SyncedNotes()
        let engine = try app.engine(device.container(World.container).privateCloudDatabase)
        app.write(["a": "1"], engine)
        try await engine.sendChanges()
        app.write(["b": "1"], engine)
        device.signIn("bob")
        try await engine.sendChanges()
        #expect(engine.state.pendingRecordZoneChanges.isEmpty)
        guard case .switchAccounts? = app.accountChanges.last else {
            Issue.record("no switch: \(app.accountChanges)")
            return
        }
        try await engine.fetchChanges()
        #expect(app.titles.isEmpty)
        #expect(try await world.database("bob").allRecordZones().count == 1)
        device.signOut()
        #expect(await error { try await engine.fetchChanges() }?.code == .notAuthenticated)
        guard case .signOut? = app.accountChanges.last else {
            Issue.record("no sign-out: \(app.accountChanges)")
            return
        }
    }

    @Test(
        "Cancelling ends a call with operationCancelled, and what was pending stays so", .behaviour("engine.cancel"))
    func cancel() async throws {
        let world = try World(.inProcess)
        let app = SyncedNotes()
        let engine = try app.engine(world.database())
        app.write(["a": "1"], engine)
        let (willSend, arrived) = AsyncStream.makeStream(of: Void.self)
        app.listen { event in
            if case .willSendChanges = event { arrived.yield() }
        }
        let call = Task { await error { try await engine.sendChanges() } }
        for await _ in willSend { break }
        await engine.cancelOperations()
        let ended = await call.value
        if ended != nil {
            #expect(ended?.code == .operationCancelled)
            #expect(!engine.state.pendingRecordZoneChanges.isEmpty)
        }
        try await engine.sendChanges()
        #expect(engine.state.pendingRecordZoneChanges.isEmpty)
    }

    @Test(
        "Ten thousand pending changes are sent in full batches, each change once", .behaviour("engine.batch-size"))
    func volume() async throws {
        let world = try World(.inProcess)
        let app = SyncedNotes()
        let engine = try app.engine(world.database())
        app.write(Dictionary(uniqueKeysWithValues: (0..<10_000).map { ("note \($0)", "title") }), engine)
        try await engine.sendChanges()
        #expect(engine.state.pendingRecordZoneChanges.isEmpty)
        #expect(app.events.count { $0 == "sentRecordZoneChanges" } == 25)
    }
}
