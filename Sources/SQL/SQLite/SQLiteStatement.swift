import CSQLite
import Glibc

/// A prepared statement of SQLite.
package final class SQLiteStatement: Statement {
    /// SQLite's own statement, for callers that read many columns of many rows.
    package let handle: OpaquePointer
    private let connection: SQLiteConnection
    private var bindFailure: Int32 = SQLITE_OK
    package private(set) var isActive = false
    package private(set) var changes = 0

    /// SQLITE_TRANSIENT: SQLite copies the bytes at once. A macro with a cast, which Swift does not import.
    private static let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

    init(_ handle: OpaquePointer, of connection: SQLiteConnection) {
        self.handle = handle
        self.connection = connection
    }

    deinit { sqlite3_finalize(handle) }

    // MARK: - Binding

    package func bind(_ position: Int, _ value: Int64) {
        note(sqlite3_bind_int64(handle, Int32(truncatingIfNeeded: position), value))
    }

    package func bind(_ position: Int, _ value: Double) {
        note(sqlite3_bind_double(handle, Int32(truncatingIfNeeded: position), value))
    }

    package func bind(_ position: Int, _ value: String) {
        var value = value
        value.withUTF8 { text in
            text.withMemoryRebound(to: CChar.self) { text in
                // An empty string may have no address, which SQLite would take for NULL.
                let result =
                    text.isEmpty
                    ? sqlite3_bind_text(handle, Int32(truncatingIfNeeded: position), "", 0, Self.copied)
                    : sqlite3_bind_text64(
                        handle, Int32(truncatingIfNeeded: position), text.baseAddress, UInt64(text.count), Self.copied,
                        UInt8(SQLITE_UTF8))
                note(result)
            }
        }
    }

    package func bind(_ position: Int, _ value: [UInt8]) {
        value.withUnsafeBytes { bind(position, bytes: $0) }
    }

    package func bind(_ position: Int, bytes: UnsafeRawBufferPointer) {
        let position = Int32(truncatingIfNeeded: position)
        // No bytes at all must stay an empty blob, not become NULL.
        note(
            bytes.isEmpty
                ? sqlite3_bind_zeroblob(handle, position, 0)
                : sqlite3_bind_blob64(handle, position, bytes.baseAddress, UInt64(bytes.count), Self.copied))
    }

    package func bindNull(_ position: Int) {
        note(sqlite3_bind_null(handle, Int32(truncatingIfNeeded: position)))
    }

    private func note(_ result: Int32) {
        if result != SQLITE_OK, bindFailure == SQLITE_OK { bindFailure = result }
    }

    // MARK: - Running

    package func step() throws(SQLError) -> Bool {
        if bindFailure != SQLITE_OK {
            let failure = connection.failure(bindFailure)
            reset()
            throw failure
        }
        isActive = true
        switch sqlite3_step(handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE:
            changes = connection.changes
            return false
        case let result:
            let failure = connection.failure(result)
            reset()
            throw failure
        }
    }

    package func reset() {
        sqlite3_reset(handle)
        bindFailure = SQLITE_OK
        isActive = false
    }

    // MARK: - Columns

    package var columnCount: Int { Int(sqlite3_column_count(handle)) }

    package func isNull(_ column: Int) -> Bool {
        sqlite3_column_type(handle, Int32(truncatingIfNeeded: column)) == SQLITE_NULL
    }

    package func int64(_ column: Int) -> Int64 {
        sqlite3_column_int64(handle, Int32(truncatingIfNeeded: column))
    }

    package func double(_ column: Int) -> Double {
        sqlite3_column_double(handle, Int32(truncatingIfNeeded: column))
    }

    package func text(_ column: Int) -> String {
        let column = Int32(truncatingIfNeeded: column)
        guard let start = sqlite3_column_text(handle, column) else { return "" }
        let count = Int(sqlite3_column_bytes(handle, column))
        return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    }

    package func text(_ column: Int, known: String) -> String {
        let column = Int32(truncatingIfNeeded: column)
        guard let start = sqlite3_column_text(handle, column) else { return "" }
        let count = Int(sqlite3_column_bytes(handle, column))
        let isEqual =
            known.utf8.count == count
            && known.utf8.withContiguousStorageIfAvailable { memcmp($0.baseAddress ?? start, start, count) == 0 }
                == true
        return isEqual ? known : String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    }

    package func blob(_ column: Int) -> [UInt8] {
        withBlob(column) { [UInt8]($0) }
    }

    package func withBlob<Value>(_ column: Int, _ body: (UnsafeRawBufferPointer) throws -> Value) rethrows -> Value {
        let column = Int32(truncatingIfNeeded: column)
        let start = sqlite3_column_blob(handle, column)
        let count = Int(sqlite3_column_bytes(handle, column))
        return try body(UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count))
    }
}
