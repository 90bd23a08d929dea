import Foundation

/// The values of a record in an archive, under the class name and keys that archives made on Apple's devices have.
// Open to its one subclass only; what is stored here is immutable.
class CKRecordValueStore: NSObject, NSSecureCoding {
    let fields: RecordFields

    init(_ fields: RecordFields) {
        self.fields = fields
        super.init()
    }

    class var supportsSecureCoding: Bool { true }
    override class func classFallbacksForKeyedArchiver() -> [String] { ["CKRecordValueStore"] }

    private enum Key {
        static let values = "RecordValues"
        static let originalValues = "OriginalValues"
        static let changedKeys = "ChangedKeys"
        /// Ours: which keys hold floating-point numbers. Foundation's archiver writes equal numbers once, whatever
        /// their kind, so that 1.0 would come back as the integer 1 where both occur.
        static let doubleKeys = "DoubleValueKeys"
        static let originalDoubleKeys = "OriginalDoubleValueKeys"
    }

    required init?(coder: NSCoder) {
        let decoded = ArchiveReader.read(coder) { archive -> RecordFields? in
            var fields = RecordFields(values: Self.values(archive, Key.values, doubles: Key.doubleKeys))
            fields.originalValues = Self.values(archive, Key.originalValues, doubles: Key.originalDoubleKeys)
            fields.changedKeys = Self.keys(archive, Key.changedKeys)
            return fields
        }
        guard let decoded else { return nil }
        fields = decoded
        super.init()
    }

    func encode(with coder: NSCoder) {
        coder.encode(Self.dictionary(fields.values) as Any?, forKey: Key.values)
        coder.encode(Self.dictionary(fields.originalValues) as Any?, forKey: Key.originalValues)
        coder.encode(Self.set(fields.changedKeys) as Any?, forKey: Key.changedKeys)
        coder.encode(Self.set(fields.values.filter(\.value.isDouble).keys) as Any?, forKey: Key.doubleKeys)
        coder.encode(
            Self.set(fields.originalValues.filter(\.value.isDouble).keys) as Any?, forKey: Key.originalDoubleKeys)
    }

    private static func dictionary(_ values: [String: RecordValue]) -> NSMutableDictionary {
        let dictionary = NSMutableDictionary()
        for (key, value) in values { dictionary[NSString(string: key)] = value.archivedObject }
        return dictionary
    }

    private static func set(_ keys: some Sequence<String>) -> NSMutableSet {
        NSMutableSet(array: keys.map { NSString(string: $0) })
    }

    private static func keys(_ archive: ArchiveReader, _ key: String) -> Set<String> {
        guard let set = archive.object(NSSet.self, key) else { return [] }
        return Set(set.allObjects.compactMap { $0 as? String })
    }

    /// A value that no record can hold, or a key that is no text, is left out.
    private static func values(_ archive: ArchiveReader, _ key: String, doubles: String) -> [String: RecordValue] {
        guard let dictionary = archive.object(NSDictionary.self, key) else { return [:] }
        // A device's archive has no such key, and numbers of the right kind.
        let doubleKeys = archive.coder.containsValue(forKey: doubles) ? keys(archive, doubles) : nil
        var values: [String: RecordValue] = [:]
        for (key, object) in dictionary {
            guard let key = key as? String, let value = RecordValue(object) else { continue }
            values[key] = doubleKeys.map { $0.contains(key) ? value.asDouble : value.asInteger } ?? value
        }
        return values
    }
}

final class CKEncryptedRecordValueStore: CKRecordValueStore {
    override class func classFallbacksForKeyedArchiver() -> [String] {
        ["CKEncryptedRecordValueStore", "CKRecordValueStore"]
    }
}

extension RecordValue {
    fileprivate var isDouble: Bool {
        switch self {
        case .double: true
        case .list(let elements): elements.contains { $0.isDouble }
        default: false
        }
    }

    fileprivate var asDouble: RecordValue {
        switch self {
        case .integer(let integer): .double(Double(integer))
        case .list(let elements): .list(elements.map(\.asDouble))
        default: self
        }
    }
    fileprivate var asInteger: RecordValue {
        switch self {
        case .double(let double): Int64(exactly: double).map(RecordValue.integer) ?? self
        case .list(let elements): .list(elements.map(\.asInteger))
        default: self
        }
    }
}
