import CloudKit
import CloudKitTesting
import Foundation
import Synchronization
import Testing

/// An app that keeps titled notes in step by an engine: its store, its answers, what it was told.
final class SyncedNotes: CKSyncEngineDelegate {
    struct Store: Sendable {
        var titles: [CKRecord.ID: String] = [:]
        /// The server's state of each record, without values.
        var known: [CKRecord.ID: CKRecord] = [:]
        var state: Data?
    }
    struct Told: Sendable {
        var events: [String] = []
        var accountChanges: [CKSyncEngine.Event.AccountChange.ChangeType] = []
        var zoneDeletions: [CKDatabase.DatabaseChange.Deletion] = []
    }

    static let zoneID = CKRecordZone.ID(zoneName: "Notes")
    private let store: Mutex<Store>
    private let told = Mutex(Told())
    private let listener = Mutex<(@Sendable (CKSyncEngine.Event) -> Void)?>(nil)
    private let isAtomic: Bool

    init(_ store: Store = Store(), isAtomic: Bool = false) {
        self.store = Mutex(store)
        self.isAtomic = isAtomic
    }

    /// What would be on the disk after a crash.
    var stored: Store { store.withLock { $0 } }
    var titles: [String: String] {
        store.withLock { Dictionary(uniqueKeysWithValues: $0.titles.map { ($0.key.recordName, $0.value) }) }
    }
    var events: [String] { told.withLock { $0.events } }
    var accountChanges: [CKSyncEngine.Event.AccountChange.ChangeType] { told.withLock { $0.accountChanges } }
    var zoneDeletions: [CKDatabase.DatabaseChange.Deletion] { told.withLock { $0.zoneDeletions } }

    func listen(_ body: @escaping @Sendable (CKSyncEngine.Event) -> Void) {
        listener.withLock { $0 = body }
    }

    func engine(_ database: CKDatabase, automatically: Bool = false) throws -> CKSyncEngine {
        let state = try stored.state.map { try JSONDecoder().decode(CKSyncEngine.State.Serialization.self, from: $0) }
        var configuration = CKSyncEngine.Configuration(database: database, stateSerialization: state, delegate: self)
        configuration.automaticallySync = automatically
        return CKSyncEngine(configuration)
    }

    func write(_ titles: [String: String], _ engine: CKSyncEngine) {
        let changes = titles.map { (CKRecord.ID($0.key, Self.zoneID), $0.value) }
        store.withLock { store in
            for (recordID, title) in changes { store.titles[recordID] = title }
        }
        engine.state.add(pendingRecordZoneChanges: changes.map { .saveRecord($0.0) })
    }

    func erase(_ name: String, _ engine: CKSyncEngine) {
        let recordID = CKRecord.ID(name, Self.zoneID)
        store.withLock { store in
            store.titles[recordID] = nil
            store.known[recordID] = nil
        }
        engine.state.add(pendingRecordZoneChanges: [.deleteRecord(recordID)])
    }

    // MARK: The delegate

    func handleEvent(_ event: CKSyncEngine.Event, syncEngine: CKSyncEngine) async {
        told.withLock { $0.events.append(String(event.description.prefix { $0 != "(" })) }
        switch event {
        case .stateUpdate(let update):
            let data = try? JSONEncoder().encode(update.stateSerialization)
            store.withLock { $0.state = data }
        case .accountChange(let change):
            told.withLock { $0.accountChanges.append(change.changeType) }
            if case .signIn = change.changeType {
                syncEngine.state.add(pendingDatabaseChanges: [.saveZone(CKRecordZone(zoneID: Self.zoneID))])
            } else {
                store.withLock { $0 = Store(state: $0.state) }
            }
        case .fetchedDatabaseChanges(let changes):
            told.withLock { $0.zoneDeletions += changes.deletions }
            if changes.deletions.contains(where: { $0.zoneID == Self.zoneID }) {
                store.withLock { $0 = Store(state: $0.state) }
            }
        case .fetchedRecordZoneChanges(let changes):
            store.withLock { store in
                for change in changes.modifications { store.learn(change.record) }
                for deletion in changes.deletions {
                    store.titles[deletion.recordID] = nil
                    store.known[deletion.recordID] = nil
                }
            }
        case .sentRecordZoneChanges(let sent):
            sentRecords(sent, syncEngine)
        default: break
        }
        listener.withLock { $0 }?(event)
    }

    private func sentRecords(_ sent: CKSyncEngine.Event.SentRecordZoneChanges, _ engine: CKSyncEngine) {
        var again: [CKSyncEngine.PendingRecordZoneChange] = []
        store.withLock { store in
            for record in sent.savedRecords { store.known[record.recordID] = record }
            for failure in sent.failedRecordSaves {
                let recordID = failure.record.recordID
                switch failure.error.code {
                case .serverRecordChanged:
                    // The larger title wins, so that all devices agree.
                    guard let server = failure.error.serverRecord else { continue }
                    let mine = store.titles[recordID] ?? ""
                    store.learn(server)
                    if mine > store.titles[recordID] ?? "" {
                        store.titles[recordID] = mine
                        again.append(.saveRecord(recordID))
                    }
                case .zoneNotFound, .unknownItem:
                    store.known[recordID] = nil
                    again.append(.saveRecord(recordID))
                default: break
                }
            }
        }
        if sent.failedRecordSaves.contains(where: { $0.error.code == .zoneNotFound }) {
            engine.state.add(pendingDatabaseChanges: [.saveZone(CKRecordZone(zoneID: Self.zoneID))])
        }
        engine.state.add(pendingRecordZoneChanges: again)
    }

    func nextRecordZoneChangeBatch(
        _ context: CKSyncEngine.SendChangesContext, syncEngine: CKSyncEngine
    ) async -> CKSyncEngine.RecordZoneChangeBatch? {
        let changes = syncEngine.state.pendingRecordZoneChanges.filter { context.options.scope.contains($0) }
        let now = stored
        var batch = await CKSyncEngine.RecordZoneChangeBatch(pendingChanges: changes) { recordID in
            guard let title = now.titles[recordID] else { return nil }
            let record =
                now.known[recordID]?.copy() as? CKRecord ?? CKRecord(recordType: "Note", recordID: recordID)
            record["title"] = title
            return record
        }
        batch?.atomicByZone = isAtomic
        return batch
    }
}

extension SyncedNotes.Store {
    mutating func learn(_ record: CKRecord) {
        known[record.recordID] = record
        titles[record.recordID] = record["title"]
    }
}

@Suite("CloudKit: CKSyncEngine") struct SyncEngineTests {
    @Test("What one device writes, changes and deletes reaches the other", arguments: Wire.allCases)
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

    @Test("A conflict is thrown and told; after the app has merged, both devices agree", arguments: Wire.allCases)
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

    @Test("A zone that vanished is made again by the app, in the next send")
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
        "No fault of the network or the server loses a change",
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

    @Test("An edit made while its batch is on its way is sent too", arguments: Wire.allCases)
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

    @Test("What was stored with the state is enough to go on after a crash")
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

    @Test("Another account hears nothing of the one before")
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

    @Test("Cancelling ends a call with operationCancelled, and what was pending stays so")
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

    @Test("An engine that syncs by itself sends what is added, and tries again after a failure")
    func automatic() async throws {
        let world = try World(.inProcess)
        let device = try world.device()
        device.setFaults { $0.operation == "records/modify" && $0.number < 6 ? .requestLost : nil }
        let app = SyncedNotes()
        let (saves, saved) = AsyncStream.makeStream(of: Void.self)
        app.listen { event in
            if case .sentRecordZoneChanges(let sent) = event, !sent.savedRecords.isEmpty { saved.yield() }
        }
        let engine = try app.engine(device.container(World.container).privateCloudDatabase, automatically: true)
        app.write(["a": "1"], engine)
        for await _ in saves { break }
        let other = SyncedNotes()
        try await other.engine(world.database()).fetchChanges()
        #expect(other.titles == ["a": "1"])
    }

    @Test("A push brings one device's change to the other, whose app does nothing for it", arguments: Wire.allCases)
    func push(_ wire: Wire) async throws {
        let world = try World(wire)
        let (phone, laptop) = (SyncedNotes(), SyncedNotes())
        let (fetches, fetched) = AsyncStream.makeStream(of: Void.self)
        let (arrivals, arrived) = AsyncStream.makeStream(of: Void.self)
        laptop.listen { event in
            switch event {
            case .didFetchChanges: fetched.yield()
            case .fetchedRecordZoneChanges: arrived.yield()
            default: break
            }
        }
        let receiver = try laptop.engine(world.database(), automatically: true)
        for await _ in fetches { break }
        let sender = try phone.engine(world.database())
        // The server may not know yet where to push to: then a later change is the first to be told.
        let writing = Task {
            for number in 0..<600 where !Task.isCancelled {
                phone.write(["note": "\(number)"], sender)
                try? await sender.sendChanges()
                try? await Task.sleep(for: .milliseconds(100))
            }
        }
        for await _ in arrivals { break }
        writing.cancel()
        #expect(laptop.titles["note"] != nil)
        withExtendedLifetime(receiver) {}
    }

    @Test("Ten thousand pending changes are sent in full batches, each change once")
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
