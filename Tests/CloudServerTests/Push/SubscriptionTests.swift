import CloudStore
import Testing
import WebServices

@testable import CloudServer

@Suite("Subscriptions") struct SubscriptionTests {
    let cloud: TestCloud
    let device: TestDevice

    init() throws {
        cloud = try TestCloud()
        device = try cloud.device()
        try device.create("Notes")
    }

    private func refusal(_ subscription: Subscription, in database: DatabaseScope = .private) throws -> ServerError? {
        try device.subscriptions([.create(subscription)], in: database)[0].error
    }

    @Test("A subscription is listed and found as it was saved, in its database only")
    func saveAndFind() throws {
        var info = NotificationInfo()
        info.alertBody = "News"
        info.alertLocalizationArgs = ["a", "b"]
        info.shouldBadge = true
        let saved = Subscription(
            subscriptionID: "notes", .zone(ZoneID(zoneName: "Notes")), recordType: "Note", notificationInfo: info)
        let answer = try device.subscriptions([.create(saved), .create(.init(subscriptionID: "all", .database))])
        #expect(answer.map(\.error) == [nil, nil])
        #expect(try device.listedSubscriptions() == ["all", "notes"])
        #expect(try device.listedSubscriptions(in: .shared).isEmpty)
        #expect(try cloud.device(of: "bea").listedSubscriptions().isEmpty)
        let lookup = ServerOperation.subscriptionsLookup(.init(subscriptionIDs: ["notes", "none"]))
        guard case .subscriptions(let found) = try device.answer(lookup) else { throw UnexpectedAnswer() }
        let notes = try found.subscriptions[0].get()
        guard case .zone(let zone) = notes.kind else { throw UnexpectedAnswer() }
        #expect(zone.zoneName == "Notes" && zone.ownerRecordName?.hasPrefix("_") == true)
        #expect(notes.recordType == "Note")
        #expect(notes.notificationInfo == info)
        #expect(found.subscriptions[1].error?.code == .notFound)
    }

    @Test("A subscription of a name that exists is replaced, and one without a name gets one")
    func replace() throws {
        try device.subscribe(.zone(ZoneID(zoneName: "Notes")), as: "s")
        try device.subscribe(.database, as: "s")
        #expect(try device.listedSubscriptions() == ["s"])
        let named = try device.subscribe(.database, as: "")
        #expect(named.subscriptionID.utf8.count == 36)
    }

    @Test("A subscription is updated and deleted only where there is one")
    func updateAndDelete() throws {
        let unknown = Subscription(subscriptionID: "s", .database)
        #expect(try device.subscriptions([.update(unknown)])[0].error?.code == .notFound)
        #expect(try device.subscriptions([.delete(subscriptionID: "s")])[0].error?.code == .notFound)
        let results = try device.subscriptions([.create(unknown), .update(unknown), .delete(subscriptionID: "s")])
        #expect(results.map(\.error) == [nil, nil, nil])
        guard case .deleted(subscriptionID: "s") = results[2] else { throw UnexpectedAnswer() }
        #expect(try device.listedSubscriptions().isEmpty)
    }

    @Test("Subscriptions that no database of theirs could serve are refused, each by itself")
    func refused() throws {
        let query = Subscription(subscriptionID: "q", .query(.init(query: .init(recordType: "Note"))))
        #expect(try refusal(query)?.reason.contains("query subscriptions") == true)
        let zone = Subscription(subscriptionID: "z", .zone(ZoneID(zoneName: "Notes")))
        let database = Subscription(subscriptionID: "d", .database)
        for kind in [zone, database] { #expect(try refusal(kind, in: .public)?.code == .badRequest) }
        #expect(try refusal(zone, in: .shared)?.code == .badRequest)
        #expect(try refusal(database, in: .shared) == nil)
        #expect(try refusal(.init(subscriptionID: "z", .zone(.default)))?.code == .badRequest)
        #expect(try refusal(.init(subscriptionID: "z", .zone(ZoneID(zoneName: "None"))))?.code == .zoneNotFound)
        let foreign = ZoneID(zoneName: "Notes", ownerRecordName: "_somebody")
        #expect(try refusal(.init(subscriptionID: "z", .zone(foreign)))?.code == .zoneNotFound)
        let results = try device.subscriptions([.create(query), .create(database)])
        #expect(results.map { $0.error?.code } == [.badRequest, nil])
    }

    @Test("Names, sizes and numbers of subscriptions are limited")
    func limits() throws {
        let long = String(repeating: "x", count: Limits.nameLength + 1)
        #expect(try refusal(.init(subscriptionID: long, .database))?.code == .badRequest)
        #expect(try refusal(.init(subscriptionID: "s", .database, recordType: long))?.code == .badRequest)
        var info = NotificationInfo()
        info.alertBody = String(repeating: "x", count: Limits.subscriptionBytes)
        let large = Subscription(subscriptionID: "s", .database, notificationInfo: info)
        #expect(try refusal(large)?.extensionCode == .limitExceeded)
        let many = (0..<Limits.subscriptionsPerDatabase).map {
            SubscriptionsModify.Operation.create(.init(subscriptionID: "s\($0)", .database))
        }
        #expect(try device.subscriptions(many).allSatisfy { $0.error == nil })
        #expect(try refusal(.init(subscriptionID: "one more", .database))?.extensionCode == .limitExceeded)
        #expect(try refusal(.init(subscriptionID: "s0", .database)) == nil)
        let tooMany = ServerOperation.subscriptionsModify(.init(operations: many + many))
        #expect(try device.error(tooMany)?.extensionCode == .limitExceeded)
    }

    @Test(
        "Whoever is not signed in has no subscriptions and no address",
        arguments: [
            ServerOperation.subscriptionsList, .tokensCreate(.init(apnsEnvironment: .development)),
            .subscriptionsModify(.init(operations: [])),
        ])
    func anonymous(_ operation: ServerOperation) throws {
        #expect(try cloud.visitor().error(operation, in: .public)?.code == .authenticationRequired)
    }

    @Test("Deleting an account deletes its subscriptions and addresses")
    func deletedAccount() throws {
        try device.subscribe()
        _ = try device.makeToken()
        let owner = try device.user().userRecordName
        let administration = Administration(store: cloud.server.store)
        try administration.deleteAccount("anna")
        let left = try device.store.read { reader in
            (
                try reader.subscriptions(scope: .private, owner: owner).count,
                try reader.pushTokens(owner: owner).count
            )
        }
        #expect(left == (0, 0))
    }
}
