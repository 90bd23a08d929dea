import Behaviours
import CloudKit
import CloudKitTesting
import Foundation
import Testing

@Suite("CloudKit: CKSyncEngine and accounts", .timeLimit(.minutes(2))) struct SyncEngineAccountTests {
    private static let zoneID = CKRecordZone.ID(zoneName: "Notes")

    private func changes(_ app: EngineRecorder) -> [CKSyncEngine.Event.AccountChange.ChangeType] {
        app.events.compactMap { if case .accountChange(let change) = $0 { change.changeType } else { nil } }
    }

    @Test(
        "The first start with an account is a sign-in, and what was added before it is sent",
        .behaviour("engine.sign-in"), arguments: Wire.allCases)
    func signIn(_ wire: Wire) async throws {
        let world = try World(wire)
        let app = EngineRecorder()
        let database = try world.database()
        let engine = app.engine(database)
        app.handle { event, engine in
            if case .accountChange = event {
                engine.state.add(pendingDatabaseChanges: [.saveZone(CKRecordZone(zoneID: Self.zoneID))])
            }
        }
        app.send([note("a", Self.zoneID)], engine)
        try await engine.sendChanges()
        let user = try await world.device().container(World.container).userRecordID()
        #expect(changes(app) == [.signIn(currentUser: user)])
        #expect(app.sent.flatMap(\.savedRecords).count == 1)
        try await engine.fetchChanges()
        #expect(changes(app).count == 1)
    }

    @Test(
        "However often the account changed while the app was closed, it is one change",
        .behaviour("engine.account-closed"))
    func closed() async throws {
        let world = try World(.inProcess)
        let device = try world.device("alice")
        let database = device.container(World.container).privateCloudDatabase
        let app = EngineRecorder()
        var engine: CKSyncEngine? = app.engine(database)
        try await engine?.fetchChanges()
        let alice = try await device.container(World.container).userRecordID()
        if let engine { app.send([note("alice's", Self.zoneID)], engine) }
        try await world.cloud.settle()
        engine = nil
        device.signOut()
        device.signIn("carol")
        device.signIn("bob")
        let bob = try await device.container(World.container).userRecordID()
        let next = EngineRecorder()
        let later = next.engine(database, state: app.lastState)
        #expect(later.state.pendingRecordZoneChanges.count == 1)
        try await later.sendChanges()
        #expect(changes(next) == [.switchAccounts(previousUser: alice, currentUser: bob)])
        #expect(later.state.pendingRecordZoneChanges.isEmpty && next.sent.isEmpty)
        device.signOut()
        #expect(await error { try await later.fetchChanges() }?.code == .notAuthenticated)
        #expect(changes(next).last == .signOut(previousUser: bob))
        device.signIn("bob")
        try await later.fetchChanges()
        #expect(changes(next).last == .signIn(currentUser: bob))
    }

    @Test("Without an account an engine is told to do nothing, and says why", .behaviour("engine.no-account"))
    func noAccount() async throws {
        let world = try World(.inProcess)
        let device = try world.device(nil)
        let app = EngineRecorder()
        let engine = app.engine(device.container(World.container).privateCloudDatabase)
        app.send([note("a", Self.zoneID)], engine)
        #expect(await error { try await engine.fetchChanges() }?.code == .notAuthenticated)
        #expect(await error { try await engine.sendChanges() }?.code == .notAuthenticated)
        #expect(app.names.isEmpty)
        #expect(engine.state.pendingRecordZoneChanges.count == 1)
    }

    @Test(
        "An account that cannot be used for a time is no sign-out", .behaviour("engine.account-unavailable"),
        arguments: [CKAccountStatus.temporarilyUnavailable, .restricted, .couldNotDetermine])
    func unavailable(_ status: CKAccountStatus) async throws {
        let world = try World(.inProcess)
        let device = try world.device()
        let app = EngineRecorder()
        let engine = app.engine(device.container(World.container).privateCloudDatabase)
        engine.state.add(pendingDatabaseChanges: [.saveZone(CKRecordZone(zoneID: Self.zoneID))])
        try await engine.sendChanges()
        app.send([note("a", Self.zoneID)], engine)
        device.accountStatus = status
        let code = await error { try await engine.sendChanges() }?.code
        #expect(code == (status == .temporarilyUnavailable ? .accountTemporarilyUnavailable : .notAuthenticated))
        #expect(changes(app).count == 1)
        #expect(engine.state.pendingRecordZoneChanges.count == 1)
        device.accountStatus = .available
        try await engine.sendChanges()
        #expect(engine.state.pendingRecordZoneChanges.isEmpty && changes(app).count == 1)
    }
}
