import CloudKit
import Testing

@Suite("Notifications from the dictionary of a push")
struct NotificationTests {
    private func push(_ cloud: [String: Any], aps: [String: Any] = ["content-available": 1]) -> [AnyHashable: Any] {
        let common: [String: Any] = ["nid": "n-1", "cid": "iCloud.test", "ckuserid": "_me", "ce": 2]
        return ["aps": aps, "ck": common.merging(cloud) { $1 }]
    }

    @Test("A database push becomes a CKDatabaseNotification", arguments: [(2, CKDatabase.Scope.private), (3, .shared)])
    func database(number: Int, scope: CKDatabase.Scope) throws {
        let dictionary = push(["met": ["dbs": number, "sid": "s"]])
        let notification = try #require(CKNotification(fromRemoteNotificationDictionary: dictionary))
        let database = try #require(notification as? CKDatabaseNotification)
        #expect(database.databaseScope == scope && database.notificationType == .database)
        #expect(database.subscriptionID == "s" && database.containerIdentifier == "iCloud.test")
        #expect(database.notificationID == CKNotification(fromRemoteNotificationDictionary: dictionary)?.notificationID)
        #expect(database.notificationID != nil && !database.isPruned)
        #expect(database.subscriptionOwnerUserRecordID?.recordName == "_me")
    }

    @Test("A zone push becomes a CKRecordZoneNotification; in an app's own database the owner is the current user")
    func zone() throws {
        let details: [String: Any] = ["zid": "Notes", "zoid": "_me", "sid": "s"]
        let own = CKNotification(fromRemoteNotificationDictionary: push(["fet": details]))
        let zone = try #require(own as? CKRecordZoneNotification)
        #expect(zone.recordZoneID == CKRecordZone.ID(zoneName: "Notes"))
        #expect(zone.databaseScope == .private && zone.notificationType == .recordZone)
        let shared = CKNotification(
            fromRemoteNotificationDictionary: push(["fet": details.merging(["dbs": 3]) { $1 }]))
        #expect(
            (shared as? CKRecordZoneNotification)?.recordZoneID
                == CKRecordZone.ID(zoneName: "Notes", ownerName: "_me"))
    }

    @Test("A query push becomes a CKQueryNotification with its fields", arguments: 1...3)
    func query(fired: Int) throws {
        let details: [String: Any] = [
            "zid": "_defaultZone", "zoid": "_o", "sid": "s", "dbs": 0, "rid": "r", "fo": fired, "af": ["title": "T"],
        ]
        let notification = CKNotification(
            fromRemoteNotificationDictionary: push(
                ["qry": details],
                aps: [
                    "alert": ["loc-key": "KEY", "loc-args": ["a"], "title": "t", "launch-image": "l"], "badge": 4,
                    "sound": "default", "category": "c",
                ]))
        let query = try #require(notification as? CKQueryNotification)
        #expect(query.queryNotificationReason.rawValue == fired)
        #expect(query.recordID == CKRecord.ID(recordName: "r") && query.databaseScope == .public)
        #expect(query.recordFields?["title"] as? String == "T")
        #expect(query.alertLocalizationKey == "KEY" && query.alertLocalizationArgs == ["a"] && query.title == "t")
        #expect(query.alertLaunchImage == "l" && query.badge == 4 && query.soundName == "default")
        #expect(query.category == "c" && query.alertBody == nil)
    }

    @Test("A bare alert is its body, and dictionaries bridged by Foundation are read")
    func bridged() throws {
        let json = #"{"aps":{"alert":"Hello","badge":1},"ck":{"nid":"n","met":{"dbs":2,"sid":"s"}}}"#
        let object = try JSONSerialization.jsonObject(with: Data(json.utf8))
        let dictionary = try #require(object as? [String: Any])
        let notification = try #require(CKNotification(fromRemoteNotificationDictionary: dictionary))
        #expect(notification is CKDatabaseNotification)
        #expect(notification.alertBody == "Hello" && notification.badge == 1)
        let nested: [AnyHashable: Any] = ["ck": ["met": ["dbs": NSNumber(value: 3)] as [AnyHashable: Any]]]
        let other = CKNotification(fromRemoteNotificationDictionary: nested)
        #expect((other as? CKDatabaseNotification)?.databaseScope == .shared)
    }

    @Test(
        "What is no push of CloudKit's is nil",
        arguments: [
            "{}", #"{"aps":{"alert":"x"}}"#, #"{"ck":1}"#, #"{"ck":{}}"#, #"{"ck":{"fet":{}}}"#, #"{"ck":{"met":[]}}"#,
            #"{"ck":{"qry":{"fo":9,"rid":"r"}}}"#, #"{"ck":{"qry":{"fo":1e300}}}"#,
        ])
    func foreign(json: String) throws {
        let dictionary = try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
        #expect(CKNotification(fromRemoteNotificationDictionary: dictionary) == nil)
    }

    @Test("Identifiers of pushes are equal by value and survive an archive")
    func identifiers() throws {
        let dictionary = push(["met": ["dbs": 2, "sid": "s"]])
        let id = try #require(CKNotification(fromRemoteNotificationDictionary: dictionary)?.notificationID)
        let archive = try NSKeyedArchiver.archivedData(withRootObject: id, requiringSecureCoding: true)
        #expect(try NSKeyedUnarchiver.unarchivedObject(ofClass: CKNotification.ID.self, from: archive) == id)
    }

    @Test("The account's notification has Apple's name")
    func accountChanged() {
        #expect(Notification.Name.CKAccountChanged.rawValue == "CKAccountChangedNotification")
    }
}
