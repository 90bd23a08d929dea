import CSQLite
import SQL

/// One connection to the file with the statements that it has prepared; used by one thread at a time.
final class StoreSession {
    let connection: SQLiteConnection
    let path: String
    let externalFiles: ExternalFiles
    private var statements: [String: SQLiteStatement] = [:]
    var openCursors = 0

    init(_ connection: SQLiteConnection, path: String, externalFiles: ExternalFiles) {
        self.connection = connection
        self.path = path
        self.externalFiles = externalFiles
        guard let handle = connection.handle else { return }
        registerQueryFunctions(on: handle)
        // The triggers of derived attributes in files of Apple's frameworks tell a context which rows they changed. The change itself
        // they make in SQL.
        for name in [
            "NSCoreDataTriggerUpdateAffectedObjectValue", "NSCoreDataDATriggerUpdatedAffectedObjectValue",
            "NSCoreDataDATriggerInsertUpdatedAffectedObjectValue",
        ] {
            sqlite3_create_function_v2(
                handle, name, -1, SQLITE_UTF8, nil, { context, _, _ in sqlite3_result_null(context) }, nil, nil, nil)
        }
    }

    // MARK: - Statements

    /// A statement that nobody else uses until `release`.
    func take(_ sql: String) throws(PersistentStoreError) -> SQLiteStatement {
        if let statement = statements.removeValue(forKey: sql) { return statement }
        do throws(SQLError) {
            return try connection.prepareStatement(sql)
        } catch {
            throw failure(error)
        }
    }

    func release(_ statement: SQLiteStatement, _ sql: String) {
        statement.reset()
        sqlite3_clear_bindings(statement.handle)
        // A program has so many kinds of queries; one that makes its texts up does not fill the memory.
        if statements.count >= 500 { statements.removeAll() }
        statements[sql] = statement
    }

    /// Runs a statement to its end.
    func run(_ sql: String, _ values: StoreValue...) throws(PersistentStoreError) {
        try rows(sql, values) { _ in }
    }

    func rows(
        _ sql: String, _ values: [StoreValue] = [], _ visit: (SQLiteStatement) throws(PersistentStoreError) -> Void
    ) throws(PersistentStoreError) {
        let statement = try take(sql)
        defer { release(statement, sql) }
        try bind(values, to: statement)
        while try step(statement) { try visit(statement) }
    }

    /// The first column of the first row; nil without rows or when it is null.
    func integer(_ sql: String, _ values: StoreValue...) throws(PersistentStoreError) -> Int64? {
        let statement = try take(sql)
        defer { release(statement, sql) }
        try bind(values, to: statement)
        guard try step(statement), !statement.isNull(0) else { return nil }
        return statement.int64(0)
    }

    func bind(_ values: [StoreValue], to statement: SQLiteStatement) throws(PersistentStoreError) {
        for (index, value) in values.enumerated() {
            let result = value.bind(statement.handle, Int32(truncatingIfNeeded: index + 1))
            guard result == SQLITE_OK else { throw failure(result) }
        }
    }

    func step(_ statement: SQLiteStatement) throws(PersistentStoreError) -> Bool {
        switch sqlite3_step(statement.handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let result: throw failure(result)
        }
    }

    func execute(_ sql: String) throws(PersistentStoreError) {
        do throws(SQLError) {
            try connection.execute(sql)
        } catch {
            throw failure(error)
        }
    }

    /// Forgets the statements, so that the file can be closed or its tables changed.
    func forgetStatements() {
        statements.removeAll()
        plans = nil
    }

    private var plans: WriterPlans?

    func writerPlans(for layout: StoreLayout) -> WriterPlans {
        if let plans, plans.layout === layout { return plans }
        let plans = WriterPlans(layout: layout)
        self.plans = plans
        return plans
    }

    /// By entity: the text that reads one row, which is asked for once for each.
    private var rowTexts: [Int: (entity: EntityLayout, text: String)] = [:]

    func rowText(of entity: EntityLayout, make: () -> String) -> String {
        if let known = rowTexts[entity.number], known.entity === entity { return known.text }
        let text = make()
        rowTexts[entity.number] = (entity, text)
        return text
    }

    // MARK: - Changes of the tables

    private var knownTables: Int64?

    /// Whether any process has made or changed a table since the last `noteTables()`.
    func tablesChanged() throws(PersistentStoreError) -> Bool {
        let now = try integer("PRAGMA schema_version")
        if knownTables == nil { knownTables = now }
        return knownTables != now
    }

    func noteTables() throws(PersistentStoreError) { knownTables = try integer("PRAGMA schema_version") }

    // MARK: - Errors

    func failure(_ result: Int32) -> PersistentStoreError {
        failure(connection.failure(result))
    }

    func failure(_ error: SQLError) -> PersistentStoreError {
        PersistentStoreError(error, path: path)
    }
}

extension PersistentStoreError {
    init(_ error: SQLError, path: String, waited: Double = 0) {
        switch error.code {
        case .busy: self = .locked(path: path, seconds: waited)
        case .full: self = .full(path: path)
        case .corrupt: self = .corrupt(path: path, reason: error.message)
        case .unavailable where error.engineCode.hasSuffix(" \(SQLITE_READONLY)"): self = .readOnly(path: path)
        case .unavailable: self = .cannotOpen(path: path, reason: error.message)
        case .constraint, .tooLarge, .other: self = .database(error.description)
        }
    }
}
