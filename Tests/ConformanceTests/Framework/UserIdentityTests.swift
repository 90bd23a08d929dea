import Behaviours
import CloudKit
import CloudKitTesting
import CloudServer
import Foundation
import Synchronization
import Testing

@Suite("CloudKit: user identities") struct UserIdentityTests {
    private static let anna = "anna@example.com"

    @Test(
        "A user is found once the app has the permission, by address and by record", .behaviour("ck.discover-user"),
        arguments: Wire.allCases)
    func discover(_ wire: Wire) async throws {
        let world = try World(wire)
        let anna = try world.device(Self.anna).container(World.container)
        let bob = try world.device("+15550100").container(World.container)
        let (recordID, bobID) = (try await anna.userRecordID(), try await bob.userRecordID())
        #expect(try await bob.userIdentity(forEmailAddress: Self.anna) == nil)
        #expect(try await anna.requestApplicationPermission(.userDiscoverability) == .granted)
        #expect(try await bob.requestApplicationPermission(.userDiscoverability) == .granted)

        let found = try #require(try await bob.userIdentity(forEmailAddress: Self.anna))
        #expect(found.userRecordID == recordID)
        #expect(found.lookupInfo == CKUserIdentity.LookupInfo(emailAddress: Self.anna))
        #expect(found.hasiCloudAccount && found.contactIdentifiers.isEmpty)
        #expect(try await bob.userIdentity(forUserRecordID: recordID)?.lookupInfo?.userRecordID == recordID)
        #expect(try await anna.userIdentity(forPhoneNumber: "+1 555 0100")?.userRecordID == bobID)
        let all = try await bob.userIdentities(forEmailAddresses: [Self.anna, "nobody@example.com", Self.anna])
        #expect(all.mapValues(\.userRecordID) == [Self.anna: recordID])
        #expect(try await bob.userIdentities(forUserRecordIDs: [recordID, bobID]).count == 2)
        #expect(try await bob.allUserIdentitiesFromContacts().isEmpty)

        let told = await withCheckedContinuation { continuation in
            bob.discoverUserIdentity(withEmailAddress: "nobody@example.com") { identity, error in
                continuation.resume(returning: identity == nil && error == nil)
            }
        }
        #expect(told)
    }

    @Test(
        "CKDiscoverUserIdentitiesOperation reports each that is found, then the end",
        .behaviour("ck.discover-operations"), arguments: Wire.allCases)
    func operation(_ wire: Wire) async throws {
        let world = try World(wire)
        let anna = try world.device(Self.anna).container(World.container)
        _ = try await anna.requestApplicationPermission(.userDiscoverability)
        let infos = CKUserIdentity.LookupInfo.lookupInfos(withEmails: ["nobody@example.com", Self.anna])
        let found = Mutex<[CKUserIdentity.LookupInfo]>([])
        let operation = CKDiscoverUserIdentitiesOperation(userIdentityLookupInfos: infos)
        operation.userIdentityDiscoveredBlock = { _, info in found.withLock { $0.append(info) } }
        try await withCheckedThrowingContinuation { continuation in
            operation.discoverUserIdentitiesResultBlock = { continuation.resume(with: $0) }
            anna.add(operation)
        }
        #expect(found.withLock { $0 } == [infos[1]])
        let everybody = CKDiscoverAllUserIdentitiesOperation()
        try await withCheckedThrowingContinuation { continuation in
            everybody.discoverAllUserIdentitiesResultBlock = { continuation.resume(with: $0) }
            anna.add(everybody)
        }
        let nobody = try world.device(nil).container(World.container)
        #expect(await error { try await nobody.userIdentity(forEmailAddress: Self.anna) }?.code == .notAuthenticated)
    }

    @Test(
        "The permission is asked for once, and what its user refused stays refused", .behaviour("ck.permission"),
        arguments: Wire.allCases)
    func permission(_ wire: Wire) async throws {
        let world = try World(wire)
        let container = try world.device(Self.anna).container(World.container)
        #expect(try await container.applicationPermissionStatus(for: .userDiscoverability) == .initialState)
        #expect(try await container.requestApplicationPermission(.userDiscoverability) == .granted)
        #expect(try await container.applicationPermissionStatus(for: .userDiscoverability) == .granted)

        try Administration(store: world.cloud.server.store).setDiscoverable(
            false, account: Self.anna, in: World.container)
        #expect(try await container.requestApplicationPermission(.userDiscoverability) == .denied)
        #expect(try await container.userIdentity(forEmailAddress: Self.anna) == nil)

        let nobody = try world.device(nil).container(World.container)
        let (status, failure) = await withCheckedContinuation { continuation in
            nobody.status(forApplicationPermission: .userDiscoverability) { status, error in
                continuation.resume(returning: (status, error as? CKError))
            }
        }
        #expect(status == .couldNotComplete && failure?.code == .notAuthenticated)
    }

    @Test("Identities survive an archive")
    func archive() async throws {
        let world = try World(.inProcess)
        let container = try world.device(Self.anna).container(World.container)
        _ = try await container.requestApplicationPermission(.userDiscoverability)
        let identity = try #require(try await container.userIdentity(forEmailAddress: Self.anna))
        let data = try NSKeyedArchiver.archivedData(withRootObject: identity, requiringSecureCoding: true)
        let copy = try NSKeyedUnarchiver.unarchivedObject(ofClass: CKUserIdentity.self, from: data)
        #expect(copy == identity)
    }
}
