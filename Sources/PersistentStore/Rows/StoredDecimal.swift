import CSQLite
import Foundation

/// How a decimal lies in a column: as the number that it is when SQLite holds that exactly, else as its digits.
///
/// Apple's frameworks keep the nearest double, which loses what is beyond 15 digits. A column of a numeric type turns text into
/// numbers, so the digits are a BLOB; `CAST(column AS REAL)` reads them for comparisons.
enum StoredDecimal {
    case integer(Int64)
    case double(Double)
    case digits(String)

    init(_ value: Decimal) {
        let text = NSDecimalNumber(decimal: value).description(withLocale: nil)
        if let integer = Int64(text) {
            self = .integer(integer)
        } else if text.utf8.count(where: { $0 >= 0x30 && $0 <= 0x39 }) <= 15, let double = Double(text) {
            self = .double(double)
        } else {
            self = .digits(text)
        }
    }

    func bind(_ statement: OpaquePointer, _ position: Int32) -> Int32 {
        switch self {
        case .integer(let value): return sqlite3_bind_int64(statement, position, value)
        case .double(let value): return sqlite3_bind_double(statement, position, value)
        case .digits(var text):
            return text.withUTF8 {
                sqlite3_bind_blob(
                    statement, position, $0.baseAddress, Int32(clamping: $0.count), RowBinding.copied)
            }
        }
    }
}

extension StoreValue {
    /// Binds the value in the form in which a column has it. A composite binds nothing, a reference its key.
    func bind(_ statement: OpaquePointer, _ position: Int32) -> Int32 {
        switch self {
        case .null, .composite: return sqlite3_bind_null(statement, position)
        case .boolean(let value): return sqlite3_bind_int64(statement, position, value ? 1 : 0)
        case .integer(let value): return sqlite3_bind_int64(statement, position, value)
        case .double(let value): return sqlite3_bind_double(statement, position, value)
        case .decimal(let value): return StoredDecimal(value).bind(statement, position)
        case .string(let value): return Self.bind(statement, position, value)
        case .url(let value): return Self.bind(statement, position, value.absoluteString)
        case .data(let value):
            return value.withUnsafeBytes {
                $0.isEmpty
                    ? sqlite3_bind_zeroblob(statement, position, 0)
                    : sqlite3_bind_blob64(
                        statement, position, $0.baseAddress, UInt64($0.count), RowBinding.copied)
            }
        case .date(let value):
            return sqlite3_bind_double(statement, position, value.timeIntervalSinceReferenceDate)
        case .uuid(let value):
            return withUnsafeBytes(of: value.uuid) {
                sqlite3_bind_blob(statement, position, $0.baseAddress, 16, RowBinding.copied)
            }
        case .reference(let row): return sqlite3_bind_int64(statement, position, row.key)
        }
    }

    private static func bind(_ statement: OpaquePointer, _ position: Int32, _ text: String) -> Int32 {
        var text = text
        return text.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) { bytes in
                bytes.isEmpty
                    ? sqlite3_bind_text(statement, position, "", 0, RowBinding.copied)
                    : sqlite3_bind_text64(
                        statement, position, bytes.baseAddress, UInt64(bytes.count), RowBinding.copied,
                        UInt8(SQLITE_UTF8))
            }
        }
    }
}
