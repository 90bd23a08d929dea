import Behaviours
import CloudKit
import CloudKitTesting
import CloudServer
import Foundation
import Synchronization
import Testing

@Suite("CloudKit: changes of the account", .timeLimit(.minutes(1))) struct AccountChangeTests {
    /// How often the body, which waits for nothing, posts `CKAccountChanged`: the posts on its own thread.
    private func posts(_ body: () -> Void) -> Int {
        let count = Mutex(0)
        let thread = pthread_self()
        return withExtendedLifetime(count) {
            let observer = NotificationCenter.default.addObserver(forName: .CKAccountChanged, object: nil, queue: nil) {
                _ in if pthread_equal(thread, pthread_self()) != 0 { count.withLock { $0 += 1 } }
            }
            defer { NotificationCenter.default.removeObserver(observer) }
            body()
            return count.withLock { $0 }
        }
    }

    @Test(
        "CKAccountChanged is posted for each change, and accountStatus is the new one", .behaviour("ck.account-changed")
    )
    func posted() async throws {
        let device = try World(.inProcess).device(nil)
        let container = device.container(World.container)
        #expect(try await container.accountStatus() == .noAccount)
        #expect(posts { device.signOut() } == 0, "nobody was signed in")
        #expect(posts { device.signIn("alice") } == 1)
        #expect(try await container.accountStatus() == .available)
        let alice = try await container.userRecordID()
        #expect(posts { device.signIn("bob") } == 1)
        #expect(try await container.userRecordID() != alice)
        for status in [CKAccountStatus.restricted, .temporarilyUnavailable, .couldNotDetermine, .available] {
            #expect(posts { device.accountStatus = status } == 1)
            #expect(posts { device.accountStatus = status } == 0)
            #expect(try await container.accountStatus() == status)
        }
        #expect(posts { device.signOut() } == 1)
        #expect(try await container.accountStatus() == .noAccount)
    }

    @Test(
        "A session that ended at the server is a change to noAccount, and the next sign-in one back",
        .behaviour("ck.session-ended"), arguments: Wire.allCases)
    func tokenRefused(_ wire: Wire) async throws {
        let world = try World(wire)
        let identity = world.cloud.server.identity
        let token = try identity.signIn(account: "alice", password: "", keepSignedIn: true).webAuthToken
        let connection = CloudConnection(
            transport: wire == .inProcess
                ? world.cloud.inProcessTransport : HTTPTransport(root: try world.cloud.serve()),
            account: AccountSession(.webAuthToken(token)), apiToken: world.cloud.apiToken)
        let container = CKContainer(identifier: World.container, connection: connection)
        #expect(try await container.accountStatus() == .available)
        let changes = Mutex(0)
        connection.account.observe { changes.withLock { $0 += 1 } }
        try identity.signOut(webAuthToken: token)
        let database = container.privateCloudDatabase
        #expect(await error { try await database.allRecordZones() }?.code == .notAuthenticated)
        #expect(changes.withLock { $0 } == 1)
        #expect(try await container.accountStatus() == .noAccount)
        #expect(await error { try await container.userRecordID() }?.code == .notAuthenticated)
        #expect(try await container.publicCloudDatabase.records(for: []).isEmpty)
        let next = try identity.signIn(account: "alice", password: "", keepSignedIn: true).webAuthToken
        #expect(posts { connection.account.replace(with: .webAuthToken(next)) } == 1)
        #expect(try await container.accountStatus() == .available)
        _ = try await database.allRecordZones()
    }

    @Test(
        "A password that was changed elsewhere is a change to noAccount", .behaviour("ck.session-ended"),
        arguments: Wire.allCases)
    func passwordChanged(_ wire: Wire) async throws {
        let world = try World(wire)
        let device = try world.device("alice")
        let container = device.container(World.container)
        #expect(try await container.accountStatus() == .available)
        let changes = Mutex(0)
        device.connection.account.observe { changes.withLock { $0 += 1 } }
        let server = world.cloud.server
        try Administration(store: server.store, clock: server.clock).setPassword("new", ofAccount: "alice")
        // Servers notice what another process did within five seconds.
        world.cloud.clock.advance(by: .seconds(6))
        let database = container.privateCloudDatabase
        #expect(await error { try await database.allRecordZones() }?.code == .notAuthenticated)
        #expect(changes.withLock { $0 } == 1)
        #expect(try await container.accountStatus() == .noAccount)
        #expect(await error { try await database.allRecordZones() }?.code == .notAuthenticated)
        #expect(changes.withLock { $0 } == 1)
    }
}
