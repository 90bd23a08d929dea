/// One SQL text of one connection, compiled when it is first used and kept.
package final class PreparedQuery {
    private let connection: any Connection
    private let sql: String
    private var kept: (any Statement)?

    package init(_ connection: any Connection, _ sql: String) {
        self.connection = connection
        self.sql = sql
    }

    /// The kept statement, or a fresh one when the kept one is in the middle of its rows (a row's visitor asked the same question).
    package func take() throws(SQLError) -> any Statement {
        if let kept {
            return kept.isActive ? try connection.prepare(sql) : kept
        }
        let statement = try connection.prepare(sql)
        kept = statement
        return statement
    }
}
