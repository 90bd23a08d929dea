/// What a JSON value is.
package enum JSONKind: Hashable, Sendable {
    case null, bool
    /// A whole number without fraction or exponent that fits into `Int64`.
    case integer
    /// A whole number without fraction or exponent beyond `Int64` that fits into `UInt64`.
    case unsigned
    case double
    case string, array, object
}

/// A value inside a ``JSONDocument``.
///
/// A value is read on request: nothing is copied out of the document before it is asked for. Every reading accessor
/// answers nil when the value is of another kind.
package struct JSONValue: Sendable {
    @usableFromInline let document: JSONDocument
    @usableFromInline let index: Int

    @inlinable init(document: JSONDocument, index: Int) {
        self.document = document
        self.index = index
    }

    @inlinable package var kind: JSONKind {
        switch tag {
        case UInt8(ascii: "\""): .string
        case UInt8(ascii: "{"): .object
        case UInt8(ascii: "["): .array
        case UInt8(ascii: "l"): .integer
        case UInt8(ascii: "u"): .unsigned
        case UInt8(ascii: "d"): .double
        case UInt8(ascii: "t"), UInt8(ascii: "f"): .bool
        default: .null
        }
    }

    @inlinable package var isNull: Bool { tag == UInt8(ascii: "n") }

    @inlinable package var bool: Bool? {
        switch tag {
        case UInt8(ascii: "t"): true
        case UInt8(ascii: "f"): false
        default: nil
        }
    }

    /// The number, if it is whole and fits; `5.0` is whole.
    @inlinable package var int64: Int64? {
        switch tag {
        case UInt8(ascii: "l"): Int64(bitPattern: document.tape[index + 1])
        case UInt8(ascii: "d"): Int64(exactly: Double(bitPattern: document.tape[index + 1]))
        default: nil
        }
    }

    /// The number, if it is whole, not negative and fits.
    @inlinable package var uint64: UInt64? {
        switch tag {
        case UInt8(ascii: "l"): UInt64(exactly: Int64(bitPattern: document.tape[index + 1]))
        case UInt8(ascii: "u"): document.tape[index + 1]
        case UInt8(ascii: "d"): UInt64(exactly: Double(bitPattern: document.tape[index + 1]))
        default: nil
        }
    }

    /// ``int64`` as an `Int`.
    @inlinable package var int: Int? { int64.flatMap { Int(exactly: $0) } }

    /// Any number, rounded to the nearest `Double` where it has more digits.
    @inlinable package var double: Double? {
        switch tag {
        case UInt8(ascii: "d"): Double(bitPattern: document.tape[index + 1])
        case UInt8(ascii: "l"): Double(Int64(bitPattern: document.tape[index + 1]))
        case UInt8(ascii: "u"): Double(document.tape[index + 1])
        default: nil
        }
    }

    @inlinable package var string: String? {
        withUTF8 { String(decoding: $0, as: UTF8.self) }
    }

    /// Calls `body` with the UTF-8 of a string, its escapes resolved, without making a `String`. The buffer must not
    /// escape.
    @inlinable package func withUTF8<Value, Failure: Error>(
        _ body: (UnsafeBufferPointer<UInt8>) throws(Failure) -> Value
    ) throws(Failure) -> Value? {
        guard tag == UInt8(ascii: "\"") else { return nil }
        return try body(utf8)
    }

    /// Whether the value is this string, found out without making a `String`.
    @inlinable package func isString(_ other: String) -> Bool {
        guard tag == UInt8(ascii: "\"") else { return false }
        var other = other
        return other.withUTF8 { equals($0) }
    }

    @inlinable package var array: JSONArray? {
        tag == UInt8(ascii: "[") ? JSONArray(document: document, index: index) : nil
    }

    @inlinable package var object: JSONObject? {
        tag == UInt8(ascii: "{") ? JSONObject(document: document, index: index) : nil
    }

    /// The member of an object with this key, the last one when there are several; nil when there is none, or when the
    /// value is no object. A member whose value is `null` is there: ask ``isNull``.
    @inlinable package subscript(_ key: String) -> JSONValue? { object?[key] }
}

// MARK: - The tape

extension JSONValue {
    @inlinable var tag: UInt8 { UInt8(truncatingIfNeeded: document.tape[index] >> 56) }

    /// Only for strings.
    @inlinable var utf8: UnsafeBufferPointer<UInt8> {
        let entry = UnsafeRawPointer(document.strings) + Int(document.tape[index] & 0x00FF_FFFF_FFFF_FFFF)
        let count = Int(entry.loadUnaligned(as: UInt32.self))
        return UnsafeBufferPointer(
            start: (entry + MemoryLayout<UInt32>.size).assumingMemoryBound(to: UInt8.self), count: count)
    }

    /// Only for strings.
    @inlinable func equals(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        let utf8 = utf8
        return utf8.count == bytes.count && utf8.elementsEqual(bytes)
    }

    /// Where the next value or closing brace lies.
    @inlinable var indexAfter: Int {
        switch tag {
        case UInt8(ascii: "{"), UInt8(ascii: "["): Int(UInt32(truncatingIfNeeded: document.tape[index]))
        case UInt8(ascii: "l"), UInt8(ascii: "u"), UInt8(ascii: "d"): index + 2
        default: index + 1
        }
    }

    /// How many elements or members an array or object has; the tape counts to 2²⁴ − 1 only.
    @inlinable var elementCount: Int { Int((document.tape[index] >> 32) & 0xFF_FFFF) }
}
