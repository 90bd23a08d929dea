import Foundation

extension Fields {
    /// The value of the field, decoded; nil for a field that is absent or null, or whose value nobody typed.
    package subscript(name: String) -> FieldValue? {
        entry(named: name).flatMap { value(of: $0) }
    }

    /// The value of the entry, decoded by its own type.
    package func value(of entry: Entry) -> FieldValue? {
        entry.kind.type.flatMap { try? value(of: entry, as: $0) }
    }

    /// The value of the entry as a schema sees it: how an untyped value gets its type.
    ///
    /// Throws `Invalid value, expected type X.` when it is none.
    package func value(of entry: Entry, as type: FieldType) throws(ServerError) -> FieldValue {
        let json = json(of: entry)
        if let quick = Self.quickValue(json, as: type) { return quick }
        let document: JSONDocument
        do throws(JSONError) {
            document = try JSONDocument(parsing: json)
        } catch {
            throw .invalidValue(type)
        }
        return try FieldValue(document.root, as: type)
    }

    /// The UTF-8 of a STRING whose JSON has no escapes, without making a `String`; nil for any other value.
    package func plainText(of entry: Entry) -> ArraySlice<UInt8>? {
        entry.kind.type == .string ? Self.plainText(json(of: entry)) : nil
    }

    private static func plainText(_ json: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard json.count >= 2, json.first == UInt8(ascii: "\""), json.last == UInt8(ascii: "\"") else { return nil }
        let text = json.dropFirst().dropLast()
        let isPlain = text.withUnsafeBytes { bytes in
            bytes.baseAddress.map { memchr($0, Int32(UInt8(ascii: "\\")), bytes.count) == nil } ?? true
        }
        return isPlain ? text : nil
    }

    /// What an untyped value looks like, which decides the type of a field that comes into being with it.
    package enum Shape: Sendable, Hashable {
        case string, integer, double, boolean, list([Shape]), object
    }

    package func shape(of entry: Entry) -> Shape? {
        (try? JSONDocument(parsing: json(of: entry))).flatMap { Shape($0.root) }
    }

    /// Strings without escapes and integers, which are most values, are read without a parser.
    private static func quickValue(_ json: ArraySlice<UInt8>, as type: FieldType) -> FieldValue? {
        switch type {
        case .string:
            return plainText(json).map { .string(String(decoding: $0, as: UTF8.self)) }
        case .int64, .timestamp:
            guard let number = Int64(ascii: json) else { return nil }
            return type == .int64 ? .int64(number) : .timestamp(number)
        default:
            return nil
        }
    }
}

extension Fields.Shape {
    init?(_ value: JSONValue) {
        switch value.kind {
        case .string: self = .string
        case .integer: self = .integer
        case .unsigned, .double: self = .double
        case .bool: self = .boolean
        case .object: self = .object
        case .null: return nil
        case .array: self = .list((value.array.map { Array($0) } ?? []).compactMap { Fields.Shape($0) })
        }
    }
}

extension Int64 {
    fileprivate init?(ascii digits: ArraySlice<UInt8>) {
        var rest = digits
        let isNegative = rest.first == UInt8(ascii: "-")
        if isNegative { rest = rest.dropFirst() }
        guard !rest.isEmpty, rest.count <= 18 else { return nil }
        var value: Int64 = 0
        for digit in rest {
            guard digit >= UInt8(ascii: "0"), digit <= UInt8(ascii: "9") else { return nil }
            value = value * 10 + Int64(digit - UInt8(ascii: "0"))
        }
        self = isNegative ? -value : value
    }
}
