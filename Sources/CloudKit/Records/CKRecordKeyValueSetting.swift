import Foundation

/// Something with fields that are read and set by key: a record, or the encrypted values of one.
public protocol CKRecordKeyValueSetting: NSObjectProtocol {
    func object(forKey key: CKRecord.FieldKey) -> (any __CKRecordObjCValue)?
    func setObject(_ object: (any __CKRecordObjCValue)?, forKey key: CKRecord.FieldKey)
    subscript(key: CKRecord.FieldKey) -> (any __CKRecordObjCValue)? { get set }
    func allKeys() -> [CKRecord.FieldKey]
    func changedKeys() -> [CKRecord.FieldKey]
}

// Both are disfavoured so that `record["count"] as? Int` and `record["count"] = 5`, where all three subscripts fit, mean
// the untyped one, as on Apple's platforms.
extension CKRecordKeyValueSetting {
    /// The value as `Value`; nil when there is none or it is something else. A number becomes any Swift number that
    /// holds it exactly.
    @_disfavoredOverload
    public subscript<Value: CKRecordValueProtocol>(key: CKRecord.FieldKey) -> Value? {
        get { object(forKey: key) as? Value }
        set { setObject(newValue.map(recordObject), forKey: key) }
    }

    @_disfavoredOverload
    public subscript(key: CKRecord.FieldKey) -> (any CKRecordValueProtocol)? {
        get { object(forKey: key) as? any CKRecordValueProtocol }
        set { setObject(newValue.map(recordObject), forKey: key) }
    }
}

/// A value of the typed subscripts as what `setObject(_:forKey:)` takes.
private func recordObject(_ value: any CKRecordValueProtocol) -> any __CKRecordObjCValue {
    guard let object = value as? any __CKRecordObjCValue else {
        preconditionFailure("\(type(of: value)) is not a type that a CKRecord can hold")
    }
    return object
}
