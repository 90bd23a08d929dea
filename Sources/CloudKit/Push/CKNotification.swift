import Foundation

/// A push of CloudKit's, as one of its concrete kinds: `CKDatabaseNotification`, `CKRecordZoneNotification` or
/// `CKQueryNotification`.
///
/// It says that something changed, not what: fetch the changes. A push may come late, twice, or stand for several changes.
// Unchecked because the class is open: everything stored here is immutable.
open class CKNotification: NSObject, @unchecked Sendable {
    public enum NotificationType: Int, Sendable {
        case query = 1
        case recordZone = 2
        case readNotification = 3
        case database = 4
    }

    let payload: NotificationPayload

    fileprivate init(_ payload: NotificationPayload) {
        self.payload = payload
        super.init()
    }

    /// The notification in the dictionary of a push; nil when it is none of CloudKit's. The result is of the concrete
    /// class.
    public convenience init?(fromRemoteNotificationDictionary notificationDictionary: [AnyHashable: Any]) {
        let dictionary = PushDictionary(notificationDictionary)
        guard let payload = NotificationPayload(dictionary) else { return nil }
        let fields = dictionary.dictionary("ck")?.dictionary("qry")?.values("af")
        self.init(being: CKNotification.concrete(payload, recordFields: fields))
    }

    static func concrete(_ payload: NotificationPayload, recordFields: [String: Any]? = nil) -> CKNotification {
        switch payload.kind {
        case .query(let reason, let recordID):
            CKQueryNotification(payload, reason: reason, recordID: recordID, recordFields: recordFields)
        case .recordZone(let zoneID): CKRecordZoneNotification(payload, zoneID: zoneID)
        case .database: CKDatabaseNotification(payload)
        }
    }

    open var notificationType: NotificationType {
        switch payload.kind {
        case .query: .query
        case .recordZone: .recordZone
        case .database: .database
        }
    }
    open var notificationID: CKNotification.ID? { payload.notificationID.map { CKNotification.ID(name: $0) } }
    open var containerIdentifier: String? { payload.containerIdentifier }
    /// Who saved the subscription: whom this push is for, where several accounts use a device.
    open var subscriptionOwnerUserRecordID: CKRecord.ID? {
        payload.subscriptionOwner.map { CKRecord.ID(recordName: $0) }
    }
    open var subscriptionID: CKSubscription.ID? { payload.subscriptionID }
    /// Whether the push had no room for all that it should say. Pushes here have.
    open var isPruned: Bool { false }

    open var alertBody: String? { payload.alert.body }
    open var alertLocalizationKey: String? { payload.alert.localizationKey }
    open var alertLocalizationArgs: [String]? { payload.alert.localizationArgs }
    open var title: String? { payload.alert.title }
    open var titleLocalizationKey: String? { payload.alert.titleLocalizationKey }
    open var titleLocalizationArgs: [String]? { payload.alert.titleLocalizationArgs }
    open var subtitle: String? { payload.alert.subtitle }
    open var subtitleLocalizationKey: String? { payload.alert.subtitleLocalizationKey }
    open var subtitleLocalizationArgs: [String]? { payload.alert.subtitleLocalizationArgs }
    open var alertActionLocalizationKey: String? { payload.alert.actionLocalizationKey }
    open var alertLaunchImage: String? { payload.alert.launchImage }
    open var badge: NSNumber? { payload.badge.map { NSNumber(value: $0) } }
    open var soundName: String? { payload.soundName }
    open var category: String? { payload.category }

    open override var description: String {
        "<\(type(of: self)): \(addressText(of: self)); notificationID=\(payload.notificationID ?? "(null)"), "
            + "containerIdentifier=\(containerIdentifier ?? "(null)"), subscriptionID=\(subscriptionID ?? "(null)")>"
    }
}

/// Something changed in a database: its `CKDatabaseSubscription` says so. Fetch the database's changes.
open class CKDatabaseNotification: CKNotification, @unchecked Sendable {
    fileprivate override init(_ payload: NotificationPayload) { super.init(payload) }

    open var databaseScope: CKDatabase.Scope { payload.databaseScope }
}

/// Something changed in a zone: its `CKRecordZoneSubscription` says so. Fetch the zone's changes.
open class CKRecordZoneNotification: CKNotification, @unchecked Sendable {
    private let zoneID: CKRecordZone.ID

    fileprivate init(_ payload: NotificationPayload, zoneID: CKRecordZone.ID) {
        self.zoneID = zoneID
        super.init(payload)
    }

    open var recordZoneID: CKRecordZone.ID? { zoneID }
    open var databaseScope: CKDatabase.Scope { payload.databaseScope }
}

/// A record that matches the predicate of a `CKQuerySubscription` was saved or deleted.
// Unchecked: the fields are property-list values, made for this notification and never changed.
open class CKQueryNotification: CKNotification, @unchecked Sendable {
    public enum Reason: Int, Sendable {
        case recordCreated = 1
        case recordUpdated = 2
        case recordDeleted = 3
    }

    private let reason: Reason
    private let changedRecordID: CKRecord.ID?
    private let fields: [String: Any]?

    fileprivate init(
        _ payload: NotificationPayload, reason: Reason, recordID: CKRecord.ID?, recordFields: [String: Any]?
    ) {
        self.reason = reason
        changedRecordID = recordID
        fields = recordFields
        super.init(payload)
    }

    open var queryNotificationReason: Reason { reason }
    /// The subscription's `desiredKeys` with their values.
    open var recordFields: [String: Any]? { fields }
    open var recordID: CKRecord.ID? { changedRecordID }
    open var databaseScope: CKDatabase.Scope { payload.databaseScope }
}

/// Lets an initializer of a class give back an object of one of its subclasses: only an initializer of a protocol that
/// is not bound to classes may assign to `self`.
private protocol ConcreteKind {}

extension ConcreteKind {
    fileprivate init(being notification: CKNotification) {
        guard let own = notification as? Self else {
            // `Self` is CKNotification wherever this is called, and every notification is one.
            preconditionFailure("A notification of another class")
        }
        self = own
    }
}

extension CKNotification: ConcreteKind {}
