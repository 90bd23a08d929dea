import Foundation

// Key-value coding does not exist on these platforms, but a record's part of it is what many apps call.
extension CKRecord {
    public func value(forKey key: String) -> Any? {
        object(forKey: key)
    }

    /// Like `setObject(_:forKey:)`, with its conditions.
    public func setValue(_ value: Any?, forKey key: String) {
        setObject(Self.checkedValue(value, forKey: key)?.object, forKey: key)
    }

    public func setValuesForKeys(_ keyedValues: [String: Any]) {
        for (key, value) in keyedValues { setValue(value is NSNull ? nil : value, forKey: key) }
    }

    public func dictionaryWithValues(forKeys keys: [String]) -> [String: Any] {
        var values: [String: Any] = [:]
        for key in keys { values[key] = value(forKey: key) ?? NSNull() }
        return values
    }
}
