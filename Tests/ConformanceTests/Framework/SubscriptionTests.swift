import CloudKit
import CloudKitTesting
import Foundation
import Testing

@Suite("CloudKit: subscriptions") struct SubscriptionTests {
    private func silent<Kind: CKSubscription>(_ subscription: Kind) -> Kind {
        subscription.notificationInfo = CKSubscription.NotificationInfo(shouldSendContentAvailable: true)
        return subscription
    }

    @Test(
        "Subscriptions are saved, fetched, listed, replaced and deleted",
        arguments: Wire.allCases)
    func life(_ wire: Wire) async throws {
        let (database, zoneID) = try await World(wire).database(zone: "Zone")
        let all = silent(CKDatabaseSubscription(subscriptionID: "all"))
        all.recordType = "Note"
        all.notificationInfo?.alertBody = "Something changed"
        try await database.save(all)
        let results = try await database.modifySubscriptions(
            saving: [silent(CKRecordZoneSubscription(zoneID: zoneID, subscriptionID: "zone"))], deleting: ["nobody"])
        #expect(results.saveResults["zone"]?.value != nil)
        #expect(results.deleteResults["nobody"]?.error?.code == .unknownItem)

        let found = try #require(try await database.subscription(for: "all") as? CKDatabaseSubscription)
        #expect(found.recordType == "Note" && found.notificationInfo?.alertBody == "Something changed")
        #expect(found.notificationInfo?.shouldSendContentAvailable == true)
        let listed = try await database.allSubscriptions()
        #expect(Set(listed.map(\.subscriptionID)) == ["all", "zone"])
        #expect(listed.compactMap { ($0 as? CKRecordZoneSubscription)?.zoneID } == [zoneID])

        try await database.save(silent(CKDatabaseSubscription(subscriptionID: "all")))
        let replaced = try await database.subscription(for: "all")
        #expect(replaced.notificationInfo?.alertBody == nil)

        try await database.deleteSubscription(withID: "all")
        #expect(await error { try await database.subscription(for: "all") }?.code == .unknownItem)
        #expect(await error { try await database.deleteSubscription(withID: "all") }?.code == .unknownItem)
    }

    @Test(
        "What cannot be saved is refused, one by one",
        arguments: Wire.allCases)
    func refused(_ wire: Wire) async throws {
        let (database, zoneID) = try await World(wire).database(zone: "Zone")
        let query = silent(
            CKQuerySubscription(recordType: "Note", predicate: NSPredicate(value: true), subscriptionID: "query"))
        let results = try await database.modifySubscriptions(
            saving: [
                CKDatabaseSubscription(subscriptionID: "bare"), silent(CKDatabaseSubscription(subscriptionID: "good")),
                query,
            ], deleting: []
        ).saveResults
        #expect(results["bare"]?.error?.code == .invalidArguments)
        #expect(results["good"]?.value != nil)
        #expect(results["query"]?.error?.code == .invalidArguments)
        let open = try World(wire).database("alice", .public)
        let refusal = await error {
            try await open.save(silent(CKDatabaseSubscription(subscriptionID: "public")))
        }
        #expect(refusal?.code == .badDatabase)
        let shared = try World(wire).database("alice", .shared)
        let zone = await error { try await shared.save(silent(CKRecordZoneSubscription(zoneID: zoneID))) }
        #expect(zone?.code == .badDatabase)
    }

    @Test("The operations tell of each subscription and then of the whole", arguments: Wire.allCases)
    func operations(_ wire: Wire) async throws {
        let database = try World(wire).database()
        let modify = CKModifySubscriptionsOperation(
            subscriptionsToSave: [silent(CKDatabaseSubscription(subscriptionID: "a"))],
            subscriptionIDsToDelete: ["nobody"])
        let saved = await withCheckedContinuation { continuation in
            // Blocks run one at a time.
            nonisolated(unsafe) var seen: [String] = []
            modify.perSubscriptionSaveBlock = { id, result in seen.append("\(id) \(result.error == nil)") }
            modify.perSubscriptionDeleteBlock = { id, result in seen.append("\(id) \(result.error == nil)") }
            modify.modifySubscriptionsResultBlock = { _ in continuation.resume(returning: seen) }
            database.add(modify)
        }
        #expect(saved == ["a true", "nobody false"])
        let fetch = CKFetchSubscriptionsOperation.fetchAllSubscriptionsOperation()
        let fetched = await withCheckedContinuation { continuation in
            nonisolated(unsafe) var seen: [String] = []
            fetch.perSubscriptionResultBlock = { id, _ in seen.append(id) }
            fetch.fetchSubscriptionsResultBlock = { _ in continuation.resume(returning: seen) }
            database.add(fetch)
        }
        #expect(fetched == ["a"])
    }
}
