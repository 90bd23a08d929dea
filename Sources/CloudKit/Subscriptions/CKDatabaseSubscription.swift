import Foundation

/// Tells of every change in the private or the shared database.
// Unchecked because the class is open: what changes lies behind a lock.
open class CKDatabaseSubscription: CKSubscription, @unchecked Sendable {
    private let lock = NSLock()
    private var type: CKRecord.RecordType?

    /// A subscription with a name of its own making.
    public convenience init() {
        self.init(subscriptionID: UUID().uuidString)
    }

    public init(subscriptionID: CKSubscription.ID) {
        super.init(.database, subscriptionID: subscriptionID)
    }

    /// Only changes of records of this type; nil all.
    open var recordType: CKRecord.RecordType? {
        get { lock.withLock { type } }
        set { lock.withLock { type = newValue } }
    }

    open override func copy(with zone: NSZone? = nil) -> Any {
        let copy = CKDatabaseSubscription(subscriptionID: subscriptionID)
        copy.recordType = recordType
        copy.notificationInfo = notificationInfo
        return copy
    }

    // MARK: Archiving

    override class var archivedName: String { "CKDatabaseSubscription" }
    private static let recordTypeKey = "RecordType"

    public required init?(coder: NSCoder) {
        type = ArchiveReader.read(coder) { $0.string(Self.recordTypeKey) }
        super.init(coder: coder)
        guard subscriptionType == .database else { return nil }
    }

    open override func encode(with coder: NSCoder) {
        super.encode(with: coder)
        coder.encode(recordType as Any?, forKey: Self.recordTypeKey)
    }
}
