import Behaviours
import CloudKit
import CloudKitTesting
import Foundation
import Synchronization
import Testing

@Suite("CloudKit: CKSyncEngine syncs by itself", .timeLimit(.minutes(5))) struct AutomaticSyncTests {
    /// An app on a device of its own.
    private struct Place {
        let device: Device
        let app = SyncedNotes()
        let engine: CKSyncEngine

        init(_ world: World, _ account: String? = "alice") throws {
            device = try world.device(account)
            engine = try app.engine(
                device.container(World.container).privateCloudDatabase, automatically: true)
        }

        func write(_ titles: [String: String]) { app.write(titles, engine) }
    }

    @Test(
        "What one device writes arrives at the others by push, whose apps do nothing for it",
        .behaviour("engine.push"), arguments: Wire.allCases)
    func push(_ wire: Wire) async throws {
        let world = try World(wire)
        let places = try (0..<3).map { _ in try Place(world) }
        try await world.cloud.settle()
        for round in 0..<3 {
            for (number, place) in places.enumerated() { place.write(["note \(number)": "round \(round)"]) }
            try await world.cloud.settle()
            let expected = Dictionary(uniqueKeysWithValues: (0..<3).map { ("note \($0)", "round \(round)") })
            for place in places { #expect(place.app.titles == expected) }
        }
        // Nobody answers what it fetched with another change.
        let counts = places.map(\.device.requestCount)
        try await world.cloud.settle()
        #expect(places.map(\.device.requestCount) == counts)
    }

    @Test("Devices that change the same record at once end with the same", .behaviour("engine.converge"))
    func converge() async throws {
        let world = try World(.inProcess)
        let places = try (0..<4).map { _ in try Place(world) }
        try await world.cloud.settle()
        for round in 0..<3 {
            for (number, place) in places.enumerated() { place.write(["shared": "\(round) by \(number)"]) }
            try await world.cloud.settle()
            // Which one wins is the app's affair.
            let server = try await world.database().record(for: CKRecord.ID("shared", SyncedNotes.zoneID))
            for place in places {
                #expect(place.app.titles["shared"] == server["title"])
                #expect(place.app.titles["shared"]?.hasPrefix("\(round)") == true)
                #expect(place.engine.state.pendingRecordZoneChanges.isEmpty)
            }
        }
    }

    @Test(
        "What is written offline goes out, and what was missed comes in, once the network is back",
        .behaviour("engine.offline"), arguments: Wire.allCases)
    func offline(_ wire: Wire) async throws {
        let world = try World(wire)
        let (phone, laptop) = (try Place(world), try Place(world))
        try await world.cloud.settle()
        phone.device.isOffline = true
        phone.write(["from the phone": "1"])
        laptop.write(["from the laptop": "1"])
        try await world.cloud.settle()
        #expect(phone.app.titles == ["from the phone": "1"])
        #expect(phone.engine.state.pendingRecordZoneChanges.count == 1)
        phone.device.isOffline = false
        try await world.cloud.settle()
        #expect(phone.app.titles == ["from the phone": "1", "from the laptop": "1"])
        #expect(laptop.app.titles == phone.app.titles)
    }

    @Test("A sign-in wakes an engine that had nobody to sync for", .behaviour("engine.wakes"))
    func signIn() async throws {
        let world = try World(.inProcess)
        let laptop = try Place(world)
        laptop.write(["a": "1"])
        let phone = try Place(world, nil)
        try await world.cloud.settle()
        #expect(phone.app.titles.isEmpty)
        phone.device.signIn("alice")
        try await world.cloud.settle()
        #expect(phone.app.titles == ["a": "1"])
        phone.device.signOut()
        try await world.cloud.settle()
        #expect(phone.app.titles.isEmpty)
        laptop.write(["a": "2"])
        try await world.cloud.settle()
        phone.device.signIn("alice")
        try await world.cloud.settle()
        #expect(phone.app.titles == ["a": "2"])
    }

    @Test(
        "An engine that is to be told syncs only then", .behaviour("engine.manual"))
    func manual() async throws {
        let world = try World(.inProcess)
        let laptop = try Place(world)
        let device = try world.device()
        let app = SyncedNotes()
        let engine = try app.engine(device.container(World.container).privateCloudDatabase)
        app.write(["a": "1"], engine)
        laptop.write(["b": "1"])
        try await world.cloud.settle()
        #expect(device.requestCount == 0)
        try await engine.sendChanges()
        try await engine.fetchChanges()
        #expect(app.titles == ["a": "1", "b": "1"])
        try await world.cloud.settle()
        #expect(laptop.app.titles == app.titles)
    }

    @Test(
        "An engine subscribes to its database once for all devices, or uses the subscription that it is given",
        .behaviour("engine.subscription"))
    func subscription() async throws {
        let world = try World(.inProcess)
        let places = try (0..<2).map { _ in try Place(world) }
        try await world.cloud.settle()
        let database = try world.database()
        let subscriptions = try await database.allSubscriptions()
        #expect(subscriptions.count == 1)
        #expect(subscriptions.first is CKDatabaseSubscription)
        #expect(subscriptions.first?.notificationInfo?.shouldSendContentAvailable == true)
        let bob = try world.database("bob")
        let own = CKDatabaseSubscription(subscriptionID: "own")
        own.notificationInfo = CKSubscription.NotificationInfo(shouldSendContentAvailable: true)
        try await bob.save(own)
        let app = EngineRecorder()
        let engine = app.engine(try world.database("bob"), automatically: true, subscriptionID: "own")
        try await world.cloud.settle()
        #expect(try await bob.allSubscriptions().map(\.subscriptionID) == ["own"])
        let zoneID = CKRecordZone.ID(zoneName: "Zone")
        try await bob.save(CKRecordZone(zoneID: zoneID))
        try await bob.save(note("a", zoneID))
        try await world.cloud.settle()
        #expect(app.fetchedRecords.count == 1)
        withExtendedLifetime((places, engine)) {}
    }

    @Test(
        "A server that turns requests away for a while loses nothing and is not hammered", .behaviour("engine.patience")
    )
    func throttled() async throws {
        let world = try World(.inProcess)
        let place = try Place(world)
        try await world.cloud.settle()
        let before = place.device.requestCount
        let refused = Mutex(0)
        place.device.setFaults { request in
            guard request.operation == "records/modify" else { return nil }
            return refused.withLock { refused in
                refused += 1
                return refused <= 3 ? .refused(.throttled, retryAfter: 0.05) : nil
            }
        }
        place.write(["a": "1"])
        try await world.cloud.settle()
        #expect(place.engine.state.pendingRecordZoneChanges.isEmpty)
        #expect(refused.withLock { $0 } == 4)
        #expect(place.device.requestCount - before < 30)
        let saved = try await world.database().record(for: CKRecord.ID("a", SyncedNotes.zoneID))
        #expect(saved["title"] == "1")
    }

    @Test("Many changes of one record in a row are few saves, of the newest", .behaviour("engine.coalesced"))
    func coalesced() async throws {
        let world = try World(.inProcess)
        let place = try Place(world)
        try await world.cloud.settle()
        let before = place.device.requestCount
        for number in 0..<500 { place.write(["a": "\(number)"]) }
        try await world.cloud.settle()
        #expect(place.device.requestCount - before < 50)
        let saved = try await world.database().record(for: CKRecord.ID("a", SyncedNotes.zoneID))
        #expect(saved["title"] == "499")
    }

    @Test("A full account keeps nobody from fetching", .behaviour("engine.quota"))
    func quota() async throws {
        let world = try World(.inProcess)
        let (phone, laptop) = (try Place(world), try Place(world))
        try await world.cloud.settle()
        phone.device.setFaults { $0.operation == "records/modify" ? .refused(.quotaExceeded) : nil }
        phone.write(["mine": "1"])
        laptop.write(["theirs": "1"])
        try await world.cloud.settle()
        #expect(phone.app.titles == ["mine": "1", "theirs": "1"])
        #expect(phone.engine.state.pendingRecordZoneChanges.count == 1)
    }

    @Test(
        "Engines outlive a server that is away for a while: what was written meanwhile arrives",
        .behaviour("engine.server-restart"), arguments: Wire.allCases)
    func serverRestart(_ wire: Wire) async throws {
        let cloud = try RestartableCloud(wire)
        let (phone, laptop) = (SyncedNotes(), SyncedNotes())
        let (arrivals, arrived) = AsyncStream.makeStream(of: Void.self)
        laptop.listen { event in
            if case .fetchedRecordZoneChanges = event { arrived.yield() }
        }
        let sender = try phone.engine(cloud.device("phone").privateCloudDatabase, automatically: true)
        let receiver = try laptop.engine(cloud.device("laptop").privateCloudDatabase, automatically: true)
        var iterator = arrivals.makeAsyncIterator()
        for round in 0..<2 {
            phone.write(["before \(round)": "1"], sender)
            while laptop.titles["before \(round)"] == nil { await iterator.next() }
            cloud.stop()
            phone.write(["while away \(round)": "1"], sender)
            await #expect(throws: CKError.self) { try await sender.sendChanges() }
            try cloud.start()
            while laptop.titles["while away \(round)"] == nil { await iterator.next() }
        }
        withExtendedLifetime(receiver) {}
    }

    @Test("A world that cannot become quiet says what goes on")
    func neverQuiet() async throws {
        let world = try World(.inProcess)
        let place = try Place(world)
        place.device.setFaults { _ in .refused(.throttled, retryAfter: 600) }
        await #expect(throws: Cloud.NeverQuiet.self) { try await world.cloud.settle(within: .milliseconds(300)) }
        let waiting = Task { try await world.cloud.settle() }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
    }
}
