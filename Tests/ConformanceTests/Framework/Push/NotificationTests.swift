import Behaviours
import CloudKit
import CloudKitTesting
import Foundation
import Testing

/// Pushes from one device's save to the other's `CKContainer.notifications`.
@Suite("CloudKit: pushes between devices", .timeLimit(.minutes(2))) struct NotificationTests {
    private typealias Pushes = AsyncStream<CKNotification>.AsyncIterator

    private static func silent<Kind: CKSubscription>(_ subscription: Kind) -> Kind {
        subscription.notificationInfo = CKSubscription.NotificationInfo(shouldSendContentAvailable: true)
        return subscription
    }

    /// A world in which one account has a phone and a laptop, and the zones A and B.
    private struct Pair {
        let world: World
        let phone: Device
        let laptop: Device
        let a = CKRecordZone.ID(zoneName: "A")
        let b = CKRecordZone.ID(zoneName: "B")

        init(_ wire: Wire) async throws {
            world = try World(wire)
            phone = try world.device()
            laptop = try world.device()
            _ = try await database(laptop).modifyRecordZones(
                saving: [CKRecordZone(zoneID: a), CKRecordZone(zoneID: b)], deleting: [])
        }

        func database(_ device: Device) -> CKDatabase {
            device.container(World.container).privateCloudDatabase
        }

        /// A subscription to each zone, named as the zone.
        func subscribeToZones() async throws {
            _ = try await database(phone).modifySubscriptions(
                saving: [a, b].map {
                    NotificationTests.silent(CKRecordZoneSubscription(zoneID: $0, subscriptionID: $0.zoneName))
                }, deleting: [])
        }

        func subscribeToAll() async throws {
            try await database(phone).save(
                NotificationTests.silent(CKDatabaseSubscription(subscriptionID: "all")))
        }

        /// What a device hears from now on.
        func listen(_ device: Device) async throws -> AsyncStream<CKNotification>.AsyncIterator {
            let notifications = device.container(World.container).notifications.makeAsyncIterator()
            try await world.cloud.settle()
            return notifications
        }

        func write(_ name: String, _ zoneID: CKRecordZone.ID, on device: Device) async throws {
            try await database(device).save(note(name, zoneID))
        }
    }

    @Test(
        "A zone subscription tells of its own zone only", .behaviour("ck.push-zone"), arguments: Wire.allCases)
    func zone(_ wire: Wire) async throws {
        let pair = try await Pair(wire)
        try await pair.database(pair.phone).save(
            Self.silent(CKRecordZoneSubscription(zoneID: pair.b, subscriptionID: "b")))
        var pushes = try await pair.listen(pair.phone)
        try await pair.write("elsewhere", pair.a, on: pair.laptop)
        try await pair.world.cloud.settle()
        try await pair.write("here", pair.b, on: pair.laptop)
        let push = try #require(await pushes.next() as? CKRecordZoneNotification)
        #expect(push.recordZoneID == pair.b && push.databaseScope == .private)
        #expect(push.subscriptionID == "b" && push.containerIdentifier == World.container)
        #expect(push.notificationType == .recordZone && push.notificationID != nil)
        let caller = try await pair.phone.container(World.container).userRecordID()
        #expect(push.subscriptionOwnerUserRecordID?.recordName == caller.recordName)
    }

    @Test(
        "A database subscription tells of records, new zones and deleted ones", .behaviour("ck.push-database"),
        arguments: Wire.allCases)
    func database(_ wire: Wire) async throws {
        let pair = try await Pair(wire)
        try await pair.subscribeToAll()
        var pushes = try await pair.listen(pair.phone)
        let changes: [@Sendable () async throws -> Void] = [
            { try await pair.write("note", pair.a, on: pair.laptop) },
            { try await pair.database(pair.laptop).deleteRecord(withID: CKRecord.ID("note", pair.a)) },
            { try await pair.database(pair.laptop).save(CKRecordZone(zoneName: "C")) },
            { try await pair.database(pair.laptop).deleteRecordZone(withID: pair.b) },
        ]
        for change in changes {
            try await change()
            let push = try #require(await pushes.next() as? CKDatabaseNotification)
            #expect(push.databaseScope == .private && push.subscriptionID == "all")
        }
    }

    @Test(
        "A device is not told of its own changes, the account's others are", .behaviour("ck.push-own-device"),
        arguments: Wire.allCases)
    func ownChanges(_ wire: Wire) async throws {
        let pair = try await Pair(wire)
        try await pair.subscribeToZones()
        var onPhone = try await pair.listen(pair.phone)
        var onLaptop = try await pair.listen(pair.laptop)
        try await pair.write("mine", pair.a, on: pair.phone)
        #expect(await onLaptop.next()?.subscriptionID == "A")
        try await pair.write("theirs", pair.b, on: pair.laptop)
        #expect(await onPhone.next()?.subscriptionID == "B")
    }

    @Test(
        "What changes while a device is offline comes as one push a subscription, once the network is back",
        .behaviour("ck.push-coalesced"), arguments: Wire.allCases)
    func offline(_ wire: Wire) async throws {
        let pair = try await Pair(wire)
        try await pair.subscribeToZones()
        var pushes = try await pair.listen(pair.phone)
        pair.phone.isOffline = true
        try await pair.world.cloud.settle()
        #expect(pair.phone.container(World.container).notificationFailure?.code == .networkUnavailable)
        for number in 0..<5 { try await pair.write("note \(number)", pair.a, on: pair.laptop) }
        try await pair.write("note", pair.b, on: pair.laptop)
        pair.phone.isOffline = false
        #expect(await pushes.next()?.subscriptionID == "A")
        #expect(await pushes.next()?.subscriptionID == "B")
        try await pair.world.cloud.settle()
        #expect(pair.phone.container(World.container).notificationFailure == nil)
        try await pair.write("note", pair.a, on: pair.laptop)
        #expect(await pushes.next()?.subscriptionID == "A")
    }

    @Test(
        "Pushes stop when somebody signs out, and whoever signs in next gets their own", .behaviour("ck.push-account"),
        arguments: Wire.allCases)
    func signOut(_ wire: Wire) async throws {
        let pair = try await Pair(wire)
        try await pair.subscribeToAll()
        let bob = try pair.world.device("bob").container(World.container).privateCloudDatabase
        try await bob.save(CKRecordZone(zoneID: pair.a))
        try await bob.save(Self.silent(CKDatabaseSubscription(subscriptionID: "bob's")))
        var pushes = try await pair.listen(pair.phone)
        pair.phone.signOut()
        try await pair.world.cloud.settle()
        #expect(pair.phone.container(World.container).notificationFailure?.code == .notAuthenticated)
        try await pair.write("for nobody", pair.a, on: pair.laptop)
        try await pair.world.cloud.settle()
        pair.phone.signIn("bob")
        try await pair.world.cloud.settle()
        try await pair.write("for alice", pair.a, on: pair.laptop)
        try await bob.save(note("for bob", pair.a))
        #expect(await pushes.next()?.subscriptionID == "bob's")
        // What a device missed while its account was away it hears when that comes back.
        pair.phone.signIn("alice")
        #expect(await pushes.next()?.subscriptionID == "all")
    }

    @Test("Each container has its own pushes", .behaviour("ck.push-container"), arguments: Wire.allCases)
    func containers(_ wire: Wire) async throws {
        let world = try World(wire)
        let (phone, laptop) = (try world.device(), try world.device())
        let names = ["iCloud.com.example.one", "iCloud.com.example.two"]
        let zoneID = CKRecordZone.ID(zoneName: "Zone")
        var streams: [AsyncStream<CKNotification>.AsyncIterator] = []
        for name in names {
            let database = phone.container(name).privateCloudDatabase
            try await database.save(CKRecordZone(zoneID: zoneID))
            try await database.save(Self.silent(CKDatabaseSubscription(subscriptionID: "of \(name)")))
            streams.append(phone.container(name).notifications.makeAsyncIterator())
        }
        try await world.cloud.settle()
        for (number, name) in names.enumerated().reversed() {
            try await laptop.container(name).privateCloudDatabase.save(note("note", zoneID))
            let push = await streams[number].next()
            #expect(push?.containerIdentifier == name && push?.subscriptionID == "of \(name)")
        }
    }

    @Test("Whoever listens twice hears everything twice", .behaviour("ck.push-listeners"))
    func listeners() async throws {
        let pair = try await Pair(.inProcess)
        try await pair.subscribeToAll()
        var first = try await pair.listen(pair.phone)
        var second = try await pair.listen(pair.phone)
        try await pair.write("note", pair.a, on: pair.laptop)
        #expect(await first.next()?.subscriptionID == "all")
        #expect(await second.next()?.subscriptionID == "all")
    }

    @Test("A subscription that is deleted tells no more", arguments: Wire.allCases)
    func unsubscribed(_ wire: Wire) async throws {
        let pair = try await Pair(wire)
        try await pair.subscribeToZones()
        var pushes = try await pair.listen(pair.phone)
        try await pair.database(pair.phone).deleteSubscription(withID: "A")
        try await pair.write("note", pair.a, on: pair.laptop)
        try await pair.world.cloud.settle()
        try await pair.write("note", pair.b, on: pair.laptop)
        #expect(await pushes.next()?.subscriptionID == "B")
    }
}

@Suite("CloudKit: pushes over restarts", .timeLimit(.minutes(2))) struct RestartedNotificationTests {
    private static let zoneID = CKRecordZone.ID(zoneName: "Zone")

    private func subscribe(_ container: CKContainer) async throws {
        let database = container.privateCloudDatabase
        try await database.save(CKRecordZone(zoneID: Self.zoneID))
        let subscription = CKDatabaseSubscription(subscriptionID: "all")
        subscription.notificationInfo = CKSubscription.NotificationInfo(shouldSendContentAvailable: true)
        try await database.save(subscription)
    }

    /// Until the server knows who listens.
    private func writeUntilHeard(
        _ writer: CKContainer, _ pushes: inout AsyncStream<CKNotification>.AsyncIterator?
    ) async throws {
        let writing = Task {
            while !Task.isCancelled {
                try await writer.privateCloudDatabase.save(note(UUID().uuidString, Self.zoneID))
            }
        }
        #expect(await pushes?.next()?.subscriptionID == "all")
        writing.cancel()
        _ = await writing.result
    }

    @Test(
        "A server that was away comes back to devices that still listen", .behaviour("ck.push-server-restart"),
        arguments: Wire.allCases)
    func server(_ wire: Wire) async throws {
        let cloud = try RestartableCloud(wire)
        let (phone, laptop) = (try cloud.device("phone"), try cloud.device("laptop"))
        try await subscribe(laptop)
        var pushes: AsyncStream<CKNotification>.AsyncIterator? = phone.notifications.makeAsyncIterator()
        try await writeUntilHeard(laptop, &pushes)
        for round in 0..<3 {
            cloud.stop()
            #expect(await error { try await laptop.privateCloudDatabase.save(note("lost", Self.zoneID)) } != nil)
            try cloud.start()
            try await laptop.privateCloudDatabase.save(note("note \(round)", Self.zoneID))
            #expect(await pushes?.next()?.subscriptionID == "all")
        }
    }

    @Test(
        "A device that was started again hears what it missed", .behaviour("ck.push-client-restart"),
        arguments: Wire.allCases)
    func client(_ wire: Wire) async throws {
        let cloud = try RestartableCloud(wire)
        let laptop = try cloud.device("laptop")
        try await subscribe(laptop)
        var pushes: AsyncStream<CKNotification>.AsyncIterator? = try cloud.device("phone").notifications
            .makeAsyncIterator()
        try await writeUntilHeard(laptop, &pushes)
        pushes = nil
        try await laptop.privateCloudDatabase.save(note("meanwhile", Self.zoneID))
        pushes = try cloud.device("phone").notifications.makeAsyncIterator()
        #expect(await pushes?.next()?.subscriptionID == "all")
    }
}
