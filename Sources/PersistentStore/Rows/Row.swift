import CSQLite
import Foundation

/// The row that a cursor stands on. It is gone with the cursor's next step: read what is needed and let it go.
///
/// Reads are by property index and typed; a null reads as zero, empty or nil. An index that is no attribute or to-one of the row's
/// entity reads as null.
package struct Row {
    @usableFromInline let statement: OpaquePointer
    @usableFromInline let columns: UnsafeMutablePointer<Int32>
    @usableFromInline let marks: UnsafeMutablePointer<Int32>
    // The cursor makes the row and outlives it, by the rule above.
    @usableFromInline unowned(unsafe) let cursor: RowCursor

    @inlinable
    init(statement: OpaquePointer, plan: RowShape.Plan, cursor: RowCursor) {
        self.statement = statement
        columns = plan.columns
        marks = plan.marks
        self.cursor = cursor
    }

    /// `Z_ENT`
    @inlinable package var entity: Int32 { sqlite3_column_int(statement, 0) }
    /// `Z_PK`
    @inlinable package var key: Int64 { sqlite3_column_int64(statement, 1) }
    /// `Z_OPT`: raised by every update.
    @inlinable package var version: Int64 { sqlite3_column_int64(statement, 2) }
    @inlinable package var id: RowID { RowID(entity: entity, key: key) }

    @inlinable
    package func isNull(_ index: Int) -> Bool {
        sqlite3_column_type(statement, columns[index]) == SQLITE_NULL
    }

    @inlinable
    package func int64(_ index: Int) -> Int64 { sqlite3_column_int64(statement, columns[index]) }

    @inlinable
    package func double(_ index: Int) -> Double { sqlite3_column_double(statement, columns[index]) }

    @inlinable
    package func bool(_ index: Int) -> Bool { sqlite3_column_int64(statement, columns[index]) != 0 }

    @inlinable
    package func string(_ index: Int) -> String { Self.text(statement, columns[index]) }

    @inlinable
    package func date(_ index: Int) -> Date {
        Date(timeIntervalSinceReferenceDate: sqlite3_column_double(statement, columns[index]))
    }

    @inlinable
    package func uuid(_ index: Int) -> UUID? { Self.uuid(statement, columns[index]) }

    package func decimal(_ index: Int) -> Decimal { Self.decimal(statement, columns[index]) }

    package func url(_ index: Int) -> URL? {
        isNull(index) ? nil : URL(string: string(index))
    }

    /// The bytes, read from their own file when they lie in one.
    @inlinable
    package func data(_ index: Int) -> Data {
        if marks[index] == RowShape.external { return cursor.externalData(columns[index]) }
        return Self.data(statement, columns[index])
    }

    @inlinable
    package func reference(_ index: Int) -> RowID? {
        let column = columns[index]
        guard sqlite3_column_type(statement, column) != SQLITE_NULL else { return nil }
        var entity = marks[index]
        if entity < 0 {
            entity = -entity
            if sqlite3_column_type(statement, column &+ 1) != SQLITE_NULL {
                entity = sqlite3_column_int(statement, column &+ 1)
            }
        }
        return RowID(entity: entity, key: sqlite3_column_int64(statement, column))
    }

    // MARK: - Elements of composites, by their place among the flattened leaves

    @inlinable
    package func isNull(_ index: Int, element: Int) -> Bool {
        sqlite3_column_type(statement, position(index, element)) == SQLITE_NULL
    }

    @inlinable
    package func int64(_ index: Int, element: Int) -> Int64 {
        sqlite3_column_int64(statement, position(index, element))
    }

    @inlinable
    package func double(_ index: Int, element: Int) -> Double {
        sqlite3_column_double(statement, position(index, element))
    }

    @inlinable
    package func bool(_ index: Int, element: Int) -> Bool { int64(index, element: element) != 0 }

    @inlinable
    package func string(_ index: Int, element: Int) -> String { Self.text(statement, position(index, element)) }

    @inlinable
    package func data(_ index: Int, element: Int) -> Data { Self.data(statement, position(index, element)) }

    @inlinable
    package func date(_ index: Int, element: Int) -> Date {
        Date(timeIntervalSinceReferenceDate: double(index, element: element))
    }

    package func uuid(_ index: Int, element: Int) -> UUID? { Self.uuid(statement, position(index, element)) }

    package func decimal(_ index: Int, element: Int) -> Decimal {
        Self.decimal(statement, position(index, element))
    }

    package func url(_ index: Int, element: Int) -> URL? {
        isNull(index, element: element) ? nil : URL(string: string(index, element: element))
    }

    @inlinable
    func position(_ index: Int, _ element: Int) -> Int32 {
        columns[index] < 0 ? -1 : columns[index] &+ Int32(truncatingIfNeeded: element)
    }
}

// MARK: - Any value

extension Row {
    /// The value as the model has it, for what is off the fast path. A to-many is null.
    package func value(_ index: Int) -> StoreValue {
        guard index < cursor.entityLayout.properties.count else { return .null }
        switch cursor.entityLayout.properties[index].kind {
        case .attribute(let leaves):
            if leaves.count == 1, leaves[0].isExternal { return isNull(index) ? .null : .data(data(index)) }
            if case .attribute(let attribute) = cursor.entityLayout.properties[index].property,
                case .composite = attribute.type
            {
                let values = leaves.indices.map {
                    Self.value(statement, columns[index] &+ Int32(truncatingIfNeeded: $0), leaves[$0].type)
                }
                return values.allSatisfy(\.isNull) ? .null : .composite(values)
            }
            return leaves.first.map { Self.value(statement, columns[index], $0.type) } ?? .null
        case .toOne: return reference(index).map { .reference($0) } ?? .null
        case .oneToMany, .manyToMany: return .null
        }
    }

    /// The whole row, to keep.
    package func stored() -> StoredRow {
        StoredRow(id: id, version: version, values: cursor.entityLayout.properties.indices.map { value($0) })
    }
}

// MARK: - Columns

extension Row {
    @inlinable
    static func text(_ statement: OpaquePointer, _ column: Int32) -> String {
        guard let start = sqlite3_column_text(statement, column) else { return "" }
        let count = Int(sqlite3_column_bytes(statement, column))
        return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    }

    @inlinable
    static func data(_ statement: OpaquePointer, _ column: Int32) -> Data {
        guard let start = sqlite3_column_blob(statement, column) else { return Data() }
        return Data(bytes: start, count: Int(sqlite3_column_bytes(statement, column)))
    }

    @inlinable
    static func uuid(_ statement: OpaquePointer, _ column: Int32) -> UUID? {
        guard let start = sqlite3_column_blob(statement, column), sqlite3_column_bytes(statement, column) == 16 else {
            // Some files keep it as text.
            return sqlite3_column_type(statement, column) == SQLITE_TEXT
                ? UUID(uuidString: text(statement, column)) : nil
        }
        return UUID(uuid: start.loadUnaligned(as: uuid_t.self))
    }

    static func decimal(_ statement: OpaquePointer, _ column: Int32) -> Decimal {
        switch sqlite3_column_type(statement, column) {
        case SQLITE_NULL: 0
        case SQLITE_INTEGER: Decimal(sqlite3_column_int64(statement, column))
        // A double of 15 digits reads back as the decimal that it came from; its shortest text has no more.
        default:
            Decimal(string: text(statement, column), locale: nil)
                ?? Decimal(sqlite3_column_double(statement, column))
        }
    }

    static func value(_ statement: OpaquePointer, _ column: Int32, _ type: AttributeType) -> StoreValue {
        if sqlite3_column_type(statement, column) == SQLITE_NULL { return .null }
        switch type {
        case .integer16, .integer32, .integer64: return .integer(sqlite3_column_int64(statement, column))
        case .decimal: return .decimal(decimal(statement, column))
        case .double, .float: return .double(sqlite3_column_double(statement, column))
        case .string: return .string(text(statement, column))
        case .boolean: return .boolean(sqlite3_column_int64(statement, column) != 0)
        case .date: return .date(Date(timeIntervalSinceReferenceDate: sqlite3_column_double(statement, column)))
        case .binary, .transformable, .composite: return .data(data(statement, column))
        case .uuid: return uuid(statement, column).map { .uuid($0) } ?? .data(data(statement, column))
        case .uri: return URL(string: text(statement, column)).map { .url($0) } ?? .null
        }
    }
}
