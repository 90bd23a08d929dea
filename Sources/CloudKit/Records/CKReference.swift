import Foundation

/// A field that points to another record: `CKRecord.Reference`, under the class name that archives carry.
// Unchecked because the class is open: everything stored here is immutable.
open class CKReference: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
    public let recordID: CKRecord.ID
    /// What the deletion of the other record does to the one that holds this reference.
    public let action: CKRecord.ReferenceAction
    /// The web protocol's third action: the other record must exist, and stays as long as this reference. Apple's
    /// framework has no name for it; it is kept so that saving the field again does not weaken it.
    package let isValidating: Bool

    public convenience init(recordID: CKRecord.ID, action: CKRecord.ReferenceAction) {
        self.init(recordID: recordID, action: action, isValidating: false)
    }

    package init(recordID: CKRecord.ID, action: CKRecord.ReferenceAction, isValidating: Bool) {
        self.recordID = recordID
        self.action = action
        self.isValidating = isValidating
        super.init()
    }

    public convenience init(record: CKRecord, action: CKRecord.ReferenceAction) {
        self.init(recordID: record.recordID, action: action)
    }

    // MARK: Equality by value, the action included

    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? CKReference else { return false }
        return other === self || (recordID == other.recordID && action == other.action)
    }

    open override var hash: Int {
        var hasher = Hasher()
        hasher.combine(recordID)
        hasher.combine(action)
        return hasher.finalize()
    }

    open override var description: String {
        "<CKReference: \(addressText(of: self)); \(recordID.shortDescription)>"
    }

    open func copy(with zone: NSZone? = nil) -> Any { self }
    open override func copy() -> Any { self }

    // MARK: Archiving

    open class var supportsSecureCoding: Bool { true }
    open override class func classFallbacksForKeyedArchiver() -> [String] { ["CKReference"] }

    // No public archive shows the keys of a reference; these follow the manner of the other classes.
    private enum Key {
        static let recordID = "RecordID"
        static let action = "ReferenceAction"
    }

    public required init?(coder: NSCoder) {
        let decoded = ArchiveReader.read(coder) { archive -> (CKRecord.ID, CKRecord.ReferenceAction)? in
            guard let recordID = archive.object(CKRecord.ID.self, Key.recordID) else { return nil }
            let action = UInt(exactly: archive.integer(Key.action) ?? 0).flatMap(CKRecord.ReferenceAction.init)
            return (recordID, action ?? .none)
        }
        guard let decoded else { return nil }
        (recordID, action) = decoded
        isValidating = false
        super.init()
    }

    open func encode(with coder: NSCoder) {
        coder.encode(recordID as Any?, forKey: Key.recordID)
        coder.encode(Int64(action.rawValue), forKey: Key.action)
    }
}

extension CKRecord {
    public typealias Reference = CKReference

    /// What happens to the record that holds a reference when the record it points to is deleted.
    public enum ReferenceAction: UInt, Sendable {
        case none = 0
        case deleteSelf = 1
    }
}
