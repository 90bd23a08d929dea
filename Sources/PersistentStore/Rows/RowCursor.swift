import CSQLite
import Foundation
import SQL

/// Steps over the rows of a query. It belongs to the read or write that made it and ends with it.
package final class RowCursor {
    private let session: StoreSession
    private let sql: String
    private let shape: RowShape
    private var statement: SQLiteStatement?
    @usableFromInline let handle: OpaquePointer
    private let onlyPlan: RowShape.Plan?
    private var plan: RowShape.Plan
    private var failure: PersistentStoreError?

    /// - Parameter statement: bound and ready; taken from the session's cache under `sql`, and given back at the end.
    init(_ statement: SQLiteStatement, sql: String, shape: RowShape, session: StoreSession) {
        self.statement = statement
        self.sql = sql
        self.shape = shape
        self.session = session
        handle = statement.handle
        plan = shape.fallback
        onlyPlan = shape.plans.count { $0 != nil } == 1 ? shape.fallback : nil
        session.openCursors += 1
    }

    deinit { finish() }

    /// The entity of the row that the cursor stands on.
    package var entityLayout: EntityLayout { plan.entity }

    /// Moves to the next row; false when there is none.
    package func next() throws(PersistentStoreError) -> Bool {
        if let failure { throw failure }
        guard statement != nil else { return false }
        let result = sqlite3_step(handle)
        if result == SQLITE_ROW {
            if onlyPlan == nil { plan = shape.plan(of: sqlite3_column_int(handle, 0)) }
            return true
        }
        guard result == SQLITE_DONE else {
            let error = session.failure(result)
            finish()
            throw error
        }
        finish()
        return false
    }

    /// The row that the cursor stands on; read nothing from it after the next `next()`.
    package var row: Row { Row(statement: handle, plan: plan, cursor: self) }

    /// Ends the reading before its end.
    package func finish() {
        guard let statement else { return }
        self.statement = nil
        session.openCursors -= 1
        session.release(statement, sql)
    }

    /// A value that the store may keep in a file of its own.
    @usableFromInline
    func externalData(_ column: Int32) -> Data {
        guard let start = sqlite3_column_blob(handle, column) else { return Data() }
        let bytes = UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column)))
        do throws(PersistentStoreError) {
            return try session.externalFiles.value(bytes)
        } catch {
            // Reported by the next step, since a read of a value does not throw.
            failure = failure ?? error
            return Data()
        }
    }

    /// What went wrong since the last `next()`; call it after the last row of interest was read from a cursor that is not
    /// stepped again.
    package func check() throws(PersistentStoreError) {
        if let failure { throw failure }
    }
}
