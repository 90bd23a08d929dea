import SQL

struct ReferenceQueries {
    let toTarget: PreparedQuery
    let count: PreparedQuery

    init(_ connection: any Connection) {
        toTarget = PreparedQuery(
            connection,
            "SELECT target, action, source FROM reference WHERE zone = ?1 AND target = ?2 ORDER BY action, source LIMIT ?3"
        )
        count = PreparedQuery(
            connection, "SELECT count(*) FROM reference WHERE zone = ?1 AND target = ?2 AND action = ?3")
    }
}

extension ContainerReader {
    /// Who points at a record, at most `limit` of them, by action.
    package func references(to target: String, zone: Int64, limit: Int) throws(StoreError) -> [ReferenceRow] {
        do {
            let statement = try referenceQueries.toTarget.take()
            defer { statement.reset() }
            statement.bind(1, zone)
            statement.bind(2, target)
            statement.bind(3, Int64(limit))
            var rows: [ReferenceRow] = []
            while try statement.step() {
                rows.append(
                    ReferenceRow(target: statement.text(0), action: statement.int64(1), source: statement.int64(2)))
            }
            return rows
        } catch { throw failed(error) }
    }

    /// How many references of one action point at a record. Costs what it counts.
    package func referenceCount(to target: String, zone: Int64, action: Int64) throws(StoreError) -> Int {
        do {
            let statement = try referenceQueries.count.take()
            defer { statement.reset() }
            statement.bind(1, zone)
            statement.bind(2, target)
            statement.bind(3, action)
            return try statement.step() ? Int(statement.int64(0)) : 0
        } catch { throw failed(error) }
    }
}
