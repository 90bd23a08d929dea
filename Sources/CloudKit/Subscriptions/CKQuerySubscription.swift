import Foundation

/// Tells of records that match a predicate, in the public database or a private one.
// Unchecked because NSPredicate is not declared Sendable (it is immutable) and the class is open: what changes lies behind
// a lock.
open class CKQuerySubscription: CKSubscription, @unchecked Sendable {
    /// When a subscription tells. Without one of the first three, saving it is `.invalidArguments`.
    public struct Options: OptionSet, Sendable {
        public let rawValue: UInt

        public init(rawValue: UInt) {
            self.rawValue = rawValue
        }

        public static let firesOnRecordCreation = Options(rawValue: 1 << 0)
        public static let firesOnRecordUpdate = Options(rawValue: 1 << 1)
        public static let firesOnRecordDeletion = Options(rawValue: 1 << 2)
        /// The subscription ends with its first notification.
        public static let firesOnce = Options(rawValue: 1 << 3)
    }

    public let recordType: CKRecord.RecordType?
    public let predicate: NSPredicate
    public let querySubscriptionOptions: Options
    private let lock = NSLock()
    private var zone: CKRecordZone.ID?

    public init(
        recordType: CKRecord.RecordType, predicate: NSPredicate, subscriptionID: CKSubscription.ID,
        options: Options = [.firesOnRecordCreation, .firesOnRecordUpdate, .firesOnRecordDeletion]
    ) {
        self.recordType = recordType
        self.predicate = predicate
        querySubscriptionOptions = options
        super.init(.query, subscriptionID: subscriptionID)
    }

    @available(*, deprecated, message: "Use init(recordType:predicate:subscriptionID:options:)")
    public convenience init(
        recordType: CKRecord.RecordType, predicate: NSPredicate,
        options: Options = [.firesOnRecordCreation, .firesOnRecordUpdate, .firesOnRecordDeletion]
    ) {
        self.init(
            recordType: recordType, predicate: predicate, subscriptionID: UUID().uuidString, options: options)
    }

    /// Only records of this zone; nil all zones.
    open var zoneID: CKRecordZone.ID? {
        get { lock.withLock { zone } }
        set { lock.withLock { zone = newValue } }
    }

    open override func copy(with zone: NSZone? = nil) -> Any {
        let copy = CKQuerySubscription(
            recordType: recordType ?? "", predicate: predicate, subscriptionID: subscriptionID,
            options: querySubscriptionOptions)
        copy.zoneID = zoneID
        copy.notificationInfo = notificationInfo
        return copy
    }

    // MARK: Archiving

    override class var archivedName: String { "CKQuerySubscription" }

    private enum Key {
        static let zoneID = "ZoneID"
        static let options = "QuerySubscriptionOptions"
    }

    public required init?(coder: NSCoder) {
        let decoded = ArchiveReader.read(coder) { archive -> (ArchivedQuery, Options, CKRecordZone.ID?)? in
            guard let query = ArchivedQuery(from: coder),
                let options = archive.integer(Key.options).flatMap({ UInt(exactly: $0) })
            else { return nil }
            return (query, Options(rawValue: options), archive.object(CKRecordZone.ID.self, Key.zoneID))
        }
        guard let decoded else { return nil }
        recordType = decoded.0.recordType
        predicate = decoded.0.predicate
        querySubscriptionOptions = decoded.1
        zone = decoded.2
        super.init(coder: coder)
        guard subscriptionType == .query else { return nil }
    }

    open override func encode(with coder: NSCoder) {
        super.encode(with: coder)
        ArchivedQuery(recordType: recordType ?? "", predicate: predicate, sortDescriptors: nil).encode(with: coder)
        coder.encode(Int64(truncatingIfNeeded: querySubscriptionOptions.rawValue), forKey: Key.options)
        coder.encode(zoneID as Any?, forKey: Key.zoneID)
    }
}
