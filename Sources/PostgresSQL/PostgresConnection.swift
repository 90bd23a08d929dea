import CPostgres
import SQL

/// A connection to a PostgreSQL server, or to another that speaks its protocol.
package final class PostgresConnection: Connection {
    private(set) var handle: OpaquePointer?
    private var statementCount = 0
    package let dialect = Dialect.postgres

    /// - Parameter conninfo: libpq's keywords (`host=… dbname=…`) or a `postgresql://` URI.
    package init(_ conninfo: String) throws(SQLError) {
        handle = PQconnectdb(conninfo)
        guard PQstatus(handle) == CONNECTION_OK else {
            let error = SQLError(.unavailable, Self.words(PQerrorMessage(handle)))
            PQfinish(handle)
            handle = nil
            throw error
        }
        // Notices ("relation exists, skipping") would go to standard error.
        PQsetNoticeProcessor(handle, { _, _ in }, nil)
        // The details of an error quote rows, and errors end in logs.
        PQsetErrorVerbosity(handle, PQERRORS_TERSE)
        try execute("SET client_min_messages = warning; SET standard_conforming_strings = on")
    }

    deinit { close() }

    package var isUsable: Bool { handle != nil && PQstatus(handle) == CONNECTION_OK }

    /// Whether a transaction is open, failed or not.
    package var isInTransaction: Bool {
        let status = PQtransactionStatus(handle)
        return status == PQTRANS_INTRANS || status == PQTRANS_INERROR
    }

    /// Whether a statement of the open transaction was refused: a commit would then quietly be a rollback.
    package var hasFailedTransaction: Bool { PQtransactionStatus(handle) == PQTRANS_INERROR }

    package func prepare(_ sql: String) throws(SQLError) -> any Statement {
        statementCount += 1
        let name = "s\(statementCount)"
        let result = PQprepare(handle, name, postgresPlaceholders(sql), 0, nil)
        defer { PQclear(result) }
        guard PQresultStatus(result) == PGRES_COMMAND_OK else { throw failure(result) }
        return PostgresStatement(name: name, of: self)
    }

    package func execute(_ sql: String) throws(SQLError) {
        let result = PQexec(handle, sql)
        defer { PQclear(result) }
        switch PQresultStatus(result) {
        case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY: return
        default: throw failure(result)
        }
    }

    package func close() {
        PQfinish(handle)
        handle = nil
    }

    func failure(_ result: OpaquePointer?) -> SQLError {
        let state = PQresultErrorField(result, 67).map { String(cString: $0) } ?? ""  // 67 is "C", PG_DIAG_SQLSTATE
        let message = Self.words(result == nil ? PQerrorMessage(handle) : PQresultErrorMessage(result))
        let code: SQLError.Code =
            switch (state.prefix(2), state) {
            case (_, "40001"), (_, "40P01"), (_, "55P03"): .busy
            case ("23", _): .constraint
            case (_, "53100"): .full
            case ("08", _), ("53", _), ("57", _), ("58", _): .unavailable
            case ("XX", "XX001"), ("XX", "XX002"): .corrupt
            case ("54", _): .tooLarge
            case ("", _): isUsable ? .other : .unavailable
            default: .other
            }
        return SQLError(code, message, engineCode: state)
    }

    private static func words(_ message: UnsafePointer<CChar>?) -> String {
        var text = message.map { String(cString: $0) } ?? "no answer from PostgreSQL"
        while text.last?.isNewline == true { text.removeLast() }
        return text
    }

    private static func words(_ message: UnsafeMutablePointer<CChar>?) -> String {
        words(UnsafePointer(message))
    }
}
