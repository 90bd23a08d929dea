import SQL

extension ContainerWriter {
    /// Adds an asset whose file is kept already, or lets the owner's asset of the same content last longer.
    ///
    /// - Returns: the asset that there is now; another id than the given one says whose file it is.
    package func insertAsset(_ row: AssetRow) throws(StoreError) -> AssetRow {
        do {
            let statement = try query(
                """
                INSERT INTO asset (container, scope, owner, digest, id, size, reference_count, expires)
                VALUES (?1, ?2, ?3, ?4, ?5, ?6, 0, ?7)
                ON CONFLICT (container, scope, owner, digest) DO UPDATE SET
                    expires = CASE WHEN asset.expires < excluded.expires THEN excluded.expires ELSE asset.expires END
                """
            ).take()
            bind(row.scope, row.owner, statement)
            statement.bind(4, row.digest)
            statement.bind(5, row.id)
            statement.bind(6, row.size)
            statement.bind(7, row.expires)
            try statement.run()
        } catch { throw failed(error) }
        guard let stored = try asset(scope: row.scope, owner: row.owner, digest: row.digest) else {
            throw StoreError(.unavailable, "\(place) gave up the transaction. Nothing of it is kept; try again.")
        }
        return stored
    }

    /// Notes that a record refers to assets. One that it refers to already is left alone.
    ///
    /// - Throws: `.constraint` when an asset is not there: look first (`asset(_:)`).
    package func referToAssets(zone: Int64, record: Int64, _ ids: [[UInt8]]) throws(StoreError) {
        if ids.isEmpty { return }
        do throws(SQLError) {
            let insertion = try query(
                """
                INSERT INTO asset_reference (zone, record, asset) VALUES (?1, ?2, ?3)
                ON CONFLICT (zone, record, asset) DO NOTHING RETURNING 1
                """
            ).take()
            for id in ids {
                insertion.bind(1, zone)
                insertion.bind(2, record)
                insertion.bind(3, id)
                guard try returnsRow(insertion) else { continue }
                guard try count(id, by: 1, keptUntil: 0) else {
                    throw SQLError(.constraint, "there is no such asset")
                }
            }
        } catch { throw failed(error) }
    }

    /// Notes that a record refers to assets no longer.
    ///
    /// - Parameter keptUntil: how long one stays that nothing refers to any more; milliseconds since 1970.
    package func letGoOfAssets(
        zone: Int64, record: Int64, _ ids: [[UInt8]], keptUntil: Int64
    ) throws(StoreError) {
        if ids.isEmpty { return }
        do {
            let removal = try query(
                "DELETE FROM asset_reference WHERE zone = ?1 AND record = ?2 AND asset = ?3 RETURNING 1"
            ).take()
            for id in ids {
                removal.bind(1, zone)
                removal.bind(2, record)
                removal.bind(3, id)
                if try returnsRow(removal) { _ = try count(id, by: -1, keptUntil: keptUntil) }
            }
        } catch { throw failed(error) }
    }

    /// Removes rows of assets that nothing refers to and that have expired: one short step. Their files go after the commit.
    ///
    /// - Returns: the ids of the removed rows; as many as `limit` when there may be more.
    package func expireAssets(before now: Int64, limit: Int) throws(StoreError) -> [[UInt8]] {
        do {
            let statement = try query(
                """
                DELETE FROM asset WHERE container = ?1 AND reference_count = 0 AND id IN
                    (SELECT id FROM asset WHERE container = ?1 AND reference_count = 0 AND expires < ?2
                     ORDER BY expires LIMIT ?3)
                RETURNING id
                """
            ).take()
            defer { statement.reset() }
            statement.bind(1, tenant)
            statement.bind(2, now)
            statement.bind(3, Int64(limit))
            var ids: [[UInt8]] = []
            while try statement.step() { ids.append(statement.blob(0)) }
            return ids
        } catch { throw failed(error) }
    }

    /// Lets go of what a deleted zone's records refer to; returns of how many.
    func purgeAssetReferences(zone: Int64, limit: Int) throws(SQLError) -> Int {
        let find = try query(
            "SELECT record, asset FROM asset_reference WHERE zone = ?1 ORDER BY record, asset LIMIT ?2"
        ).take()
        find.bind(1, zone)
        find.bind(2, Int64(limit))
        var references: [(record: Int64, asset: [UInt8])] = []
        while try find.step() { references.append((find.int64(0), find.blob(1))) }
        find.reset()
        let removal = try query(
            "DELETE FROM asset_reference WHERE zone = ?1 AND record = ?2 AND asset = ?3"
        ).take()
        for reference in references {
            removal.bind(1, zone)
            removal.bind(2, reference.record)
            removal.bind(3, reference.asset)
            try removal.run()
            _ = try count(reference.asset, by: -1, keptUntil: 0)
        }
        return references.count
    }

    /// False when there is no such asset.
    private func count(_ id: [UInt8], by change: Int64, keptUntil: Int64) throws(SQLError) -> Bool {
        let statement = try query(
            """
            UPDATE asset SET reference_count = reference_count + ?3,
                expires = CASE WHEN expires < ?4 THEN ?4 ELSE expires END
            WHERE container = ?1 AND id = ?2 RETURNING 1
            """
        ).take()
        statement.bind(1, tenant)
        statement.bind(2, id)
        statement.bind(3, change)
        statement.bind(4, keptUntil)
        return try returnsRow(statement)
    }

    private func returnsRow(_ statement: any Statement) throws(SQLError) -> Bool {
        defer { statement.reset() }
        var found = false
        while try statement.step() { found = true }
        return found
    }
}
