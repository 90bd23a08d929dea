/// Decodes a value of any type from nothing: zeros, empty texts and collections, nils, first cases.
///
/// It is what a property of a vanished object reads as, and how the fields of a structure are found.
struct ZeroDecoder: Decoder {
    let recorder: FieldRecorder?
    let depth: Int
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    init(recorder: FieldRecorder? = nil, depth: Int = 0) {
        self.recorder = recorder
        self.depth = depth
    }

    /// A value of a type; nil when none can be made.
    static func value<Value>(of type: Value.Type, depth: Int = 0) -> Value? {
        if let optional = type as? any OptionalType.Type { return nilValue(optional) as? Value }
        if let stored = type as? any _StoredValue.Type { return stored._zero as? Value }
        if let cases = type as? any CaseIterable.Type, let first = firstCase(cases) { return first as? Value }
        if depth < 12, let decodable = type as? any Decodable.Type,
            let value = try? decodable.init(from: ZeroDecoder(depth: depth + 1))
        {
            return value as? Value
        }
        // An enumeration without payloads is a byte whose zero is the first case. (Those without cases have no size either,
        // like those with a single case; a value of them cannot be asked for.)
        if _isPOD(type), MemoryLayout<Value>.size == 1 { return unsafeBitCast(UInt8(0), to: type) }
        if _isPOD(type), MemoryLayout<Value>.size == 0, type != Never.self { return unsafeBitCast((), to: type) }
        return nil
    }

    private static func nilValue(_ type: any OptionalType.Type) -> Any {
        func make<Wrapped>(_ wrapped: Wrapped.Type) -> Any { Wrapped?.none as Any }
        return _openExistential(type.wrappedType, do: make)
    }

    private static func firstCase<Value: CaseIterable>(_ type: Value.Type) -> Any? { Value.allCases.first }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
        recorder?.isKeyed = true
        return KeyedDecodingContainer(Keyed<Key>(recorder: recorder, depth: depth))
    }

    func unkeyedContainer() -> any UnkeyedDecodingContainer {
        recorder?.isOther = true
        return Unkeyed(depth: depth)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer {
        recorder?.isOther = true
        return Single(depth: depth)
    }

    private static func decode<Value: Decodable>(_ type: Value.Type, depth: Int) throws -> Value {
        guard let value = value(of: type, depth: depth + 1) else {
            throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "no value of \(type)"))
        }
        return value
    }

    private struct Keyed<Key: CodingKey>: KeyedDecodingContainerProtocol {
        let recorder: FieldRecorder?
        let depth: Int
        var codingPath: [any CodingKey] { [] }
        var allKeys: [Key] { [] }

        func contains(_ key: Key) -> Bool { true }
        func decodeNil(forKey key: Key) -> Bool { true }

        func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
            recorder?.note(key.stringValue, type, isOptional: false)
            return try ZeroDecoder.decode(type, depth: depth)
        }

        func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
            recorder?.note(key.stringValue, type, isOptional: true)
            return nil
        }

        // The concrete ones have implementations of their own in the protocol's extension, which ask `decodeNil` first.
        func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? { try absent(type, key) }
        func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? { try absent(type, key) }
        func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? { try absent(type, key) }
        func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? { try absent(type, key) }
        func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? { try absent(type, key) }
        func decodeIfPresent(_ type: Int8.Type, forKey key: Key) throws -> Int8? { try absent(type, key) }
        func decodeIfPresent(_ type: Int16.Type, forKey key: Key) throws -> Int16? { try absent(type, key) }
        func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? { try absent(type, key) }
        func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? { try absent(type, key) }
        func decodeIfPresent(_ type: UInt.Type, forKey key: Key) throws -> UInt? { try absent(type, key) }
        func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) throws -> UInt8? { try absent(type, key) }
        func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) throws -> UInt16? { try absent(type, key) }
        func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? { try absent(type, key) }
        func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) throws -> UInt64? { try absent(type, key) }

        private func absent<Value>(_ type: Value.Type, _ key: Key) throws -> Value? {
            recorder?.note(key.stringValue, type, isOptional: true)
            return nil
        }

        func nestedContainer<Nested: CodingKey>(
            keyedBy type: Nested.Type, forKey key: Key
        ) -> KeyedDecodingContainer<Nested> {
            recorder?.isOther = true
            return KeyedDecodingContainer(Keyed<Nested>(recorder: nil, depth: depth))
        }

        func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedDecodingContainer {
            recorder?.isOther = true
            return Unkeyed(depth: depth)
        }

        func superDecoder() -> any Decoder {
            recorder?.isOther = true
            return ZeroDecoder(depth: depth)
        }

        func superDecoder(forKey key: Key) -> any Decoder { superDecoder() }
    }

    private struct Unkeyed: UnkeyedDecodingContainer {
        let depth: Int
        var codingPath: [any CodingKey] { [] }
        var count: Int? { 0 }
        var isAtEnd: Bool { true }
        var currentIndex = 0

        init(depth: Int) { self.depth = depth }

        func decodeNil() -> Bool { true }
        func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try ZeroDecoder.decode(type, depth: depth) }
        func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedDecodingContainer<Nested> {
            KeyedDecodingContainer(Keyed<Nested>(recorder: nil, depth: depth))
        }
        func nestedUnkeyedContainer() -> any UnkeyedDecodingContainer { Unkeyed(depth: depth) }
        func superDecoder() -> any Decoder { ZeroDecoder(depth: depth) }
    }

    private struct Single: SingleValueDecodingContainer {
        let depth: Int
        var codingPath: [any CodingKey] { [] }

        func decodeNil() -> Bool { true }
        func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try ZeroDecoder.decode(type, depth: depth) }
    }
}
