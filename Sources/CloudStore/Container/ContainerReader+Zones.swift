import SQL

struct ZoneQueries {
    static let columns =
        "id, scope, owner, name, incarnation, incarnation_start, sequence, horizon, created, record_count, byte_count"

    let byKey: PreparedQuery
    let byID: PreparedQuery
    let ofOwner: PreparedQuery
    let deleted: PreparedQuery
    let deletedByKey: PreparedQuery
    let usage: PreparedQuery
    let key: PreparedQuery

    init(_ connection: any Connection) {
        let columns = Self.columns
        byKey = PreparedQuery(
            connection,
            "SELECT \(columns) FROM zone WHERE container = ?1 AND scope = ?2 AND owner = ?3 AND name = ?4")
        byID = PreparedQuery(connection, "SELECT \(columns) FROM zone WHERE container = ?1 AND id = ?2")
        ofOwner = PreparedQuery(
            connection, "SELECT \(columns) FROM zone WHERE container = ?1 AND scope = ?2 AND owner = ?3 ORDER BY name")
        deleted = PreparedQuery(
            connection,
            """
            SELECT id, scope, owner, name, reason, deleted_at FROM deleted_zone
            WHERE container = ?1 AND scope = ?2 AND owner = ?3 ORDER BY id
            """)
        key = PreparedQuery(
            connection, "SELECT zone, wrapping_key, wrapped FROM zone_key WHERE container = ?1 AND zone = ?2")
        deletedByKey = PreparedQuery(
            connection,
            """
            SELECT id, scope, owner, name, reason, deleted_at FROM deleted_zone
            WHERE container = ?1 AND scope = ?2 AND owner = ?3 AND name = ?4 ORDER BY id DESC LIMIT 1
            """)
        usage = PreparedQuery(
            connection,
            """
            SELECT CAST(COALESCE(SUM(record_count), 0) AS BIGINT), CAST(COALESCE(SUM(byte_count), 0) AS BIGINT)
            FROM owner_usage WHERE container = ?1 AND scope = ?2 AND owner = ?3
            """)
    }
}

extension ContainerReader {
    package func zone(_ key: ZoneKey) throws(StoreError) -> ZoneRow? {
        do {
            let statement = try zoneQueries.byKey.take()
            bind(key, statement)
            return try zone(from: statement)
        } catch { throw failed(error) }
    }

    package func zone(id: Int64) throws(StoreError) -> ZoneRow? {
        do {
            let statement = try zoneQueries.byID.take()
            statement.bind(1, tenant)
            statement.bind(2, id)
            return try zone(from: statement)
        } catch { throw failed(error) }
    }

    /// An owner's zones, by name.
    package func zones(scope: StoreScope, owner: String) throws(StoreError) -> [ZoneRow] {
        do {
            let statement = try zoneQueries.ofOwner.take()
            defer { statement.reset() }
            bind(scope, owner, statement)
            var rows: [ZoneRow] = []
            while try statement.step() { rows.append(row(of: statement)) }
            return rows
        } catch { throw failed(error) }
    }

    /// An owner's deleted zones whose tombstones have not been retired, in the order in which they were made.
    package func deletedZones(scope: StoreScope, owner: String) throws(StoreError) -> [DeletedZoneRow] {
        do {
            let statement = try zoneQueries.deleted.take()
            defer { statement.reset() }
            bind(scope, owner, statement)
            var rows: [DeletedZoneRow] = []
            while try statement.step() { rows.append(deletedRow(of: statement)) }
            return rows
        } catch { throw failed(error) }
    }

    /// The zone of a name that was deleted last, while its tombstone has not been retired.
    package func deletedZone(_ key: ZoneKey) throws(StoreError) -> DeletedZoneRow? {
        do {
            let statement = try zoneQueries.deletedByKey.take()
            defer { statement.reset() }
            bind(key, statement)
            return try statement.step() ? deletedRow(of: statement) : nil
        } catch { throw failed(error) }
    }

    /// The bytes of all of an owner's zones: a running sum, never a count over records.
    package func ownerUsage(scope: StoreScope, owner: String) throws(StoreError) -> Int64 {
        do {
            return try usage(scope, owner).bytes
        } catch { throw failed(error) }
    }

    // MARK: - Rows

    func zone(from statement: any Statement) throws(SQLError) -> ZoneRow? {
        defer { statement.reset() }
        guard try statement.step() else { return nil }
        var zone = row(of: statement)
        if zone.key.scope == .public, usageIsStriped {
            // The one row of the public zone is not touched by every save; its sums lie in the stripes.
            let sums = try usage(.public, zone.key.owner)
            zone.recordCount = sums.records
            zone.byteCount = sums.bytes
        }
        return zone
    }

    /// In the public database everybody writes into one zone, and on PostgreSQL a row that all of them update would line them up.
    var usageIsStriped: Bool { connection.dialect == .postgres }

    private func usage(_ scope: StoreScope, _ owner: String) throws(SQLError) -> (records: Int64, bytes: Int64) {
        let statement = try zoneQueries.usage.take()
        defer { statement.reset() }
        bind(scope, owner, statement)
        return try statement.step() ? (statement.int64(0), statement.int64(1)) : (0, 0)
    }

    func bind(_ key: ZoneKey, _ statement: any Statement) {
        bind(key.scope, key.owner, statement)
        statement.bind(4, key.name)
    }

    func bind(_ scope: StoreScope, _ owner: String, _ statement: any Statement) {
        statement.bind(1, tenant)
        statement.bind(2, scope.rawValue)
        statement.bind(3, owner)
    }

    private func key(of statement: any Statement) -> ZoneKey {
        ZoneKey(
            scope: StoreScope(rawValue: statement.int64(1)) ?? .private, owner: statement.text(2),
            name: statement.text(3))
    }

    private func row(of statement: any Statement) -> ZoneRow {
        ZoneRow(
            id: statement.int64(0), key: key(of: statement), incarnation: statement.int64(4),
            incarnationStart: statement.int64(5), sequence: statement.int64(6), horizon: statement.int64(7),
            created: statement.int64(8), recordCount: statement.int64(9), byteCount: statement.int64(10))
    }

    private func deletedRow(of statement: any Statement) -> DeletedZoneRow {
        DeletedZoneRow(
            id: statement.int64(0), key: key(of: statement), reason: statement.int64(4), deletedAt: statement.int64(5))
    }
}
