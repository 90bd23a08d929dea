import PersistentStore

/// A type of value that has a column type of its own. For macros' use: no app conforms to it.
public protocol _StoredValue: Codable, Hashable, Sendable {
    static func _read(_ row: _Row, _ index: Int) -> Self?
    static func _write(_ value: Self, _ row: _RowValues, _ index: Int)
    /// What a property reads as whose object is gone and that has no default.
    static var _zero: Self { get }
}

extension _StoredValue {
    static var attributeType: AttributeType { columnType(of: self) }
}

private func columnType(of type: any _StoredValue.Type) -> AttributeType {
    switch type {
    case is String.Type: .string
    case is Bool.Type: .boolean
    case is Double.Type: .double
    case is Float.Type: .float
    case is Date.Type: .date
    case is Data.Type: .binary
    case is UUID.Type: .uuid
    case is URL.Type: .uri
    case is Decimal.Type: .decimal
    case is Int16.Type, is Int8.Type, is UInt8.Type: .integer16
    case is Int32.Type, is UInt16.Type: .integer32
    default: .integer64
    }
}

extension String: _StoredValue {
    public static func _read(_ row: _Row, _ index: Int) -> String? { row.string(index) }
    public static func _write(_ value: String, _ row: _RowValues, _ index: Int) { row.set(index, value) }
    public static var _zero: String { "" }
}

extension Bool: _StoredValue {
    public static func _read(_ row: _Row, _ index: Int) -> Bool? { row.bool(index) }
    public static func _write(_ value: Bool, _ row: _RowValues, _ index: Int) { row.set(index, value) }
    public static var _zero: Bool { false }
}

extension Double: _StoredValue {
    public static func _read(_ row: _Row, _ index: Int) -> Double? { row.double(index) }
    public static func _write(_ value: Double, _ row: _RowValues, _ index: Int) { row.set(index, value) }
    public static var _zero: Double { 0 }
}

extension Float: _StoredValue {
    public static func _read(_ row: _Row, _ index: Int) -> Float? { row.double(index).map(Float.init) }
    public static func _write(_ value: Float, _ row: _RowValues, _ index: Int) { row.set(index, Double(value)) }
    public static var _zero: Float { 0 }
}

extension Date: _StoredValue {
    public static func _read(_ row: _Row, _ index: Int) -> Date? { row.date(index) }
    public static func _write(_ value: Date, _ row: _RowValues, _ index: Int) { row.set(index, value) }
    public static var _zero: Date { Date(timeIntervalSinceReferenceDate: 0) }
}

extension Data: _StoredValue {
    public static func _read(_ row: _Row, _ index: Int) -> Data? { row.data(index) }
    public static func _write(_ value: Data, _ row: _RowValues, _ index: Int) { row.set(index, value) }
    public static var _zero: Data { Data() }
}

extension UUID: _StoredValue {
    public static func _read(_ row: _Row, _ index: Int) -> UUID? { row.uuid(index) }
    public static func _write(_ value: UUID, _ row: _RowValues, _ index: Int) { row.set(index, value) }
    public static var _zero: UUID { UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)) }
}

extension URL: _StoredValue {
    public static func _read(_ row: _Row, _ index: Int) -> URL? { row.url(index) }
    public static func _write(_ value: URL, _ row: _RowValues, _ index: Int) { row.set(index, value) }
    public static var _zero: URL { URL(filePath: "/") }
}

extension Decimal: _StoredValue {
    public static func _read(_ row: _Row, _ index: Int) -> Decimal? { row.decimal(index) }
    public static func _write(_ value: Decimal, _ row: _RowValues, _ index: Int) { row.set(index, value) }
    public static var _zero: Decimal { 0 }
}

// A column holds 64 bits with a sign: what a narrower type cannot hold, in a file that somebody else wrote, reads as if
// nothing were there. UInt64 is kept bit by bit.

extension Int: _StoredValue {
    public static func _read(_ row: _Row, _ index: Int) -> Int? { row.int64(index).map { Int(truncatingIfNeeded: $0) } }
    public static func _write(_ value: Int, _ row: _RowValues, _ index: Int) { row.set(index, Int64(value)) }
    public static var _zero: Int { 0 }
}

extension Int64: _StoredValue {
    public static func _read(_ row: _Row, _ index: Int) -> Int64? { row.int64(index) }
    public static func _write(_ value: Int64, _ row: _RowValues, _ index: Int) { row.set(index, value) }
    public static var _zero: Int64 { 0 }
}

extension UInt64: _StoredValue {
    public static func _read(_ row: _Row, _ index: Int) -> UInt64? { row.int64(index).map { UInt64(bitPattern: $0) } }
    public static func _write(_ value: UInt64, _ row: _RowValues, _ index: Int) {
        row.set(index, Int64(bitPattern: value))
    }
    public static var _zero: UInt64 { 0 }
}

extension UInt: _StoredValue {
    public static func _read(_ row: _Row, _ index: Int) -> UInt? {
        row.int64(index).map { UInt(truncatingIfNeeded: $0) }
    }
    public static func _write(_ value: UInt, _ row: _RowValues, _ index: Int) {
        row.set(index, Int64(truncatingIfNeeded: value))
    }
    public static var _zero: UInt { 0 }
}

extension Int8: _StoredValue {
    public static func _read(_ row: _Row, _ index: Int) -> Int8? { row.int64(index).flatMap { Int8(exactly: $0) } }
    public static func _write(_ value: Int8, _ row: _RowValues, _ index: Int) { row.set(index, Int64(value)) }
    public static var _zero: Int8 { 0 }
}

extension Int16: _StoredValue {
    public static func _read(_ row: _Row, _ index: Int) -> Int16? { row.int64(index).flatMap { Int16(exactly: $0) } }
    public static func _write(_ value: Int16, _ row: _RowValues, _ index: Int) { row.set(index, Int64(value)) }
    public static var _zero: Int16 { 0 }
}

extension Int32: _StoredValue {
    public static func _read(_ row: _Row, _ index: Int) -> Int32? { row.int64(index).flatMap { Int32(exactly: $0) } }
    public static func _write(_ value: Int32, _ row: _RowValues, _ index: Int) { row.set(index, Int64(value)) }
    public static var _zero: Int32 { 0 }
}

extension UInt8: _StoredValue {
    public static func _read(_ row: _Row, _ index: Int) -> UInt8? { row.int64(index).flatMap { UInt8(exactly: $0) } }
    public static func _write(_ value: UInt8, _ row: _RowValues, _ index: Int) { row.set(index, Int64(value)) }
    public static var _zero: UInt8 { 0 }
}

extension UInt16: _StoredValue {
    public static func _read(_ row: _Row, _ index: Int) -> UInt16? { row.int64(index).flatMap { UInt16(exactly: $0) } }
    public static func _write(_ value: UInt16, _ row: _RowValues, _ index: Int) { row.set(index, Int64(value)) }
    public static var _zero: UInt16 { 0 }
}

extension UInt32: _StoredValue {
    public static func _read(_ row: _Row, _ index: Int) -> UInt32? { row.int64(index).flatMap { UInt32(exactly: $0) } }
    public static func _write(_ value: UInt32, _ row: _RowValues, _ index: Int) { row.set(index, Int64(value)) }
    public static var _zero: UInt32 { 0 }
}
