import SQL

/// A connection to the control tables, whose statements are kept by their text: nothing here is in a hurry.
package final class ControlSession: StoreSession {
    private var queries: [String: PreparedQuery] = [:]

    override func query(_ sql: String) -> PreparedQuery {
        if let query = queries[sql] { return query }
        let made = PreparedQuery(connection, sql)
        queries[sql] = made
        return made
    }

    /// Runs a statement; returns how many rows it changed.
    @discardableResult
    func run(_ sql: String, _ bind: (any Statement) -> Void) throws(StoreError) -> Int {
        do {
            let statement = try query(sql).take()
            bind(statement)
            try statement.run()
            return statement.changes
        } catch { throw failed(error) }
    }

    func rows<Row>(_ sql: String, _ bind: (any Statement) -> Void, _ row: (any Statement) -> Row) throws(StoreError)
        -> [Row]
    {
        do {
            let statement = try query(sql).take()
            defer { statement.reset() }
            bind(statement)
            var rows: [Row] = []
            while try statement.step() { rows.append(row(statement)) }
            return rows
        } catch { throw failed(error) }
    }
}

extension TableSet {
    static let control = TableSet(
        name: "control store", version: 4, applicationID: 0x5374_7253,
        statements: { dialect in
            let (text, blob) = (dialect.text, dialect.blob)
            return [
                """
                CREATE TABLE account (
                    id \(text) NOT NULL PRIMARY KEY, name \(text) NOT NULL UNIQUE, password_hash \(text),
                    created BIGINT NOT NULL, generation BIGINT NOT NULL, first_name \(text), last_name \(text))
                """,
                """
                CREATE TABLE session (
                    id \(text) NOT NULL PRIMARY KEY, account \(text) NOT NULL, created BIGINT NOT NULL,
                    expires BIGINT NOT NULL, revoked BIGINT NOT NULL)
                """,
                "CREATE INDEX session_account ON session (account)",
                "CREATE INDEX session_expires ON session (expires)",
                """
                CREATE TABLE api_token (
                    token_hash \(blob) NOT NULL PRIMARY KEY, container \(text) NOT NULL, environment \(text) NOT NULL,
                    origins \(text) NOT NULL, note \(text) NOT NULL, created BIGINT NOT NULL, prefix \(text) NOT NULL)
                """,
                """
                CREATE TABLE container (
                    identifier \(text) NOT NULL PRIMARY KEY, created BIGINT NOT NULL, request_log_life BIGINT)
                """,
                """
                CREATE TABLE tenant (
                    identifier \(text) NOT NULL, environment \(text) NOT NULL, id BIGINT NOT NULL,
                    PRIMARY KEY (identifier, environment))
                """,
                "CREATE TABLE setting (name \(text) NOT NULL PRIMARY KEY, value \(blob) NOT NULL)",
            ] + serverKeyTables(dialect) + callbackColumn(dialect) + discoverabilityTable(dialect)
        },
        upgrades: [2: serverKeyTables, 3: callbackColumn, 4: discoverabilityTable])

    /// Since version 4.
    @Sendable private static func discoverabilityTable(_ dialect: Dialect) -> [String] {
        let text = dialect.text
        return [
            """
            CREATE TABLE discoverability (
                container \(text) NOT NULL, user_name \(text) NOT NULL, account \(text) NOT NULL, granted BIGINT NOT NULL,
                PRIMARY KEY (container, user_name))
            """,
            "CREATE INDEX discoverability_account ON discoverability (account)",
        ]
    }

    /// Since version 3.
    @Sendable private static func callbackColumn(_ dialect: Dialect) -> [String] {
        ["ALTER TABLE api_token ADD COLUMN callback \(dialect.text) NOT NULL DEFAULT ''"]
    }

    /// Since version 2.
    @Sendable private static func serverKeyTables(_ dialect: Dialect) -> [String] {
        let text = dialect.text
        return [
            """
            CREATE TABLE server_key (
                id \(text) NOT NULL, container \(text) NOT NULL, environment \(text) NOT NULL,
                public_key \(dialect.blob) NOT NULL, note \(text) NOT NULL, created BIGINT NOT NULL,
                PRIMARY KEY (id, container, environment))
            """
        ]
    }
}
