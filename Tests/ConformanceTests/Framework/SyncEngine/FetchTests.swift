import Behaviours
import CloudKit
import CloudKitTesting
import Foundation
import Synchronization
import Testing

@Suite("CloudKit: CKSyncEngine fetches", .timeLimit(.minutes(2))) struct SyncEngineFetchTests {
    private static let names = ["A", "B", "C"]
    private static let zones = names.map { CKRecordZone.ID(zoneName: $0) }

    /// Three zones with a record each, and another device.
    private func database(_ world: World) async throws -> CKDatabase {
        let database = try world.database()
        _ = try await database.modifyRecordZones(
            saving: Self.zones.map { CKRecordZone(zoneID: $0) }, deleting: [])
        for zoneID in Self.zones { try await database.save(note("in \(zoneID.zoneName)", zoneID)) }
        return database
    }

    private func zoneNames(_ app: EngineRecorder) -> [String] {
        app.fetchedRecords.map(\.recordID.zoneID.zoneName)
    }

    @Test(
        "A fetch tells its beginning, the zones, each zone's beginning, changes and end, and its end",
        .behaviour("engine.fetch-order"), arguments: Wire.allCases)
    func order(_ wire: Wire) async throws {
        let world = try World(wire)
        _ = try await database(world)
        let app = EngineRecorder()
        let engine = app.engine(try world.database())
        try await engine.fetchChanges()
        let zone = ["willFetchRecordZoneChanges", "fetchedRecordZoneChanges", "didFetchRecordZoneChanges"]
        #expect(
            app.names == ["accountChange", "willFetchChanges", "fetchedDatabaseChanges"] + zone + zone + zone
                + ["didFetchChanges"])
        // Nothing new: nothing but the fetch itself.
        app.forgetEvents()
        try await engine.fetchChanges()
        #expect(app.names == ["willFetchChanges", "didFetchChanges"])
        #expect(engine.state.pendingRecordZoneChanges.isEmpty)
    }

    @Test("A record comes once, in its newest state, and only deletions of what was known", .behaviour("engine.newest"))
    func newest() async throws {
        let world = try World(.inProcess)
        let database = try await database(world)
        for number in 0..<5 {
            let record = try await database.record(for: CKRecord.ID("in A", Self.zones[0]))
            record["title"] = "version \(number)"
            try await database.save(record)
        }
        try await database.save(note("short-lived", Self.zones[0]))
        try await database.deleteRecord(withID: CKRecord.ID("short-lived", Self.zones[0]))
        let app = EngineRecorder()
        let engine = app.engine(try world.database())
        try await engine.fetchChanges()
        #expect(app.fetchedRecords.count == 3)
        #expect(app.fetchedRecords.first?["title"] == "version 4")
        #expect(app.fetched.flatMap(\.deletions).isEmpty)
        try await database.deleteRecord(withID: CKRecord.ID("in A", Self.zones[0]))
        try await engine.fetchChanges()
        #expect(app.fetched.flatMap(\.deletions).map(\.recordID.recordName) == ["in A"])
        #expect(app.fetched.flatMap(\.deletions).map(\.recordType) == ["Note"])
    }

    @Test(
        "The scope says which zones are fetched; the others are known to have changes", .behaviour("engine.fetch-scope")
    )
    func scope() async throws {
        let world = try World(.inProcess)
        _ = try await database(world)
        let app = EngineRecorder()
        let engine = app.engine(try world.database())
        try await engine.fetchChanges(.init(scope: .zoneIDs([Self.zones[1]])))
        #expect(zoneNames(app) == ["B"])
        #expect(Set(engine.state.zoneIDsWithUnfetchedServerChanges) == [Self.zones[0], Self.zones[2]])
        try await engine.fetchChanges(.init(scope: .allExcluding([Self.zones[2]])))
        #expect(zoneNames(app) == ["B", "A"])
        try await engine.fetchChanges()
        #expect(zoneNames(app) == ["B", "A", "C"])
        #expect(engine.state.zoneIDsWithUnfetchedServerChanges.isEmpty)
        let scopes = CKSyncEngine.FetchChangesOptions.Scope.allExcluding([Self.zones[0]])
        #expect(!scopes.contains(Self.zones[0]) && scopes.contains(Self.zones[1]))
    }

    @Test("Prioritized zones come first, and those without changes are passed over", .behaviour("engine.prioritized"))
    func prioritized() async throws {
        let world = try World(.inProcess)
        _ = try await database(world)
        let app = EngineRecorder()
        app.chooseFetches { _, options in
            var options = options
            options.prioritizedZoneIDs = [CKRecordZone.ID(zoneName: "Unknown"), Self.zones[2], Self.zones[1]]
            return options
        }
        try await app.engine(try world.database()).fetchChanges()
        #expect(zoneNames(app) == ["C", "B", "A"])
    }

    @Test("Before each request the app is asked what to fetch", .behaviour("engine.fetch-options"))
    func options() async throws {
        let world = try World(.inProcess)
        _ = try await database(world)
        let app = EngineRecorder()
        // The user leaves the zone's screen while the first one comes.
        app.chooseFetches { number, options in
            var options = options
            if number > 2 { options.scope = .zoneIDs([]) }
            return options
        }
        let engine = app.engine(try world.database())
        try await engine.fetchChanges()
        #expect(app.fetchedRecords.count < 3)
        app.chooseFetches { _, options in options }
        try await engine.fetchChanges()
        #expect(Set(zoneNames(app)) == Set(Self.names))
    }

    @Test("What changed in a zone that is read already comes with the list of zones", arguments: Wire.allCases)
    func oneRequest(_ wire: Wire) async throws {
        let world = try World(wire)
        let database = try await database(world)
        let device = try world.device()
        let app = EngineRecorder()
        let engine = app.engine(device.container(World.container).privateCloudDatabase)
        try await engine.fetchChanges()
        let fetched = app.fetchedRecords.count
        for number in 0..<2 {
            _ = try await database.save(note("new-\(number)", Self.zones[number]))
            let before = device.requestCount
            try await engine.fetchChanges()
            #expect(device.requestCount == before + 1)
            #expect(app.fetchedRecords.count == fetched + number + 1)
            #expect(app.fetchedRecords.last?.recordID.recordName == "new-\(number)")
        }
        // Nothing is left out: the next fetch has nothing to add.
        try await engine.fetchChanges()
        #expect(app.fetchedRecords.count == fetched + 2)
    }

    @Test(
        "A zone is read page by page, and a reading that broke off goes on where it was", .behaviour("engine.pages"),
        arguments: Wire.allCases)
    func pages(_ wire: Wire) async throws {
        let world = try World(wire)
        let writer = EngineRecorder()
        let sender = writer.engine(try world.database())
        sender.state.add(pendingDatabaseChanges: [.saveZone(CKRecordZone(zoneID: Self.zones[0]))])
        writer.send((0..<1_300).map { note("\($0)", Self.zones[0]) }, sender)
        try await sender.sendChanges()
        let device = try world.device()
        let pages = Mutex(0)
        device.setFaults { request in
            guard request.operation == "changes/zone" else { return nil }
            return pages.withLock { pages in
                pages += 1
                return pages == 2 ? .requestLost : nil
            }
        }
        let app = EngineRecorder()
        let database = device.container(World.container).privateCloudDatabase
        var engine: CKSyncEngine? = app.engine(database)
        #expect(await error { try await engine?.fetchChanges() } != nil)
        let first = app.fetchedRecords.count
        #expect(first == 1_000)
        engine = nil
        let next = EngineRecorder()
        try await next.engine(database, state: app.lastState).fetchChanges()
        #expect(next.fetchedRecords.count == 1_300 - first)
        #expect(Set((app.fetchedRecords + next.fetchedRecords).map(\.recordID)).count == 1_300)
    }

    @Test(
        "A zone that is deleted before it was read keeps no other from being read", .behaviour("engine.zone-vanished"))
    func vanished() async throws {
        let world = try World(.inProcess)
        let database = try await database(world)
        let app = EngineRecorder()
        // The first request is for the list of zones.
        app.chooseFetches { number, options in
            if number == 2 { _ = try? await database.deleteRecordZone(withID: Self.zones[0]) }
            return options
        }
        let engine = app.engine(try world.database())
        _ = try? await engine.fetchChanges()
        #expect(Set(zoneNames(app)) == ["B", "C"])
        app.chooseFetches { _, options in options }
        try await engine.fetchChanges()
        #expect(app.zoneDeletions.map(\.zoneID) == [Self.zones[0]] && app.zoneDeletions.map(\.reason) == [.deleted])
    }

    @Test(
        "A zone that was deleted is told with its reason; one of the same name is another zone",
        .behaviour("engine.zone-reason"), arguments: Wire.allCases)
    func recreated(_ wire: Wire) async throws {
        let world = try World(wire)
        let database = try await database(world)
        let app = EngineRecorder()
        let engine = app.engine(try world.database())
        try await engine.fetchChanges()
        app.forgetEvents()
        try await database.deleteRecordZone(withID: Self.zones[0])
        try await engine.fetchChanges()
        #expect(app.zoneDeletions.map(\.zoneID) == [Self.zones[0]] && app.zoneDeletions.map(\.reason) == [.deleted])
        #expect(app.fetched.isEmpty)
        try await database.save(CKRecordZone(zoneID: Self.zones[0]))
        try await database.save(note("new", Self.zones[0]))
        try await engine.fetchChanges()
        #expect(app.fetchedRecords.map(\.recordID.recordName) == ["new"])
    }

    @Test(
        "A state from another container, or of a server that lost its memory, is no obstacle: all is read anew",
        .behaviour("engine.foreign-token"))
    func foreignState() async throws {
        let world = try World(.inProcess)
        _ = try await database(world)
        let device = try world.device()
        let elsewhere = device.container("iCloud.com.example.other").privateCloudDatabase
        try await elsewhere.save(CKRecordZone(zoneID: Self.zones[0]))
        try await elsewhere.save(note("elsewhere", Self.zones[0]))
        let first = EngineRecorder()
        try await first.engine(elsewhere).fetchChanges()
        let app = EngineRecorder()
        let here = device.container(World.container).privateCloudDatabase
        try await app.engine(here, state: first.lastState).fetchChanges()
        #expect(zoneNames(app).sorted() == Self.names)
        let other = try World(.inProcess)
        _ = try await database(other)
        let moved = EngineRecorder()
        try await moved.engine(try other.database(), state: app.lastState).fetchChanges()
        #expect(zoneNames(moved).sorted() == Self.names)
    }

    @Test("What a device sent itself it may fetch as well, and sends no more for it", .behaviour("engine.no-echo"))
    func noEcho() async throws {
        let world = try World(.inProcess)
        let app = SyncedNotes()
        let device = try world.device()
        let engine = try app.engine(device.container(World.container).privateCloudDatabase)
        app.write(["a": "1"], engine)
        try await engine.sendChanges()
        try await engine.fetchChanges()
        let requests = device.requestCount
        try await engine.sendChanges()
        try await engine.sendChanges()
        #expect(engine.state.pendingRecordZoneChanges.isEmpty && app.titles == ["a": "1"])
        #expect(device.requestCount - requests <= 2)
    }

    @Test(
        "A zone whose token ran out is read from its beginning, and the app can tell what is gone",
        .behaviour("engine.token-expired"))
    func tokenExpired() async throws {
        let world = try World(.inProcess)
        let (phone, laptop) = (SyncedNotes(), SyncedNotes())
        let (sender, reader) = (try phone.engine(world.database()), try laptop.engine(world.database()))
        phone.write(["a": "1", "b": "1", "c": "1"], sender)
        try await sender.sendChanges()
        try await reader.fetchChanges()
        phone.erase("b", sender)
        phone.write(["d": "1"], sender)
        try await sender.sendChanges()
        world.cloud.clock.advance(by: .seconds(40 * 24 * 3600))
        try world.cloud.runMaintenance()
        laptop.write(["mine": "1"], reader)
        try await reader.fetchChanges()
        #expect(laptop.titles == ["a": "1", "c": "1", "d": "1", "mine": "1"])
        try await reader.sendChanges()
        try await sender.fetchChanges()
        #expect(phone.titles == laptop.titles)
    }

    @Test(
        "A database whose token ran out is read from its beginning: what went is told, all else comes, nothing unsent is lost",
        .behaviour("engine.token-expired"), arguments: Wire.allCases)
    func databaseTokenExpired(_ wire: Wire) async throws {
        let world = try World(wire)
        let database = try await database(world)
        let app = EngineRecorder()
        let device = try world.device()
        let engine = app.engine(device.container(World.container).privateCloudDatabase)
        try await engine.fetchChanges()
        // Months without a network, while everything else goes on and the server forgets what went.
        device.isOffline = true
        app.send([note("unsent", Self.zones[0]), note("unsent", Self.zones[2])], engine)
        try await database.deleteRecord(withID: CKRecord.ID("in A", Self.zones[0]))
        try await database.save(note("new", Self.zones[0]))
        try await database.deleteRecordZone(withID: Self.zones[1])
        world.cloud.clock.advance(by: .seconds(400 * 24 * 3600))
        try world.cloud.runMaintenance()
        app.forgetEvents()
        device.isOffline = false
        try await engine.fetchChanges()
        #expect(app.zoneDeletions.map(\.zoneID) == [Self.zones[1]])
        // Zone A's token ran out too, zone C's did not.
        let ends = app.events.compactMap { event -> String? in
            guard case .didFetchRecordZoneChanges(let did) = event else { return nil }
            return did.zoneID.zoneName + (did.error == nil ? "" : did.error?.code == .changeTokenExpired ? "!" : "?")
        }
        #expect(Set(ends).isSubset(of: ["A!", "A", "C"]) && ends.filter { $0 != "C" } == ["A!", "A"])
        #expect(app.fetchedRecords.map(\.recordID.recordName).filter { $0 != "in C" } == ["new"])
        #expect(app.fetched.flatMap(\.deletions).isEmpty)
        #expect(engine.state.pendingRecordZoneChanges.count == 2)
        try await engine.sendChanges()
        #expect(engine.state.pendingRecordZoneChanges.isEmpty)
        for zoneID in [Self.zones[0], Self.zones[2]] {
            #expect(try await database.record(for: CKRecord.ID("unsent", zoneID))["title"] == "Title")
        }
        // It is caught up again, and hears of nothing twice.
        try await engine.fetchChanges()
        app.forgetEvents()
        try await engine.fetchChanges()
        #expect(app.names == ["willFetchChanges", "didFetchChanges"])
    }
}
