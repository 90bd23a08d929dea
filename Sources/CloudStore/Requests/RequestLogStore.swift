import SQL

/// What became of one request.
package struct RequestLogRow: Sendable, Equatable {
    /// Given by the store; grows with time.
    package var id: Int64
    /// Milliseconds since 1970.
    package var time: Int64
    package var container: String
    package var environment: String
    /// The database and operation, as in the request's path.
    package var operation: String
    /// The user's record name; empty when nobody was signed in.
    package var user: String
    /// The HTTP status.
    package var status: Int64
    /// The server error code; empty when all went well.
    package var errorCode: String
    package var microseconds: Int64
    package var requestBytes: Int64
    package var responseBytes: Int64
    /// The identifier that the client was told.
    package var requestID: String
    /// Anything more, for the console; the store does not read it.
    package var detail: String

    package init(
        id: Int64 = 0, time: Int64, container: String, environment: String, operation: String, user: String = "",
        status: Int64, errorCode: String = "", microseconds: Int64 = 0, requestBytes: Int64 = 0,
        responseBytes: Int64 = 0, requestID: String = "", detail: String = ""
    ) {
        self.id = id
        self.time = time
        self.container = container
        self.environment = environment
        self.operation = operation
        self.user = user
        self.status = status
        self.errorCode = errorCode
        self.microseconds = microseconds
        self.requestBytes = requestBytes
        self.responseBytes = responseBytes
        self.requestID = requestID
        self.detail = detail
    }
}

/// Request outcomes, kept for as long as each container wants them. Losing the newest with the power is accepted: it does not
/// wait for the disk, and it is never on the way of a save.
package final class RequestLogStore: Sendable {
    let database: any Database<ControlSession>

    init(database: any Database<ControlSession>) {
        self.database = database
    }

    private static let columns = """
        time, container, environment, operation, "user", status, error_code, microseconds, request_bytes, response_bytes, \
        request_id, detail
        """

    /// Adds rows in one transaction, without waiting; the completion tells whether they were kept.
    package func append(
        _ rows: [RequestLogRow], completion: @escaping @Sendable (Result<Void, any Error>) -> Void = { _ in }
    ) {
        database.write({ session in try Self.insert(rows, session) }, completion: completion)
    }

    private static func insert(_ rows: [RequestLogRow], _ session: ControlSession) throws(StoreError) {
        let sql = """
            INSERT INTO request (id, \(columns))
            VALUES (\(session.connection.dialect == .sqlite ? "NULL" : "DEFAULT"),
                ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)
            """
        for row in rows {
            try session.run(sql) {
                $0.bind(1, row.time)
                $0.bind(2, row.container)
                $0.bind(3, row.environment)
                $0.bind(4, row.operation)
                $0.bind(5, row.user)
                $0.bind(6, row.status)
                $0.bind(7, row.errorCode)
                $0.bind(8, row.microseconds)
                $0.bind(9, row.requestBytes)
                $0.bind(10, row.responseBytes)
                $0.bind(11, row.requestID)
                $0.bind(12, row.detail)
            }
        }
    }

    /// A container's rows since a time, newest first.
    ///
    /// - Parameter since: milliseconds since 1970.
    package func query(container: String, since: Int64, limit: Int) throws -> [RequestLogRow] {
        try database.read { session in
            try session.rows(
                """
                SELECT id, \(Self.columns) FROM request WHERE container = ?1 AND time >= ?2
                ORDER BY time DESC, id DESC LIMIT ?3
                """
            ) {
                $0.bind(1, container)
                $0.bind(2, since)
                $0.bind(3, Int64(limit))
            } _: {
                RequestLogRow(
                    id: $0.int64(0), time: $0.int64(1), container: $0.text(2), environment: $0.text(3),
                    operation: $0.text(4), user: $0.text(5), status: $0.int64(6), errorCode: $0.text(7),
                    microseconds: $0.int64(8), requestBytes: $0.int64(9), responseBytes: $0.int64(10),
                    requestID: $0.text(11), detail: $0.text(12))
            }
        }
    }

    /// Removes old rows: those before a time, and a container's own before its own time.
    ///
    /// - Parameters:
    ///   - before: milliseconds since 1970, for every container that is not in `retention`.
    ///   - retention: the time for a container with one of its own.
    ///   - limit: the most rows to remove now.
    /// - Returns: whether there is more to remove.
    package func prune(before: Int64, retention: [String: Int64] = [:], limit: Int = 1000) throws -> Bool {
        try database.writeAndWait { session in
            var room = limit
            var last: String?
            while room > 0, let container = try Self.container(after: last, session) {
                last = container
                room -= try session.run(
                    """
                    DELETE FROM request WHERE container = ?1 AND id IN
                        (SELECT id FROM request WHERE container = ?1 AND time < ?2 ORDER BY time LIMIT ?3)
                    """
                ) {
                    $0.bind(1, container)
                    $0.bind(2, retention[container] ?? before)
                    $0.bind(3, Int64(room))
                }
            }
            return room <= 0
        }
    }
}

extension RequestLogStore {
    /// The next container that has rows. From one to the next is a step in the index, however many rows each has, where
    /// DISTINCT would read them all.
    private static func container(after last: String?, _ session: ControlSession) throws(StoreError) -> String? {
        try session.rows(
            """
            SELECT container FROM request \(last == nil ? "" : "WHERE container > ?1") ORDER BY container LIMIT 1
            """
        ) {
            if let last { $0.bind(1, last) }
        } _: {
            $0.text(0)
        }.first
    }
}

extension TableSet {
    static let requests = TableSet(
        name: "request log", version: 1, applicationID: 0x5374_724C,
        statements: { dialect in
            let text = dialect.text
            let id = dialect == .sqlite ? "INTEGER PRIMARY KEY" : "BIGINT GENERATED ALWAYS AS IDENTITY"
            return [
                """
                CREATE TABLE request (
                    id \(id), time BIGINT NOT NULL, container \(text) NOT NULL, environment \(text) NOT NULL,
                    operation \(text) NOT NULL, "user" \(text) NOT NULL, status BIGINT NOT NULL,
                    error_code \(text) NOT NULL, microseconds BIGINT NOT NULL, request_bytes BIGINT NOT NULL,
                    response_bytes BIGINT NOT NULL, request_id \(text) NOT NULL, detail \(text) NOT NULL)
                """,
                "CREATE INDEX request_time ON request (container, time)",
            ]
        })
}
