import Foundation

/// Which records to look for, and in which order.
// Unchecked because NSPredicate and NSSortDescriptor are not declared Sendable: both are immutable, and the list of
// descriptors lies behind a lock.
open class CKQuery: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
    public let recordType: CKRecord.RecordType
    public let predicate: NSPredicate
    private let lock = NSLock()
    private var descriptors: [NSSortDescriptor]?

    public init(recordType: CKRecord.RecordType, predicate: NSPredicate) {
        self.recordType = recordType
        self.predicate = predicate
        super.init()
    }

    /// The order of the results; without it the server's.
    open var sortDescriptors: [NSSortDescriptor]? {
        get { lock.withLock { descriptors } }
        set { lock.withLock { descriptors = newValue } }
    }

    open override var description: String {
        "<CKQuery: \(addressText(of: self)); recordType=\(recordType), predicate=\(predicate), "
            + "sortDescriptors=\(sortDescriptors.map { "\($0)" } ?? "(null)")>"
    }

    open func copy(with zone: NSZone? = nil) -> Any {
        let copy = CKQuery(recordType: recordType, predicate: predicate)
        copy.sortDescriptors = sortDescriptors
        return copy
    }

    open override func copy() -> Any { copy(with: nil) }

    // MARK: Archiving

    open class var supportsSecureCoding: Bool { true }
    open override class func classFallbacksForKeyedArchiver() -> [String] { ["CKQuery"] }

    public required init?(coder: NSCoder) {
        guard let query = ArchivedQuery(from: coder) else { return nil }
        recordType = query.recordType
        predicate = query.predicate
        descriptors = query.sortDescriptors
        super.init()
    }

    open func encode(with coder: NSCoder) {
        ArchivedQuery(recordType: recordType, predicate: predicate, sortDescriptors: sortDescriptors).encode(
            with: coder)
    }
}
