import Foundation

/// Tells of every change in one zone of a private database. The zone needs `.fetchChanges`, which the default zone lacks.
// Unchecked because the class is open: what changes lies behind a lock.
open class CKRecordZoneSubscription: CKSubscription, @unchecked Sendable {
    public let zoneID: CKRecordZone.ID
    private let lock = NSLock()
    private var type: CKRecord.RecordType?

    /// A subscription with a name of its own making.
    public convenience init(zoneID: CKRecordZone.ID) {
        self.init(zoneID: zoneID, subscriptionID: UUID().uuidString)
    }

    public init(zoneID: CKRecordZone.ID, subscriptionID: CKSubscription.ID) {
        self.zoneID = zoneID
        super.init(.recordZone, subscriptionID: subscriptionID)
    }

    /// Only changes of records of this type; nil all.
    open var recordType: CKRecord.RecordType? {
        get { lock.withLock { type } }
        set { lock.withLock { type = newValue } }
    }

    open override func copy(with zone: NSZone? = nil) -> Any {
        let copy = CKRecordZoneSubscription(zoneID: zoneID, subscriptionID: subscriptionID)
        copy.recordType = recordType
        copy.notificationInfo = notificationInfo
        return copy
    }

    // MARK: Archiving

    override class var archivedName: String { "CKRecordZoneSubscription" }

    private enum Key {
        static let zoneID = "ZoneID"
        static let recordType = "RecordType"
    }

    public required init?(coder: NSCoder) {
        let decoded = ArchiveReader.read(coder) { archive -> (CKRecordZone.ID, String?)? in
            guard let zoneID = archive.object(CKRecordZone.ID.self, Key.zoneID) else { return nil }
            return (zoneID, archive.string(Key.recordType))
        }
        guard let decoded else { return nil }
        (zoneID, type) = decoded
        super.init(coder: coder)
        guard subscriptionType == .recordZone else { return nil }
    }

    open override func encode(with coder: NSCoder) {
        super.encode(with: coder)
        coder.encode(zoneID as Any?, forKey: Key.zoneID)
        coder.encode(recordType as Any?, forKey: Key.recordType)
    }
}
