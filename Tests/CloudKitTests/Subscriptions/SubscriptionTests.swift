import CloudKit
import Testing

@Suite("Subscriptions as values")
struct SubscriptionTests {
    private func roundTrip<Value: NSObject & NSSecureCoding>(_ value: Value) throws -> Value {
        let archive = try NSKeyedArchiver.archivedData(withRootObject: value, requiringSecureCoding: true)
        return try #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: Value.self, from: archive))
    }

    @Test("Each kind says which it is and has a name, of its own making where none is given")
    func kinds() {
        let zoneID = CKRecordZone.ID(zoneName: "z")
        let database = CKDatabaseSubscription(subscriptionID: "d")
        #expect(database.subscriptionID == "d" && database.subscriptionType == .database)
        #expect(CKDatabaseSubscription().subscriptionID != CKDatabaseSubscription().subscriptionID)
        let zone = CKRecordZoneSubscription(zoneID: zoneID, subscriptionID: "z")
        #expect(zone.zoneID == zoneID && zone.subscriptionType == .recordZone)
        #expect(!CKRecordZoneSubscription(zoneID: zoneID).subscriptionID.isEmpty)
        let query = CKQuerySubscription(recordType: "T", predicate: NSPredicate(value: true), subscriptionID: "q")
        #expect(query.subscriptionType == .query && query.recordType == "T" && query.zoneID == nil)
        #expect(
            query.querySubscriptionOptions
                == [.firesOnRecordCreation, .firesOnRecordUpdate, .firesOnRecordDeletion])
        #expect(CKSubscription.SubscriptionType.database.rawValue == 3)
    }

    @Test("The notification info is a copy of what was assigned, and can be changed in place")
    func notificationInfo() throws {
        let subscription = CKDatabaseSubscription(subscriptionID: "d")
        #expect(subscription.notificationInfo == nil)
        let info = CKSubscription.NotificationInfo()
        info.alertBody = "first"
        subscription.notificationInfo = info
        info.alertBody = "second"
        #expect(subscription.notificationInfo?.alertBody == "first")
        subscription.notificationInfo?.shouldSendContentAvailable = true
        #expect(subscription.notificationInfo?.shouldSendContentAvailable == true)
        let copy = try #require(subscription.copy() as? CKDatabaseSubscription)
        copy.notificationInfo?.alertBody = "copy"
        copy.recordType = "T"
        #expect(subscription.notificationInfo?.alertBody == "first")
        #expect(subscription.recordType == nil)
    }

    @Test("A notification info is made in one call with Apple's labels")
    func convenience() {
        let info = CKSubscription.NotificationInfo(
            alertLocalizationKey: "KEY", alertLocalizationArgs: ["title"], soundName: "default",
            shouldSendContentAvailable: true, category: "c")
        #expect(info.alertLocalizationKey == "KEY" && info.alertLocalizationArgs == ["title"])
        #expect(info.soundName == "default" && info.shouldSendContentAvailable && !info.shouldBadge)
        #expect(info.category == "c" && info.alertBody == nil)
    }

    @Test("Archives bring back every kind with all that it says")
    func archives() throws {
        let info = CKSubscription.NotificationInfo(
            alertBody: "b", title: "t", subtitleLocalizationArgs: ["s"], desiredKeys: ["k"], shouldBadge: true,
            shouldSendMutableContent: true, collapseIDKey: "c")
        let zone = CKRecordZoneSubscription(zoneID: CKRecordZone.ID(zoneName: "z", ownerName: "_o"))
        zone.recordType = "T"
        zone.notificationInfo = info
        let zoneBack = try roundTrip(zone)
        #expect(zoneBack.subscriptionID == zone.subscriptionID && zoneBack.zoneID == zone.zoneID)
        #expect(zoneBack.recordType == "T" && zoneBack.subscriptionType == .recordZone)
        let infoBack = try #require(zoneBack.notificationInfo)
        #expect(infoBack.alertBody == "b" && infoBack.title == "t" && infoBack.subtitleLocalizationArgs == ["s"])
        #expect(infoBack.desiredKeys == ["k"] && infoBack.shouldBadge && infoBack.shouldSendMutableContent)
        #expect(infoBack.collapseIDKey == "c" && !infoBack.shouldSendContentAvailable && infoBack.category == nil)

        let database = CKDatabaseSubscription(subscriptionID: "d")
        let databaseBack = try roundTrip(database)
        #expect(databaseBack.subscriptionID == "d" && databaseBack.notificationInfo == nil)

        let query = CKQuerySubscription(
            recordType: "T", predicate: NSPredicate(format: "rank > %@", NSNumber(value: 3)), subscriptionID: "q",
            options: [.firesOnRecordUpdate, .firesOnce])
        query.zoneID = CKRecordZone.ID(zoneName: "z")
        let queryBack = try roundTrip(query)
        #expect(queryBack.recordType == "T" && queryBack.zoneID == query.zoneID)
        #expect(queryBack.querySubscriptionOptions == [.firesOnRecordUpdate, .firesOnce])
        let records = [4, 2].map { rank in
            let record = CKRecord(recordType: "T")
            record["rank"] = rank
            return record
        }
        #expect(records.map { queryBack.predicate.evaluate(with: $0) } == [true, false])
    }

    @Test(
        "Damaged archives give errors",
        arguments: [
            ArchivedValue.object(["CKDatabaseSubscription", "NSObject"], [:]),
            .object(
                ["CKDatabaseSubscription", "NSObject"],
                ["SubscriptionID": .string("s"), "SubscriptionType": .integer(2)]),
            .object(
                ["CKRecordZoneSubscription", "NSObject"],
                ["SubscriptionID": .string("s"), "SubscriptionType": .integer(2)]),
            .object(["CKQuerySubscription", "NSObject"], ["SubscriptionID": .integer(1)]),
            .object(["CKNotificationID", "NSObject"], [:]),
        ])
    func damaged(value: ArchivedValue) {
        let classes: [AnyClass] = [
            CKDatabaseSubscription.self, CKRecordZoneSubscription.self, CKQuerySubscription.self,
            CKNotification.ID.self,
        ]
        #expect(throws: (any Error).self) {
            try NSKeyedUnarchiver.unarchivedObject(ofClasses: classes, from: DeviceArchive.root(value))
        }
    }
}
