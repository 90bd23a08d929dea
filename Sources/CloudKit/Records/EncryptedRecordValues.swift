import Foundation
import Synchronization

/// The encrypted side of a record, kept apart from the plain one.
// Unchecked because NSObject is not Sendable: everything stored here is.
final class EncryptedRecordValues: NSObject, CKRecordKeyValueSetting, @unchecked Sendable {
    private let record: CKRecord

    init(of record: CKRecord) {
        self.record = record
    }

    func object(forKey key: CKRecord.FieldKey) -> (any __CKRecordObjCValue)? {
        record.state.withLock { $0.encrypted.values[key] }?.object
    }

    /// The conditions of `CKRecord.setObject(_:forKey:)`; moreover an asset or a reference cannot be encrypted.
    func setObject(_ object: (any __CKRecordObjCValue)?, forKey key: CKRecord.FieldKey) {
        let value = CKRecord.checkedValue(object, forKey: key)
        precondition(
            value?.canBeEncrypted ?? true,
            "\"\(key)\" cannot be encrypted: encryptedValues holds neither assets nor references")
        record.state.withLock { state in
            state.encrypted.set(value, forKey: key)
            if value != nil { state.plain.forget(key) }
        }
    }

    subscript(key: CKRecord.FieldKey) -> (any __CKRecordObjCValue)? {
        get { object(forKey: key) }
        set { setObject(newValue, forKey: key) }
    }

    func allKeys() -> [CKRecord.FieldKey] {
        record.state.withLock { $0.encrypted.values.keys.sorted() }
    }

    func changedKeys() -> [CKRecord.FieldKey] {
        record.state.withLock { $0.encrypted.changedKeys.sorted() }
    }
}

extension RecordValue {
    fileprivate var canBeEncrypted: Bool {
        switch self {
        case .asset, .reference: false
        case .list(let elements): elements.allSatisfy(\.canBeEncrypted)
        default: true
        }
    }
}
