import CSQLite
import Foundation
import SQL

/// The values of one row on their way into the file, set by property index.
///
/// What is not set is null in a new row. In an update only the properties that were announced as changed may be set, and those of
/// them that are not become null; the others are ignored.
package struct RowValues {
    @usableFromInline let statement: OpaquePointer
    /// By property index: the position of its first parameter, 0 when it has none.
    @usableFromInline let positions: UnsafeMutablePointer<Int32>
    // The writer lends itself for the length of the closure that sets the values.
    @usableFromInline unowned(unsafe) let binding: RowBinding

    @inlinable
    package func set(_ index: Int, _ value: Int64) {
        sqlite3_bind_int64(statement, positions[index], value)
    }

    @inlinable
    package func set(_ index: Int, _ value: Double) {
        sqlite3_bind_double(statement, positions[index], value)
    }

    @inlinable
    package func set(_ index: Int, _ value: Bool) {
        sqlite3_bind_int64(statement, positions[index], value ? 1 : 0)
    }

    @inlinable
    package func set(_ index: Int, _ value: String) { binding.bind(positions[index], value) }

    @inlinable
    package func set(_ index: Int, _ value: Date) {
        sqlite3_bind_double(statement, positions[index], value.timeIntervalSinceReferenceDate)
    }

    @inlinable
    package func set(_ index: Int, _ value: UUID) { binding.bind(positions[index], value) }

    package func set(_ index: Int, _ value: Decimal) { binding.bind(positions[index], value) }

    package func set(_ index: Int, _ value: URL) { binding.bind(positions[index], value.absoluteString) }

    package func set(_ index: Int, _ value: Data) { binding.bind(positions[index], value, property: index) }

    @inlinable
    package func setNull(_ index: Int) {
        // The other columns of a composite or of a to-one are null already, or are set to null with it.
        binding.bindNull(positions[index], property: index)
    }

    package func setReference(_ index: Int, _ value: RowID?) {
        binding.bindReference(positions[index], value, property: index)
    }

    // MARK: - Elements of composites, by their place among the flattened leaves

    package func set(_ index: Int, element: Int, _ value: Int64) {
        sqlite3_bind_int64(statement, position(index, element), value)
    }

    package func set(_ index: Int, element: Int, _ value: Double) {
        sqlite3_bind_double(statement, position(index, element), value)
    }

    package func set(_ index: Int, element: Int, _ value: Bool) {
        sqlite3_bind_int64(statement, position(index, element), value ? 1 : 0)
    }

    package func set(_ index: Int, element: Int, _ value: String) { binding.bind(position(index, element), value) }

    package func set(_ index: Int, element: Int, _ value: Date) {
        sqlite3_bind_double(statement, position(index, element), value.timeIntervalSinceReferenceDate)
    }

    package func set(_ index: Int, element: Int, _ value: UUID) { binding.bind(position(index, element), value) }

    package func set(_ index: Int, element: Int, _ value: Decimal) { binding.bind(position(index, element), value) }

    package func set(_ index: Int, element: Int, _ value: URL) {
        binding.bind(position(index, element), value.absoluteString)
    }

    package func set(_ index: Int, element: Int, _ value: Data) {
        binding.bind(position(index, element), value, property: nil)
    }

    package func setNull(_ index: Int, element: Int) {
        sqlite3_bind_null(statement, position(index, element))
    }

    // MARK: - Any value

    /// Sets a value as the model has it, for what is off the fast path.
    package func set(_ index: Int, value: StoreValue) {
        switch value {
        case .null: setNull(index)
        case .reference(let row): setReference(index, row)
        case .data(let data): set(index, data)
        case .composite(let values):
            for (element, value) in values.enumerated() { binding.bind(position(index, element), value) }
        default: binding.bind(positions[index], value)
        }
    }

    private func position(_ index: Int, _ element: Int) -> Int32 {
        positions[index] == 0 ? 0 : positions[index] &+ Int32(truncatingIfNeeded: element)
    }
}

/// What the setting of values shares: one statement with one parameter for each column.
@usableFromInline
final class RowBinding {
    private let statement: SQLiteStatement
    @usableFromInline let handle: OpaquePointer
    let entity: EntityLayout
    let positions: UnsafeMutablePointer<Int32>
    private let externalFiles: ExternalFiles
    /// The files that were written for this row.
    private(set) var newFiles: [String] = []
    private var failure: PersistentStoreError?

    /// - Parameters:
    ///   - properties: those with columns in the statement, in the order of its parameters.
    ///   - first: the position of the first parameter.
    init(
        _ statement: SQLiteStatement, entity: EntityLayout, properties: some Sequence<PropertyLayout>, first: Int,
        externalFiles: ExternalFiles
    ) {
        self.statement = statement
        handle = statement.handle
        self.entity = entity
        self.externalFiles = externalFiles
        let count = max(entity.properties.count, 1)
        positions = .allocate(capacity: count)
        positions.initialize(repeating: 0, count: count)
        var next = Int32(truncatingIfNeeded: first)
        for property in properties {
            let columns = property.columnNames.count
            if columns > 0 { positions[property.index] = next }
            next += Int32(truncatingIfNeeded: columns)
        }
    }

    deinit { positions.deallocate() }

    var values: RowValues { RowValues(statement: handle, positions: positions, binding: self) }

    /// Makes the statement ready for the next row.
    func finish() {
        sqlite3_reset(handle)
        sqlite3_clear_bindings(handle)
        newFiles.removeAll(keepingCapacity: true)
        failure = nil
    }

    /// Throws what went wrong while values were set.
    func check() throws(PersistentStoreError) {
        guard let failure else { return }
        self.failure = nil
        throw failure
    }

    /// SQLITE_TRANSIENT: SQLite copies the bytes at once. A macro with a cast, which Swift does not import.
    @usableFromInline
    static var copied: sqlite3_destructor_type { unsafeBitCast(-1, to: sqlite3_destructor_type.self) }

    @usableFromInline
    func bind(_ position: Int32, _ value: String) {
        guard position > 0 else { return }
        var value = value
        let result = value.withUTF8 { text in
            text.withMemoryRebound(to: CChar.self) { text in
                // An empty string may have no address, which SQLite would take for NULL.
                text.isEmpty
                    ? sqlite3_bind_text(handle, position, "", 0, Self.copied)
                    : sqlite3_bind_text64(
                        handle, position, text.baseAddress, UInt64(text.count), Self.copied, UInt8(SQLITE_UTF8))
            }
        }
        note(result)
    }

    @usableFromInline
    func bind(_ position: Int32, _ value: UUID) {
        guard position > 0 else { return }
        withUnsafeBytes(of: value.uuid) { bytes in
            note(sqlite3_bind_blob(handle, position, bytes.baseAddress, Int32(bytes.count), Self.copied))
        }
    }

    func bind(_ position: Int32, _ value: Decimal) {
        guard position > 0 else { return }
        note(StoredDecimal(value).bind(handle, position))
    }

    func bind(_ position: Int32, _ value: Data, property: Int?) {
        guard position > 0 else { return }
        if let property, case .attribute(let columns) = entity.properties[property].kind,
            columns.first?.isExternal == true
        {
            do throws(PersistentStoreError) {
                let bytes = try externalFiles.stored(value)
                bytes.withUnsafeBytes { if let name = ExternalFiles.fileName($0) { newFiles.append(name) } }
                bytes.withUnsafeBytes { bind(position, bytes: $0) }
            } catch {
                failure = failure ?? error
            }
            return
        }
        value.withUnsafeBytes { bind(position, bytes: $0) }
    }

    private func bind(_ position: Int32, bytes: UnsafeRawBufferPointer) {
        // No bytes at all must stay an empty blob, not become NULL.
        note(
            bytes.isEmpty
                ? sqlite3_bind_zeroblob(handle, position, 0)
                : sqlite3_bind_blob64(handle, position, bytes.baseAddress, UInt64(bytes.count), Self.copied))
    }

    @usableFromInline
    func bindNull(_ position: Int32, property: Int) {
        guard position > 0 else { return }
        for offset in 0..<entity.properties[property].columnNames.count {
            sqlite3_bind_null(handle, position &+ Int32(truncatingIfNeeded: offset))
        }
    }

    func bindReference(_ position: Int32, _ value: RowID?, property: Int) {
        guard position > 0, case .toOne(let toOne) = entity.properties[property].kind else { return }
        guard let value else { return bindNull(position, property: property) }
        sqlite3_bind_int64(handle, position, value.key)
        if toOne.entityColumn != nil { sqlite3_bind_int64(handle, position &+ 1, Int64(value.entity)) }
    }

    func bind(_ position: Int32, _ value: StoreValue) {
        guard position > 0 else { return }
        note(value.bind(handle, position))
    }

    private func note(_ result: Int32) {
        guard result != SQLITE_OK, failure == nil else { return }
        failure = .database(String(cString: sqlite3_errstr(result)))
    }
}
