/// Values in keyed archives, in which Apple's frameworks keep arrays, dictionaries and transformable values.
///
/// Foundation's own unarchiver ends the process over some damaged archives, and a store file may come from anywhere: so
/// these are read here. Only the classes of property lists and the values that Codable types are made of are known.
struct KeyedArchive {
    /// Why an archive cannot be read.
    enum Failure: Error {
        case unknownClass(String)
        case malformed
    }

    private let list: BinaryPropertyList
    /// The archive's objects, by the number that its references give.
    private let objects: [Int]
    /// References may share objects, so that few bytes could unfold to endless values.
    private var budget: Int
    private static let deepest = 256

    /// Whether a property list is a keyed archive.
    static func isOne(_ data: Data) -> Bool {
        guard BinaryPropertyList.isOne(data), let list = try? BinaryPropertyList(data) else { return false }
        return (try? fields(of: list.top, in: list))?["$archiver"] != nil
    }

    /// What the archive holds: strings, numbers, dates, data, URLs, UUIDs, and arrays and dictionaries of them.
    static func value(in data: Data) throws -> Any {
        let list = try BinaryPropertyList(data)
        let contents = try fields(of: list.top, in: list)
        guard let table = contents["$objects"], case .array(let objects) = try list.object(table),
            let tops = contents["$top"]
        else { throw Failure.malformed }
        let entries = try fields(of: tops, in: list)
        guard let root = entries["root"] ?? entries.values.first else { throw Failure.malformed }
        var archive = KeyedArchive(list: list, objects: objects, budget: data.count * 16)
        return try archive.value(root, depth: 0)
    }

    /// Decodes a type from what an archive holds, in the form that property lists give such values.
    static func value<Value: Decodable>(_ type: Value.Type, in data: Data) throws -> Value {
        // A property list's top is an array or a dictionary, so the value is the only one of an array.
        let list = [propertyListForm(try value(in: data))]
        let bytes = try PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0)
        guard let value = try PropertyListDecoder().decode([Value].self, from: bytes).first else {
            throw Failure.malformed
        }
        return value
    }

    private static func fields(of number: Int, in list: BinaryPropertyList) throws -> [String: Int] {
        guard case .dictionary(let entries) = try list.object(number) else { throw Failure.malformed }
        var fields: [String: Int] = [:]
        for entry in entries {
            guard case .string(let key) = try list.object(entry.key) else { throw Failure.malformed }
            fields[key] = entry.value
        }
        return fields
    }

    private mutating func value(_ number: Int, depth: Int) throws -> Any {
        budget -= 1
        guard budget > 0, depth < Self.deepest else { throw Failure.malformed }
        switch try list.object(number) {
        case .null: return NSNull()
        case .bool(let value): return value
        case .integer(let value): return Int(value)
        case .real(let value): return value
        case .date(let value): return value
        case .data(let value): return value
        case .string(let value): return value
        case .array(let elements): return try elements.map { try value($0, depth: depth + 1) }
        case .reference(let reference):
            // The first object stands for nil.
            if reference == 0 { return NSNull() }
            guard objects.indices.contains(reference) else { throw Failure.malformed }
            return try value(objects[reference], depth: depth + 1)
        case .dictionary: return try instance(Self.fields(of: number, in: list), depth: depth)
        }
    }

    private mutating func instance(_ fields: [String: Int], depth: Int) throws -> Any {
        func field(_ key: String) throws -> Any {
            guard let number = fields[key] else { throw Failure.malformed }
            return try value(number, depth: depth + 1)
        }
        func field<Value>(_ key: String, as type: Value.Type) throws -> Value {
            guard let value = try field(key) as? Value else { throw Failure.malformed }
            return value
        }
        let name = try className(fields)
        switch name {
        case "NSArray", "NSMutableArray", "NSSet", "NSMutableSet":
            return try field("NS.objects", as: [Any].self)
        case "NSOrderedSet", "NSMutableOrderedSet":
            return try (0..<fields.count).prefix { fields["NS.object.\($0)"] != nil }.map {
                try field("NS.object.\($0)")
            }
        case "NSDictionary", "NSMutableDictionary":
            let keys = try field("NS.keys", as: [Any].self)
            let values = try field("NS.objects", as: [Any].self)
            guard keys.count == values.count else { throw Failure.malformed }
            let named = try keys.map { key -> String in
                switch key {
                case let key as String: return key
                case let key as Int: return String(key)
                default: throw Failure.malformed
                }
            }
            return Dictionary(zip(named, values)) { first, _ in first }
        case "NSString", "NSMutableString": return try field("NS.string", as: String.self)
        case "NSData", "NSMutableData": return try field("NS.data", as: Data.self)
        case "NSDate": return Date(timeIntervalSinceReferenceDate: try field("NS.time", as: Double.self))
        case "NSNull": return NSNull()
        case "NSUUID":
            let bytes = try field("NS.uuidbytes", as: Data.self)
            guard bytes.count == 16 else { throw Failure.malformed }
            return bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
        case "NSURL":
            let base = fields["NS.base"] == nil ? nil : try field("NS.base") as? URL
            guard let url = URL(string: try field("NS.relative", as: String.self), relativeTo: base) else {
                throw Failure.malformed
            }
            return url
        case "NSDecimalNumber":
            return try decimal(
                mantissa: field("NS.mantissa", as: Data.self), length: field("NS.length", as: Int.self),
                exponent: field("NS.exponent", as: Int.self), isNegative: field("NS.negative", as: Bool.self),
                isLittleEndian: field("NS.mantissa.bo", as: Int.self) == 1)
        default: throw Failure.unknownClass(name)
        }
    }

    private func className(_ fields: [String: Int]) throws -> String {
        guard let number = fields["$class"], case .reference(let reference) = try list.object(number),
            objects.indices.contains(reference),
            let name = try Self.fields(of: objects[reference], in: list)["$classname"],
            case .string(let name) = try list.object(name)
        else { throw Failure.malformed }
        return name
    }

    /// A decimal number's mantissa is words of 16 bits, the least significant first, in the byte order of their machine.
    private func decimal(
        mantissa: Data, length: Int, exponent: Int, isNegative: Bool, isLittleEndian: Bool
    ) throws -> Decimal {
        let bytes = Array(mantissa)
        guard (0...8).contains(length), bytes.count >= length * 2, (-128...127).contains(exponent) else {
            throw Failure.malformed
        }
        if length == 0 { return isNegative ? .nan : 0 }
        let digits = (0..<length).reversed().reduce(Decimal(0)) { sum, index in
            let (first, second) = (Int(bytes[index * 2]), Int(bytes[index * 2 + 1]))
            return sum * 65536 + Decimal(isLittleEndian ? second << 8 | first : first << 8 | second)
        }
        return Decimal(sign: isNegative ? .minus : .plus, exponent: exponent, significand: digits)
    }

    /// The form in which Codable types expect the values of a property list.
    private static func propertyListForm(_ value: Any) -> Any {
        switch value {
        case is NSNull: return "$null"
        case let value as UUID: return value.uuidString
        case let value as URL:
            var fields: [String: Any] = ["relative": value.relativeString]
            if let base = value.baseURL { fields["base"] = propertyListForm(base) }
            return fields
        case let value as Decimal:
            guard let bytes = try? PropertyListEncoder().encode([value]),
                let list = try? PropertyListSerialization.propertyList(from: bytes, format: nil) as? [Any]
            else { return "$null" }
            return list.first ?? "$null"
        case let value as [Any]: return value.map(propertyListForm)
        case let value as [String: Any]: return value.mapValues(propertyListForm)
        default: return value
        }
    }
}
