import Behaviours
import CloudKit
import CloudKitTesting
import CloudServer
import Foundation
import Testing

@Suite("CloudKit: containers and accounts") struct AccountTests {
    @Test(
        "accountStatus tells whether somebody is signed in", .behaviour("ck.account-status"), arguments: Wire.allCases)
    func accountStatus(_ wire: Wire) async throws {
        let world = try World(wire)
        #expect(try await world.device().container(World.container).accountStatus() == .available)
        #expect(try await world.device(nil).container(World.container).accountStatus() == .noAccount)
    }

    @Test(
        "Other states of the account keep an app out, temporarily or for good", .behaviour("ck.account-status"),
        arguments: [
            (CKAccountStatus.temporarilyUnavailable, CKError.Code.accountTemporarilyUnavailable),
            (.restricted, .notAuthenticated), (.couldNotDetermine, .notAuthenticated),
            (.noAccount, .notAuthenticated),
        ])
    func otherStates(_ status: CKAccountStatus, _ code: CKError.Code) async throws {
        let device = try World(.inProcess).device()
        device.accountStatus = status
        let container = device.container(World.container)
        #expect(try await container.accountStatus() == status)
        let database = container.privateCloudDatabase
        #expect(await error { try await database.save(note("a")) }?.code == code)
        #expect(await error { try await database.record(for: CKRecord.ID("a")) }?.code == code)
        #expect(await error { try await database.allRecordZones() }?.code == code)
    }

    @Test(
        "Without an account only the public database can be read", .behaviour("ck.no-account"), arguments: Wire.allCases
    )
    func noAccount(_ wire: Wire) async throws {
        let world = try World(wire)
        try await world.database("alice", .public).save(note("guide"))
        let container = try world.device(nil).container(World.container)
        let open = container.publicCloudDatabase
        #expect(try await open.record(for: CKRecord.ID("guide"))["title"] == "Title")
        let all = CKQuery(recordType: "Note", predicate: NSPredicate(value: true))
        #expect(try await open.records(matching: all).matchResults.count == 1)
        #expect(await error { try await open.save(note("mine")) }?.code == .notAuthenticated)
        let own = container.privateCloudDatabase
        #expect(await error { try await own.record(for: CKRecord.ID("a")) }?.code == .notAuthenticated)
        #expect(await error { try await own.databaseChanges(since: nil) }?.code == .notAuthenticated)
        #expect(await error { try await container.userRecordID() }?.code == .notAuthenticated)
    }

    @Test(
        "userRecordID is one for an account, another for each account", .behaviour("ck.user-record-id"),
        arguments: Wire.allCases)
    func userRecordID(_ wire: Wire) async throws {
        let world = try World(wire)
        let alice = try await world.device().container(World.container).userRecordID()
        let again = try await world.device().container(World.container).userRecordID()
        let bob = try await world.device("bob").container(World.container).userRecordID()
        #expect(alice == again)
        #expect(alice != bob)
        #expect(alice.recordName.hasPrefix("_"))
    }

    @Test("The three databases of a container are one object each", .behaviour("ck.databases"))
    func databases() throws {
        let container = try World(.inProcess).device().container(World.container)
        for scope in [CKDatabase.Scope.public, .private, .shared] {
            #expect(container.database(with: scope) === container.database(with: scope))
            #expect(container.database(with: scope).databaseScope == scope)
        }
        #expect(container.database(with: .private) === container.privateCloudDatabase)
        #expect(container.containerIdentifier == World.container)
    }

    @Test(
        "A container that the server does not have is badContainer", .behaviour("ck.bad-container"),
        arguments: Wire.allCases)
    func badContainer(_ wire: Wire) async throws {
        let world = try World(wire) { $0.createsContainersOnFirstUse = false }
        #expect(await error { try await world.database().save(note("a")) }?.code == .badContainer)
    }

    @Test("Offline every call is networkUnavailable, and goes through again afterwards", .behaviour("ck.offline"))
    func offline() async throws {
        let device = try World(.inProcess).device()
        let container = device.container(World.container)
        #expect(try await container.accountStatus() == .available)
        device.isOffline = true
        let database = container.privateCloudDatabase
        #expect(await error { try await database.save(note("a")) }?.code == .networkUnavailable)
        #expect(try await container.accountStatus() == .available, "who is signed in does not need the network")
        device.isOffline = false
        try await database.save(note("a"))
    }

    @Test(
        "A busy server's error says how long to wait", .behaviour("ck.retry-after"),
        arguments: [
            (Fault.Refusal.unavailable, CKError.Code.serviceUnavailable), (.throttled, .requestRateLimited),
            (.zoneBusy, .zoneBusy),
        ])
    func retryAfter(_ refusal: Fault.Refusal, _ code: CKError.Code) async throws {
        let device = try World(.inProcess).device()
        let database = device.container(World.container).privateCloudDatabase
        try await database.save(note("a"))
        device.failNext(.refused(refusal, retryAfter: 3))
        let error = await error { try await database.record(for: CKRecord.ID("a")) }
        #expect(error?.code == code)
        #expect(error?.retryAfterSeconds == 3)
        #expect((error?.userInfo[CKErrorRetryAfterKey] as? NSNumber)?.intValue == 3)
    }

    @Test("A save whose answer is lost may have been carried out: serverResponseLost")
    func answerLost() async throws {
        let device = try World(.inProcess).device()
        let database = device.container(World.container).privateCloudDatabase
        device.failNext(.answerLost)
        #expect(await error { try await database.save(note("a")) }?.code == .serverResponseLost)
        device.failNext(.answerLost)
        #expect(await error { try await database.record(for: CKRecord.ID("a")) }?.code == .networkFailure)
        #expect(try await database.record(for: CKRecord.ID("a"))["title"] == "Title")
    }

    @Test("Code that names its container itself talks through the device it runs on")
    func run() async throws {
        let world = try World(.inProcess)
        try await world.device("alice").run {
            try await CKContainer(identifier: World.container).privateCloudDatabase.save(note("a"))
        }
        let found = try await world.device("alice").run(defaultContainer: World.container) {
            try await CKContainer.default().privateCloudDatabase.record(for: CKRecord.ID("a"))
        }
        #expect(found["title"] == "Title")
    }

    @Test("A device that changes hands sees the other account's data")
    func changesHands() async throws {
        let world = try World(.inProcess)
        let device = try world.device("alice")
        let container = device.container(World.container)
        try await container.privateCloudDatabase.save(note("a"))
        device.signIn("bob")
        #expect(
            await error { try await container.privateCloudDatabase.record(for: CKRecord.ID("a")) }?.code == .unknownItem
        )
        device.signOut()
        #expect(try await container.accountStatus() == .noAccount)
    }
}
