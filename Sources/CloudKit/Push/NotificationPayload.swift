import Foundation
import WebServices

/// What a push says, read from its dictionary without trusting it. [Apple:CKNotification]
///
/// No header describes the dictionary; its layout is what CloudKit JS reads and what apps have shown of theirs: `aps` is
/// Apple's push format, and `ck` has one of `qry` (query subscription), `fet` (zone) and `met` (database).
struct NotificationPayload: Sendable {
    enum Kind: Sendable {
        case query(CKQueryNotification.Reason, CKRecord.ID?)
        case recordZone(CKRecordZone.ID)
        case database
    }

    var kind: Kind
    var databaseScope: CKDatabase.Scope
    var notificationID: String?
    var containerIdentifier: String?
    var subscriptionOwner: String?
    var subscriptionID: String?
    var alert = Alert()
    var badge: Int?
    var soundName: String?
    var category: String?

    /// The texts of a visible notification.
    struct Alert: Sendable {
        var body: String?
        var localizationKey: String?
        var localizationArgs: [String]?
        var title: String?
        var titleLocalizationKey: String?
        var titleLocalizationArgs: [String]?
        var subtitle: String?
        var subtitleLocalizationKey: String?
        var subtitleLocalizationArgs: [String]?
        var actionLocalizationKey: String?
        var launchImage: String?
    }

    init(_ kind: Kind, databaseScope: CKDatabase.Scope) {
        self.kind = kind
        self.databaseScope = databaseScope
    }

    /// nil for a push that is not CloudKit's.
    init?(_ dictionary: PushDictionary) {
        guard let cloud = dictionary.dictionary("ck"), let (kind, details) = Self.kind(of: cloud) else { return nil }
        self.init(kind, databaseScope: Self.scope(details.integer("dbs")))
        notificationID = cloud.string("nid")
        containerIdentifier = cloud.string("cid")
        subscriptionOwner = cloud.string("ckuserid")
        subscriptionID = details.string("sid")
        guard let aps = dictionary.dictionary("aps") else { return }
        badge = aps.integer("badge")
        soundName = aps.string("sound")
        category = aps.string("category")
        // A bare text stands for its body.
        alert.body = aps.string("alert")
        if let texts = aps.dictionary("alert") { alert = Alert(texts) }
    }

    private static func kind(of cloud: PushDictionary) -> (Kind, PushDictionary)? {
        if let details = cloud.dictionary("qry") {
            guard let reason = details.integer("fo").flatMap(CKQueryNotification.Reason.init) else { return nil }
            let recordID = details.string("rid").map {
                CKRecord.ID(recordName: $0, zoneID: zoneID(details) ?? .default)
            }
            return (.query(reason, recordID), details)
        }
        if let details = cloud.dictionary("fet") {
            guard let zoneID = zoneID(details) else { return nil }
            return (.recordZone(zoneID), details)
        }
        if let details = cloud.dictionary("met") { return (.database, details) }
        return nil
    }

    private static func zoneID(_ details: PushDictionary) -> CKRecordZone.ID? {
        guard let name = details.string("zid") else { return nil }
        let isOwn = scope(details.integer("dbs")) != .shared
        // An app knows the owner of its own zones by one name only.
        return CKRecordZone.ID(
            zoneName: name,
            ownerName: isOwn ? CKCurrentUserDefaultName : details.string("zoid") ?? CKCurrentUserDefaultName)
    }

    /// Zone pushes without a number belong to the private database, the only one where an app's own zones lie.
    private static func scope(_ number: Int?) -> CKDatabase.Scope {
        number.flatMap { DatabaseScope(pushNumber: $0) }.map { CKDatabase.Scope(wire: $0) } ?? .private
    }
}

extension NotificationPayload.Alert {
    fileprivate init(_ texts: PushDictionary) {
        body = texts.string("body")
        localizationKey = texts.string("loc-key")
        localizationArgs = texts.strings("loc-args")
        title = texts.string("title")
        titleLocalizationKey = texts.string("title-loc-key")
        titleLocalizationArgs = texts.strings("title-loc-args")
        subtitle = texts.string("subtitle")
        subtitleLocalizationKey = texts.string("subtitle-loc-key")
        subtitleLocalizationArgs = texts.strings("subtitle-loc-args")
        actionLocalizationKey = texts.string("action-loc-key")
        launchImage = texts.string("launch-image")
    }
}

/// A dictionary as a push brings it, however Foundation and the app have bridged it.
struct PushDictionary {
    private let values: [AnyHashable: Any]

    init(_ values: [AnyHashable: Any]) {
        self.values = values
    }

    func string(_ key: String) -> String? { values[key] as? String }

    func strings(_ key: String) -> [String]? { (values[key] as? [Any])?.compactMap { $0 as? String } }

    func integer(_ key: String) -> Int? {
        if let number = values[key] as? Int { return number }
        return (values[key] as? NSNumber).flatMap { Int(exactly: $0.doubleValue) }
    }

    func dictionary(_ key: String) -> PushDictionary? {
        if let nested = values[key] as? [AnyHashable: Any] { return PushDictionary(nested) }
        return (values[key] as? [String: Any]).map { PushDictionary($0) }
    }

    /// The member as it is, for what an app reads itself.
    func values(_ key: String) -> [String: Any]? {
        if let nested = values[key] as? [String: Any] { return nested }
        guard let nested = values[key] as? [AnyHashable: Any] else { return nil }
        return Dictionary(
            nested.compactMap { key, value in (key as? String).map { ($0, value) } },
            uniquingKeysWith: { first, _ in first })
    }
}
