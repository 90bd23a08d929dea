import Foundation
import Synchronization

/// A collection of named values that is kept in the cloud.
///
/// Two records are equal only when they are the same object; a copy is not equal to its original.
// Unchecked because the class is open: what changes lies behind a lock.
open class CKRecord: NSObject, NSSecureCoding, NSCopying, CKRecordKeyValueSetting, @unchecked Sendable {
    public typealias RecordType = String
    public typealias FieldKey = String

    private let type: RecordType
    private let id: CKRecord.ID
    let state: Mutex<RecordState>

    /// A record that no server knows yet. Without an identifier it gets a random name in the default zone.
    public init(recordType: CKRecord.RecordType, recordID: CKRecord.ID = CKRecord.ID()) {
        type = recordType
        id = recordID
        state = Mutex(RecordState())
        super.init()
    }

    @available(*, deprecated, message: "Use init(recordType:recordID:) with CKRecord.ID(zoneID:).")
    public convenience init(recordType: CKRecord.RecordType, zoneID: CKRecordZone.ID) {
        self.init(recordType: recordType, recordID: CKRecord.ID(zoneID: zoneID))
    }

    /// A record in a state that is known: one from a server, or a copy of another.
    package init(recordType: CKRecord.RecordType, recordID: CKRecord.ID, state: RecordState) {
        type = recordType
        id = recordID
        self.state = Mutex(state)
        super.init()
    }

    public required init?(coder: NSCoder) {
        guard let contents = ArchivedRecord(from: coder) else { return nil }
        type = contents.recordType
        id = contents.recordID
        state = Mutex(contents.state)
        super.init()
    }

    // MARK: What the record is

    open var recordType: RecordType { type }
    open var recordID: CKRecord.ID { id }
    /// Changes with every save on the server; compare for equality only. nil until the first save.
    open var recordChangeTag: String? { state.withLock { $0.system.changeTag } }
    open var creatorUserRecordID: CKRecord.ID? { state.withLock { $0.system.creatorUserRecordID } }
    open var creationDate: Date? { state.withLock { $0.system.creationDate } }
    open var lastModifiedUserRecordID: CKRecord.ID? { state.withLock { $0.system.lastModifiedUserRecordID } }
    open var modificationDate: Date? { state.withLock { $0.system.modificationDate } }

    // MARK: Values

    open func object(forKey key: FieldKey) -> (any __CKRecordObjCValue)? {
        state.withLock { $0.plain.values[key] }?.object
    }

    /// Sets or, with nil, removes a value.
    ///
    /// A key begins with a letter or an underscore, followed by letters, digits, underscores and dollar signs, all of
    /// them ASCII. For another key, and for a value that no record can hold, Apple's framework raises
    /// `NSInvalidArgumentException`; Swift has no exceptions to raise, so here the precondition fails with the reason.
    open func setObject(_ object: (any __CKRecordObjCValue)?, forKey key: FieldKey) {
        let value = Self.checkedValue(object, forKey: key)
        state.withLock { state in
            state.plain.set(value, forKey: key)
            // A key is plain or encrypted, never both; the side on which a value was set last has it.
            if value != nil { state.encrypted.forget(key) }
        }
    }

    open subscript(key: FieldKey) -> (any __CKRecordObjCValue)? {
        get { object(forKey: key) }
        set { setObject(newValue, forKey: key) }
    }

    /// The keys that have a value, plain and encrypted, in alphabetical order.
    open func allKeys() -> [FieldKey] {
        state.withLock { Set($0.plain.values.keys).union($0.encrypted.values.keys) }.sorted()
    }

    /// The keys, plain and encrypted, that were set since the record was made, fetched or saved, also those set to nil.
    open func changedKeys() -> [FieldKey] {
        state.withLock { $0.plain.changedKeys.union($0.encrypted.changedKeys) }.sorted()
    }

    /// The words of the record's texts, as a full-text search would find them.
    open func allTokens() -> [String] {
        let texts = state.withLock { $0.plain.values }.sorted { $0.key < $1.key }.compactMap { _, value in
            if case .string(let text) = value { text } else { nil }
        }
        return texts.flatMap { $0.split { !$0.isLetter && !$0.isNumber }.map(String.init) }
    }

    /// The values that are encrypted before they leave the account's devices. Any value but assets and references.
    open var encryptedValues: any CKRecordKeyValueSetting { EncryptedRecordValues(of: self) }

    // MARK: Hierarchy

    /// The share that the record is the root of.
    open var share: CKRecord.Reference? { state.withLock { $0.system.share } }

    /// The record above this one in a hierarchy that is shared as a whole; in the same zone, with action `.none`.
    open var parent: CKRecord.Reference? {
        get { state.withLock { $0.system.parent } }
        set {
            // Apple's framework raises NSInternalInconsistencyException with this text.
            precondition(
                newValue.map { $0.recordID.zoneID == recordID.zoneID } ?? true,
                "Parent record must be in the same zone as the current record")
            state.withLock { state in
                if !state.system.hasChangedParent { state.system.previousParent = state.system.parent }
                state.system.hasChangedParent = true
                state.system.parent = newValue
            }
        }
    }

    open func setParent(_ parentRecord: CKRecord?) {
        parent = parentRecord.map { CKRecord.Reference(record: $0, action: .none) }
    }

    open func setParent(_ parentRecordID: CKRecord.ID?) {
        parent = parentRecordID.map { CKRecord.Reference(recordID: $0, action: .none) }
    }

    // MARK: Copying, archiving, describing

    /// A record of its own with the same identifier, values and changes; not equal to this one.
    open func copy(with zone: NSZone? = nil) -> Any {
        let now = state.withLock { $0 }
        guard Swift.type(of: self) != CKRecord.self else {
            return CKRecord(recordType: recordType, recordID: recordID, state: now)
        }
        // A subclass is made through the one initializer that every subclass has.
        let coder = RecordCopyCoder(ArchivedRecord(recordType: recordType, recordID: recordID, state: now))
        return Swift.type(of: self).init(coder: coder) as Any
    }

    open override func copy() -> Any { copy(with: nil) }

    open class var supportsSecureCoding: Bool { true }
    open override class func classFallbacksForKeyedArchiver() -> [String] { ["CKRecord"] }

    /// Archives the whole record.
    open func encode(with coder: NSCoder) {
        encodeSystemFields(with: coder)
        ArchivedRecord(recordType: recordType, recordID: recordID, state: state.withLock { $0 }).encodeValues(
            with: coder)
    }

    /// Archives everything but the values: what is needed to save over the same record later.
    open func encodeSystemFields(with coder: NSCoder) {
        let now = state.withLock { $0 }
        ArchivedRecord(recordType: recordType, recordID: recordID, state: now).encodeSystemFields(with: coder)
    }

    /// Encrypted values do not show in it.
    open override var description: String {
        let now = state.withLock { $0 }
        let values = now.plain.values.keys.sorted().map { key in
            "\n    \(key) = \(now.plain.values[key].map { "\($0.object)" } ?? "<null>");"
        }
        return "<\(String(describing: Swift.type(of: self))): \(addressText(of: self)); recordType=\(recordType), "
            + "recordID=\(recordID.shortDescription), recordChangeTag=\(now.system.changeTag ?? "(null)"), "
            + "values={\(values.joined())\n}>"
    }
}

extension CKRecord {
    /// The names of record types that the cloud itself uses.
    public enum SystemType {
        public static let userRecord = "Users"
        public static let share = "cloudkit.share"
    }

    /// The names by which predicates and sort descriptors speak of what every record has.
    public enum SystemFieldKey {
        public static let parent = "___parent"
        public static let share = "___share"
        public static let recordID = "___recordID"
        public static let creatorUserRecordID = "___createdBy"
        public static let creationDate = "___createTime"
        public static let lastModifiedUserRecordID = "___modifiedBy"
        public static let modificationDate = "___modTime"
    }
}

@available(*, deprecated, renamed: "CKRecord.SystemType.userRecord")
public let CKRecordTypeUserRecord = CKRecord.SystemType.userRecord
/// The record name of the share of a zone as a whole.
public let CKRecordNameZoneWideShare = "cloudkit.zoneshare"

extension CKRecord {
    /// The value to keep, or a failed precondition with Apple's reason.
    static func checkedValue(_ object: Any?, forKey key: FieldKey) -> RecordValue? {
        precondition(!key.isEmpty, "recordKey can not be empty")
        precondition(
            isValidKey(key),
            "\"\(key)\" is not a valid key for a CKRecord: it must begin with a letter or an underscore, followed by "
                + "letters, digits and underscores")
        guard let object else { return nil }
        guard let value = RecordValue(object) else {
            preconditionFailure("A CKRecord cannot hold \(Swift.type(of: object)) as the value of \"\(key)\"")
        }
        return value
    }

    private static func isValidKey(_ key: FieldKey) -> Bool {
        for (index, byte) in key.utf8.enumerated() {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"): break
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "$"): if index == 0 { return false }
            default: return false
            }
        }
        return true
    }
}
