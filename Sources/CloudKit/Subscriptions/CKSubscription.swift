import Foundation

/// What the server is to tell this user's devices of. One of the three concrete kinds: `CKDatabaseSubscription`,
/// `CKRecordZoneSubscription` or `CKQuerySubscription`.
// Unchecked because the class is open: what changes lies behind a lock.
open class CKSubscription: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
    public typealias ID = String

    public enum SubscriptionType: Int, Sendable {
        case query = 1
        case recordZone = 2
        case database = 3
    }

    /// Unique among the subscriptions of one user in one database.
    public let subscriptionID: CKSubscription.ID
    public let subscriptionType: SubscriptionType
    private let lock = NSLock()
    private var info: NotificationInfo?

    init(_ subscriptionType: SubscriptionType, subscriptionID: CKSubscription.ID, info: NotificationInfo? = nil) {
        self.subscriptionType = subscriptionType
        self.subscriptionID = subscriptionID
        self.info = info
        super.init()
    }

    /// How the notification looks; a copy of what is assigned. Saving a subscription without one is
    /// `.invalidArguments`.
    open var notificationInfo: NotificationInfo? {
        get { lock.withLock { info } }
        set {
            let copy = newValue.map { NotificationInfo($0.values) }
            lock.withLock { info = copy }
        }
    }

    open override var description: String {
        "<\(Self.archivedName): \(addressText(of: self)); subscriptionID=\(subscriptionID)>"
    }

    /// A subscription of its own with the same contents.
    open func copy(with zone: NSZone? = nil) -> Any { self }
    open override func copy() -> Any { copy(with: nil) }

    // MARK: Archiving

    /// Apple's name of the class.
    class var archivedName: String { "CKSubscription" }
    open class var supportsSecureCoding: Bool { true }
    open override class func classFallbacksForKeyedArchiver() -> [String] { [archivedName] }

    // No public archive shows the keys of a subscription; these follow the manner of the other classes.
    private enum Key {
        static let subscriptionID = "SubscriptionID"
        static let subscriptionType = "SubscriptionType"
        static let notificationInfo = "NotificationInfo"
    }

    public required init?(coder: NSCoder) {
        let decoded = ArchiveReader.read(coder) { archive -> (String, SubscriptionType, NotificationInfo?)? in
            guard let subscriptionID = archive.string(Key.subscriptionID),
                let type = archive.integer(Key.subscriptionType).flatMap({ Int(exactly: $0) })
                    .flatMap(SubscriptionType.init)
            else { return nil }
            return (subscriptionID, type, archive.object(NotificationInfo.self, Key.notificationInfo))
        }
        guard let decoded else { return nil }
        (subscriptionID, subscriptionType, info) = decoded
        super.init()
    }

    open func encode(with coder: NSCoder) {
        coder.encode(subscriptionID as Any?, forKey: Key.subscriptionID)
        coder.encode(Int64(subscriptionType.rawValue), forKey: Key.subscriptionType)
        coder.encode(notificationInfo as Any?, forKey: Key.notificationInfo)
    }
}
