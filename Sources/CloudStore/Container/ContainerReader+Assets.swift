import SQL

struct AssetQueries {
    static let columns = "id, scope, owner, digest, size, reference_count, expires"

    let byID: PreparedQuery
    let byIDForUpdate: PreparedQuery
    let byContent: PreparedQuery
    let unusedBytes: PreparedQuery

    init(_ connection: any Connection) {
        func query(_ sql: String) -> PreparedQuery { PreparedQuery(connection, sql) }
        let byID = "SELECT \(Self.columns) FROM asset WHERE container = ?1 AND id = ?2"
        self.byID = query(byID)
        byIDForUpdate = query(byID + connection.dialect.forUpdate)
        byContent = query(
            """
            SELECT \(Self.columns) FROM asset WHERE container = ?1 AND scope = ?2 AND owner = ?3 AND digest = ?4
            """)
        unusedBytes = query(
            """
            SELECT CAST(COALESCE(SUM(size), 0) AS BIGINT) FROM asset
            WHERE container = ?1 AND scope = ?2 AND owner = ?3 AND reference_count = 0
            """)
    }
}

extension ContainerReader {
    /// An asset's row. In a writer on PostgreSQL it stays locked until the commit.
    package func asset(_ id: [UInt8]) throws(StoreError) -> AssetRow? {
        do {
            let statement = try (isWriter ? assetQueries.byIDForUpdate : assetQueries.byID).take()
            statement.bind(1, tenant)
            statement.bind(2, id)
            return try asset(from: statement)
        } catch { throw failed(error) }
    }

    /// An owner's asset of a content.
    package func asset(scope: StoreScope, owner: String, digest: [UInt8]) throws(StoreError) -> AssetRow? {
        do {
            let statement = try assetQueries.byContent.take()
            bind(scope, owner, statement)
            statement.bind(4, digest)
            return try asset(from: statement)
        } catch { throw failed(error) }
    }

    /// Assets of all owners, by id.
    package func assets(after id: [UInt8], limit: Int) throws(StoreError) -> [AssetRow] {
        do {
            let statement = try query(
                "SELECT \(AssetQueries.columns) FROM asset WHERE container = ?1 AND id > ?2 ORDER BY id LIMIT ?3"
            ).take()
            defer { statement.reset() }
            statement.bind(1, tenant)
            statement.bind(2, id)
            statement.bind(3, Int64(limit))
            var rows: [AssetRow] = []
            while try statement.step() { rows.append(row(of: statement)) }
            return rows
        } catch { throw failed(error) }
    }

    /// What an owner has uploaded and no record refers to, in bytes.
    package func unusedAssetBytes(scope: StoreScope, owner: String) throws(StoreError) -> Int64 {
        do {
            let statement = try assetQueries.unusedBytes.take()
            defer { statement.reset() }
            bind(scope, owner, statement)
            return try statement.step() ? statement.int64(0) : 0
        } catch { throw failed(error) }
    }

    private func asset(from statement: any Statement) throws(SQLError) -> AssetRow? {
        defer { statement.reset() }
        return try statement.step() ? row(of: statement) : nil
    }

    private func row(of statement: any Statement) -> AssetRow {
        AssetRow(
            id: statement.blob(0), scope: StoreScope(rawValue: statement.int64(1)) ?? .private,
            owner: statement.text(2), digest: statement.blob(3), size: statement.int64(4),
            referenceCount: statement.int64(5), expires: statement.int64(6))
    }
}
