import CSQLite
import Foundation

/// A list of values that is bound to one placeholder, whatever its length, and read as the rows of `stratus_list(?)`.
///
/// SQL's own lists have a limit and make a new statement for every length.
package final class StoreList: Sendable, Hashable {
    package let values: [StoreValue]

    package init(_ values: [StoreValue]) {
        self.values = values
    }

    package static func == (first: StoreList, second: StoreList) -> Bool {
        first === second || first.values == second.values
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(values.count)
        if let first = values.first { hasher.combine(first) }
    }

    private static let pointerType: StaticString = "stratus_list"

    private static var typeName: UnsafePointer<CChar> {
        UnsafeRawPointer(pointerType.utf8Start).assumingMemoryBound(to: CChar.self)
    }

    /// Binds the list; the statement keeps it until something else is bound.
    package func bind(to statement: OpaquePointer, at position: Int32) -> Int32 {
        sqlite3_bind_pointer(statement, position, Unmanaged.passRetained(self).toOpaque(), Self.typeName) { pointer in
            if let pointer { Unmanaged<StoreList>.fromOpaque(pointer).release() }
        }
    }

    // MARK: - The virtual table

    /// SQLite's cursor first, since SQLite sees only that.
    private struct Cursor {
        var base = sqlite3_vtab_cursor()
        var list: Unmanaged<StoreList>?
        var position = 0
    }

    static func register(on database: OpaquePointer) {
        sqlite3_create_module_v2(database, "stratus_list", module, nil, nil)
    }

    /// Written once and only read afterwards, by SQLite, for as long as the process lives.
    nonisolated(unsafe) private static let module: UnsafeMutablePointer<sqlite3_module> = {
        let module = UnsafeMutablePointer<sqlite3_module>.allocate(capacity: 1)
        module.initialize(to: sqlite3_module())
        module.pointee.xConnect = { database, _, _, _, table, _ in
            let result = sqlite3_declare_vtab(database, "CREATE TABLE x(value, list HIDDEN)")
            guard result == SQLITE_OK, let table else { return result }
            let made = UnsafeMutablePointer<sqlite3_vtab>.allocate(capacity: 1)
            made.initialize(to: sqlite3_vtab())
            table.pointee = made
            return SQLITE_OK
        }
        module.pointee.xDisconnect = { table in
            table?.deallocate()
            return SQLITE_OK
        }
        module.pointee.xBestIndex = { _, info in
            guard let info else { return SQLITE_ERROR }
            for index in 0..<Int(info.pointee.nConstraint) {
                let constraint = info.pointee.aConstraint[index]
                guard constraint.iColumn == 1, constraint.op == SQLITE_INDEX_CONSTRAINT_EQ, constraint.usable != 0
                else {
                    continue
                }
                info.pointee.aConstraintUsage[index].argvIndex = 1
                info.pointee.aConstraintUsage[index].omit = 1
                info.pointee.estimatedCost = 10
                info.pointee.estimatedRows = 10
                return SQLITE_OK
            }
            return SQLITE_CONSTRAINT
        }
        module.pointee.xOpen = { _, cursor in
            let made = UnsafeMutablePointer<Cursor>.allocate(capacity: 1)
            made.initialize(to: Cursor())
            cursor?.pointee = UnsafeMutableRawPointer(made).assumingMemoryBound(to: sqlite3_vtab_cursor.self)
            return SQLITE_OK
        }
        module.pointee.xClose = { cursor in
            guard let made = StoreList.cursor(cursor) else { return SQLITE_OK }
            made.pointee.list?.release()
            made.deallocate()
            return SQLITE_OK
        }
        module.pointee.xFilter = { cursor, _, _, count, arguments in
            guard let made = StoreList.cursor(cursor) else { return SQLITE_ERROR }
            made.pointee.list?.release()
            made.pointee.list = nil
            made.pointee.position = 0
            if count > 0, let pointer = sqlite3_value_pointer(arguments?[0], StoreList.typeName) {
                made.pointee.list = Unmanaged<StoreList>.fromOpaque(pointer).retain()
            }
            return SQLITE_OK
        }
        module.pointee.xNext = { cursor in
            StoreList.cursor(cursor)?.pointee.position += 1
            return SQLITE_OK
        }
        module.pointee.xEof = { cursor in
            guard let made = StoreList.cursor(cursor), let list = made.pointee.list else { return 1 }
            return made.pointee.position < list._withUnsafeGuaranteedRef { $0.values.count } ? 0 : 1
        }
        module.pointee.xColumn = { cursor, context, column in
            guard column == 0, let made = StoreList.cursor(cursor), let list = made.pointee.list else {
                sqlite3_result_null(context)
                return SQLITE_OK
            }
            let position = made.pointee.position
            list._withUnsafeGuaranteedRef { QueryFunctions.answer($0.values[position], to: context) }
            return SQLITE_OK
        }
        module.pointee.xRowid = { cursor, row in
            row?.pointee = Int64(StoreList.cursor(cursor)?.pointee.position ?? 0)
            return SQLITE_OK
        }
        return module
    }()

    private static func cursor(_ cursor: UnsafeMutablePointer<sqlite3_vtab_cursor>?) -> UnsafeMutablePointer<Cursor>? {
        // Every cursor of this table was made by xOpen.
        cursor.map { UnsafeMutableRawPointer($0).assumingMemoryBound(to: Cursor.self) }
    }
}
