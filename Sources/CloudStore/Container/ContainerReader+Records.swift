import SQL

struct RecordQueries {
    static let columns = list("")
    static let joinedColumns = list("r.")

    private static func list(_ prefix: String) -> String {
        [
            "id", "zone", "name", "type", "sequence", "tag", "created_sequence", "created", "creator", "created_device",
            "modified", "modifier", "modified_device", "parent", "deleted", "body", "sealed",
        ].map { prefix + $0 }.joined(separator: ", ")
    }

    let byName: PreparedQuery
    let byNameForUpdate: PreparedQuery
    let byID: PreparedQuery
    let changes: PreparedQuery
    let changesReversed: PreparedQuery

    init(_ connection: any Connection) {
        let columns = Self.columns
        let byName = "SELECT \(columns) FROM record WHERE zone = ?1 AND name = ?2"
        self.byName = PreparedQuery(connection, byName)
        byNameForUpdate = PreparedQuery(connection, byName + connection.dialect.forUpdate)
        byID = PreparedQuery(connection, "SELECT \(columns) FROM record WHERE zone = ?1 AND id = ?2")
        changes = PreparedQuery(
            connection,
            """
            SELECT \(columns) FROM record WHERE zone = ?1 AND sequence > ?2 AND sequence <> 0
            ORDER BY sequence LIMIT ?3
            """)
        changesReversed = PreparedQuery(
            connection,
            """
            SELECT \(columns) FROM record WHERE zone = ?1 AND sequence < ?2 AND sequence <> 0
            ORDER BY sequence DESC LIMIT ?3
            """)
    }
}

extension ContainerReader {
    /// A record, or its tombstone (`deleted`). In a writer on PostgreSQL it stays locked until the commit.
    package func record(zone: Int64, name: String) throws(StoreError) -> RecordRow? {
        do {
            let statement = try (isWriter ? recordQueries.byNameForUpdate : recordQueries.byName).take()
            defer { statement.reset() }
            statement.bind(1, zone)
            statement.bind(2, name)
            return try statement.step() ? RecordRow(statement) : nil
        } catch { throw failed(error) }
    }

    /// A record, or its tombstone, by the id that index entries and references hold.
    package func record(zone: Int64, id: Int64) throws(StoreError) -> RecordRow? {
        do {
            let statement = try recordQueries.byID.take()
            defer { statement.reset() }
            statement.bind(1, zone)
            statement.bind(2, id)
            return try statement.step() ? RecordRow(statement) : nil
        } catch { throw failed(error) }
    }

    /// The records and tombstones that changed after a sequence, oldest change first.
    ///
    /// - Parameter body: false stops.
    package func changes(zone: Int64, after: Int64, limit: Int, _ body: (RecordRow) throws -> Bool) throws {
        try visit(recordQueries.changes, zone, after, limit, body)
    }

    /// The records and tombstones that changed before a sequence, newest change first.
    ///
    /// - Parameter body: false stops.
    package func changesReversed(zone: Int64, before: Int64, limit: Int, _ body: (RecordRow) throws -> Bool) throws {
        try visit(recordQueries.changesReversed, zone, before, limit, body)
    }

    private func visit(
        _ query: PreparedQuery, _ zone: Int64, _ bound: Int64, _ limit: Int, _ body: (RecordRow) throws -> Bool
    ) throws {
        let statement: any Statement
        do { statement = try query.take() } catch { throw failed(error) }
        defer { statement.reset() }
        statement.bind(1, zone)
        statement.bind(2, bound)
        statement.bind(3, Int64(limit))
        var people = RecordRow.People()
        while try next(statement) {
            guard try body(RecordRow(statement, knowing: &people)) else { return }
        }
    }

    /// A zone's records and tombstones by name, after a name: a walk over all of them, whatever changes meanwhile.
    ///
    /// - Parameter body: false stops.
    package func records(zone: Int64, afterName name: String, limit: Int, _ body: (RecordRow) throws -> Bool) throws {
        let statement: any Statement
        do {
            statement = try query(
                "SELECT \(RecordQueries.columns) FROM record WHERE zone = ?1 AND name > ?2 ORDER BY name LIMIT ?3"
            ).take()
        } catch { throw failed(error) }
        defer { statement.reset() }
        statement.bind(1, zone)
        statement.bind(2, name)
        statement.bind(3, Int64(limit))
        while try next(statement) {
            guard try body(RecordRow(statement)) else { return }
        }
    }

    func next(_ statement: any Statement) throws(StoreError) -> Bool {
        do { return try statement.step() } catch { throw failed(error) }
    }
}

extension RecordRow {
    /// Who the row before was made and changed by: the next one mostly has the same, whose strings need not be made again.
    struct People {
        var creator = ""
        var createdDevice = ""
        var modifier = ""
        var modifiedDevice = ""
    }

    /// Reads `RecordQueries.columns`.
    init(_ statement: any Statement) {
        var people = People()
        self.init(statement, knowing: &people)
    }

    /// Reads `RecordQueries.columns`, beginning at a column.
    init(_ statement: any Statement, from first: Int = 0, knowing people: inout People) {
        people.creator = statement.text(first + 8, known: people.creator)
        people.createdDevice = statement.text(first + 9, known: people.createdDevice)
        people.modifier = statement.text(first + 11, known: people.modifier)
        people.modifiedDevice = statement.text(first + 12, known: people.modifiedDevice)
        self.init(
            id: statement.int64(first), zone: statement.int64(first + 1), name: statement.text(first + 2),
            type: statement.int64(first + 3), sequence: statement.int64(first + 4), tag: statement.int64(first + 5),
            createdSequence: statement.int64(first + 6), created: statement.int64(first + 7), creator: people.creator,
            createdDevice: people.createdDevice, modified: statement.int64(first + 10), modifier: people.modifier,
            modifiedDevice: people.modifiedDevice, parent: statement.optionalText(first + 13),
            deleted: statement.bool(first + 14), body: statement.blob(first + 15), sealed: statement.blob(first + 16))
    }
}
