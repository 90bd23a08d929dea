import PostgresSQL
import SQL

/// What a session is made from.
struct SessionContext {
    var connection: any Connection
    /// The file or database, for messages.
    var place: String
    var now: @Sendable () -> Int64
}

/// A connection with the statements that one kind of caller keeps prepared. Used by one thread at a time.
package class StoreSession {
    let connection: any Connection
    let place: String
    let now: @Sendable () -> Int64
    /// Which container's environment this is; 0 in a file of its own.
    var tenant: Int64 = 0
    /// Bytes written since the group began: bounds a commit.
    var bytesWritten = 0

    private let beginReading: PreparedQuery
    private let beginWriting: PreparedQuery
    private let commitQuery: PreparedQuery
    private let rollbackQuery: PreparedQuery
    private let savepointQuery: PreparedQuery
    private let releaseQuery: PreparedQuery
    private let rollbackToQuery: PreparedQuery

    required init(_ context: SessionContext) {
        connection = context.connection
        place = context.place
        now = context.now
        let isSQLite = connection.dialect == .sqlite
        beginReading = PreparedQuery(connection, isSQLite ? "BEGIN" : "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        beginWriting = PreparedQuery(connection, isSQLite ? "BEGIN IMMEDIATE" : "BEGIN")
        commitQuery = PreparedQuery(connection, "COMMIT")
        rollbackQuery = PreparedQuery(connection, "ROLLBACK")
        savepointQuery = PreparedQuery(connection, "SAVEPOINT nested")
        releaseQuery = PreparedQuery(connection, "RELEASE nested")
        rollbackToQuery = PreparedQuery(connection, "ROLLBACK TO nested")
    }

    func failed(_ error: SQLError) -> StoreError { StoreError(error, in: place) }

    func query(_ sql: String) -> PreparedQuery { PreparedQuery(connection, sql) }

    /// A request has ended: nothing of it may stay for the next.
    func forget() {}

    // MARK: - Transactions

    func beginRead() throws(SQLError) { try beginReading.take().run() }
    func beginWrite() throws(SQLError) { try beginWriting.take().run() }

    func commit() throws(SQLError) {
        if let connection = connection as? SQLiteConnection {
            try connection.allowingCommit { () throws(SQLError) in try commitQuery.take().run() }
        } else if let connection = connection as? PostgresConnection, connection.hasFailedTransaction {
            throw SQLError(.other, "a refused statement was passed over; what may be refused belongs into a savepoint")
        } else {
            try commitQuery.take().run()
        }
    }

    /// Ends the transaction whatever its state; an engine that already ended it has nothing to say.
    func rollback() {
        try? rollbackQuery.take().run()
    }

    /// False when the engine ended the transaction by itself, as SQLite does when the disk is full.
    var isInTransaction: Bool {
        if let connection = connection as? SQLiteConnection { return connection.isInTransaction }
        if let connection = connection as? PostgresConnection { return connection.isInTransaction }
        return true
    }

    func openSavepoint() throws(SQLError) { try savepointQuery.take().run() }
    func releaseSavepoint() throws(SQLError) { try releaseQuery.take().run() }

    func rollbackSavepoint() throws(SQLError) {
        try rollbackToQuery.take().run()
        try releaseQuery.take().run()
    }

    /// All or nothing inside a transaction: what the body wrote is undone when it throws, and its error goes on. Nests.
    package func savepoint<Value>(_ body: () throws -> Value) throws -> Value {
        guard isInTransaction else {
            throw StoreError(.unavailable, "\(place) gave up the transaction. Nothing of it is kept; try again.")
        }
        do { try openSavepoint() } catch { throw failed(error) }
        let value: Value
        do {
            value = try body()
        } catch {
            do { try rollbackSavepoint() } catch let undoing { throw failed(undoing) }
            throw error
        }
        do { try releaseSavepoint() } catch { throw failed(error) }
        return value
    }
}
