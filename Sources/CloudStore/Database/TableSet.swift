import SQL

/// The tables of one kind of file, with the version of their layout.
struct TableSet: Sendable {
    /// What kind of file it is, for messages.
    let name: String
    let version: Int64
    /// SQLite's `application_id`: tells the file from other programs' and from our other kinds.
    let applicationID: Int64
    /// Makes all tables of the present layout.
    let statements: @Sendable (Dialect) -> [String]
    /// What makes a layout of the one before it, by the version that it leads to.
    var upgrades: [Int64: @Sendable (Dialect) -> [String]] = [:]

    /// Makes the tables in an empty database; refuses another program's file or a newer layout.
    func prepare(_ session: StoreSession) throws(StoreError) {
        do {
            if session.connection.dialect == .sqlite {
                try prepareSQLite(session)
            } else {
                try preparePostgres(session)
            }
        } catch let error as SQLError {
            throw session.failed(error)
        } catch let error as StoreError {
            throw error
        } catch {
            throw StoreError(.invalid, "\(session.place): \(error)")
        }
    }

    private func prepareSQLite(_ session: StoreSession) throws {
        let application = try number("PRAGMA application_id", session)
        if application == applicationID {
            let found = try number("PRAGMA user_version", session)
            if found > version { throw newer(found, session) }
            if found < version { try upgradeSQLite(session) }
            return
        }
        guard application == 0, try number("SELECT count(*) FROM sqlite_schema", session) == 0 else {
            throw StoreError(
                .invalid, "\(session.place) is not a \(name) of Stratus. Move it away, or name another folder.")
        }
        try session.connection.execute("BEGIN IMMEDIATE")
        do {
            // Another process may have been first.
            if try number("PRAGMA application_id", session) == 0 {
                for statement in statements(.sqlite) { try session.connection.execute(statement) }
                try session.connection.execute(
                    "PRAGMA application_id = \(applicationID); PRAGMA user_version = \(version)")
            }
            try session.connection.execute("COMMIT")
        } catch {
            session.rollback()
            throw error
        }
    }

    private func upgradeSQLite(_ session: StoreSession) throws {
        try session.connection.execute("BEGIN IMMEDIATE")
        do {
            // Another process may have been first.
            let found = try number("PRAGMA user_version", session)
            for statement in upgradeStatements(from: found, .sqlite) { try session.connection.execute(statement) }
            if found < version { try session.connection.execute("PRAGMA user_version = \(version)") }
            try session.connection.execute("COMMIT")
        } catch {
            session.rollback()
            throw error
        }
    }

    private func upgradeStatements(from found: Int64, _ dialect: Dialect) -> [String] {
        guard found < version else { return [] }
        return (found + 1...version).flatMap { upgrades[$0]?(dialect) ?? [] }
    }

    private func preparePostgres(_ session: StoreSession) throws {
        let connection = session.connection
        try connection.execute("BEGIN")
        do {
            // Two processes that start at once would both try to make a table.
            try connection.execute("SELECT pg_advisory_xact_lock(\(applicationID))")
            try connection.execute(
                "CREATE TABLE IF NOT EXISTS store_version (name TEXT PRIMARY KEY, version BIGINT NOT NULL)")
            let found = try number(
                "SELECT COALESCE(MAX(version), 0) FROM store_version WHERE name = '\(name)'", session)
            if found > version { throw newer(found, session) }
            if found == 0 {
                for statement in statements(.postgres) { try connection.execute(statement) }
                try connection.execute("INSERT INTO store_version VALUES ('\(name)', \(version))")
            } else if found < version {
                for statement in upgradeStatements(from: found, .postgres) { try connection.execute(statement) }
                try connection.execute("UPDATE store_version SET version = \(version) WHERE name = '\(name)'")
            }
            try connection.execute("COMMIT")
        } catch {
            try? connection.execute("ROLLBACK")
            throw error
        }
    }

    private func newer(_ found: Int64, _ session: StoreSession) -> StoreError {
        StoreError(
            .invalid,
            "\(session.place) has layout \(found) of a newer Stratus; this one knows layouts up to \(version). Use the newer one."
        )
    }

    private func number(_ sql: String, _ session: StoreSession) throws(SQLError) -> Int64 {
        let statement = try session.connection.prepare(sql)
        defer { statement.reset() }
        return try statement.step() ? statement.int64(0) : 0
    }
}
