import PersistentStore

/// The columns of a composite in the row that is being read.
struct CompositeColumns {
    let row: Row
    let index: Int

    func isNull(_ leaf: Int) -> Bool { row.isNull(index, element: leaf) }

    func areNull(_ shape: CompositeShape, from first: Int) -> Bool {
        (first..<first + shape.leafCount).allSatisfy { isNull($0) }
    }

    func value<Value>(_ type: Value.Type, _ leaf: Int) -> Value? {
        if isNull(leaf) { return nil }
        switch type {
        case is String.Type: return row.string(index, element: leaf) as? Value
        case is Bool.Type: return row.bool(index, element: leaf) as? Value
        case is Double.Type: return row.double(index, element: leaf) as? Value
        case is Float.Type: return Float(row.double(index, element: leaf)) as? Value
        case is Date.Type: return row.date(index, element: leaf) as? Value
        case is Data.Type: return row.data(index, element: leaf) as? Value
        case is UUID.Type: return row.uuid(index, element: leaf) as? Value
        case is URL.Type: return row.url(index, element: leaf) as? Value
        case is Decimal.Type: return row.decimal(index, element: leaf) as? Value
        case is UInt64.Type: return UInt64(bitPattern: row.int64(index, element: leaf)) as? Value
        case let integer as any FixedWidthInteger.Type:
            return Self.integer(integer, row.int64(index, element: leaf)) as? Value
        case let raw as any RawRepresentable.Type: return rawValue(raw, leaf) as? Value
        default:
            guard let decodable = type as? any Decodable.Type else { return nil }
            return (try? EncodedValue.value(decodable, from: row.data(index, element: leaf))) as? Value
        }
    }

    private static func integer<Value: FixedWidthInteger>(_ type: Value.Type, _ value: Int64) -> Any? {
        Value(exactly: value)
    }

    private func rawValue<Value: RawRepresentable>(_ type: Value.Type, _ leaf: Int) -> Any? {
        value(Value.RawValue.self, leaf).flatMap { Value(rawValue: $0) }
    }
}

/// Decodes a structure from its columns.
struct CompositeDecoder: Decoder {
    let columns: CompositeColumns
    let shape: CompositeShape
    let first: Int
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(Keyed<Key>(columns: columns, shape: shape, first: first))
    }

    // A structure that asks for these has no shape, so nobody does.
    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw Self.unexpected }
    func singleValueContainer() throws -> any SingleValueDecodingContainer { throw Self.unexpected }

    private static var unexpected: DecodingError {
        .dataCorrupted(.init(codingPath: [], debugDescription: "only keyed fields have columns"))
    }

    private struct Keyed<Key: CodingKey>: KeyedDecodingContainerProtocol {
        let columns: CompositeColumns
        let shape: CompositeShape
        let first: Int
        var codingPath: [any CodingKey] { [] }
        var allKeys: [Key] { shape.fields.compactMap { Key(stringValue: $0.name) }.filter { contains($0) } }

        func contains(_ key: Key) -> Bool { shape.field(named: key.stringValue).map { !isNull($0) } ?? false }
        func decodeNil(forKey key: Key) -> Bool { !contains(key) }

        private func isNull(_ field: CompositeShape.Field) -> Bool {
            if case .nested(let nested) = field.kind { return columns.areNull(nested, from: first + field.firstLeaf) }
            return columns.isNull(first + field.firstLeaf)
        }

        func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
            guard let field = shape.field(named: key.stringValue) else { throw missing(key) }
            if case .nested(let nested) = field.kind, !isNull(field) {
                return try Value(
                    from: CompositeDecoder(columns: columns, shape: nested, first: first + field.firstLeaf))
            }
            if let optional = type as? any OptionalType.Type {
                func decode<Wrapped>(_ wrapped: Wrapped.Type) -> Any {
                    columns.value(wrapped, first + field.firstLeaf) as Any
                }
                if let value = _openExistential(optional.wrappedType, do: decode) as? Value { return value }
            }
            if let value = columns.value(type, first + field.firstLeaf) { return value }
            // A field that the row has no value for, as after a migration.
            if isNull(field), let value = ZeroDecoder.value(of: type) { return value }
            throw missing(key)
        }

        private func missing(_ key: Key) -> DecodingError {
            .keyNotFound(key, .init(codingPath: [], debugDescription: "no such field"))
        }

        func nestedContainer<Nested: CodingKey>(
            keyedBy type: Nested.Type, forKey key: Key
        ) throws -> KeyedDecodingContainer<Nested> { throw CompositeDecoder.unexpected }
        func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
            throw CompositeDecoder.unexpected
        }
        func superDecoder() throws -> any Decoder { throw CompositeDecoder.unexpected }
        func superDecoder(forKey key: Key) throws -> any Decoder { throw CompositeDecoder.unexpected }
    }
}

/// Encodes a structure into its columns, which are null before.
struct CompositeEncoder: Encoder {
    let values: RowValues
    let index: Int
    let shape: CompositeShape
    let first: Int
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(Keyed<Key>(encoder: self))
    }

    // Types that encode themselves otherwise than they decode themselves lose what has no column.
    func unkeyedContainer() -> any UnkeyedEncodingContainer { NowhereContainer() }
    func singleValueContainer() -> any SingleValueEncodingContainer { NowhereContainer() }

    private func set(_ value: some Encodable, _ field: CompositeShape.Field) throws {
        let leaf = first + field.firstLeaf
        if case .nested(let nested) = field.kind {
            if (value as? any OptionalType)?.isNilValue == true { return }
            try value.encode(to: CompositeEncoder(values: values, index: index, shape: nested, first: leaf))
            return
        }
        switch value {
        case let value as String: values.set(index, element: leaf, value)
        case let value as Bool: values.set(index, element: leaf, value)
        case let value as Double: values.set(index, element: leaf, value)
        case let value as Float: values.set(index, element: leaf, Double(value))
        case let value as Date: values.set(index, element: leaf, value)
        case let value as Data: values.set(index, element: leaf, value)
        case let value as UUID: values.set(index, element: leaf, value)
        case let value as URL: values.set(index, element: leaf, value)
        case let value as Decimal: values.set(index, element: leaf, value)
        case let value as any FixedWidthInteger: values.set(index, element: leaf, Int64(truncatingIfNeeded: value))
        case let value as any OptionalType where value.isNilValue: values.setNull(index, element: leaf)
        case let value as any RawRepresentable where (value.rawValue as? any _StoredValue) != nil:
            if let raw = value.rawValue as? any _StoredValue { try set(raw, field) }
        default: values.set(index, element: leaf, try EncodedValue.data(value))
        }
    }

    private struct Keyed<Key: CodingKey>: KeyedEncodingContainerProtocol {
        let encoder: CompositeEncoder
        var codingPath: [any CodingKey] { [] }

        func encodeNil(forKey key: Key) {}

        func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
            guard let field = encoder.shape.field(named: key.stringValue) else { return }
            try encoder.set(value, field)
        }

        func nestedContainer<Nested: CodingKey>(
            keyedBy type: Nested.Type, forKey key: Key
        ) -> KeyedEncodingContainer<Nested> { KeyedEncodingContainer(NowhereKeyed<Nested>()) }
        func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { NowhereContainer() }
        func superEncoder() -> any Encoder { NowhereEncoder() }
        func superEncoder(forKey key: Key) -> any Encoder { NowhereEncoder() }
    }
}

private struct NowhereEncoder: Encoder {
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }
    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(NowhereKeyed<Key>())
    }
    func unkeyedContainer() -> any UnkeyedEncodingContainer { NowhereContainer() }
    func singleValueContainer() -> any SingleValueEncodingContainer { NowhereContainer() }
}

private struct NowhereKeyed<Key: CodingKey>: KeyedEncodingContainerProtocol {
    var codingPath: [any CodingKey] { [] }
    func encodeNil(forKey key: Key) {}
    func encode<Value: Encodable>(_ value: Value, forKey key: Key) {}
    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> { KeyedEncodingContainer(NowhereKeyed<Nested>()) }
    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { NowhereContainer() }
    func superEncoder() -> any Encoder { NowhereEncoder() }
    func superEncoder(forKey key: Key) -> any Encoder { NowhereEncoder() }
}

private struct NowhereContainer: UnkeyedEncodingContainer, SingleValueEncodingContainer {
    var codingPath: [any CodingKey] { [] }
    var count: Int { 0 }
    func encodeNil() {}
    func encode<Value: Encodable>(_ value: Value) {}
    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
        KeyedEncodingContainer(NowhereKeyed<Nested>())
    }
    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { NowhereContainer() }
    func superEncoder() -> any Encoder { NowhereEncoder() }
}
