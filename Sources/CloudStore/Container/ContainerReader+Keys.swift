import SQL

extension ContainerReader {
    /// A zone's key; nil for a zone that never had one.
    package func zoneKey(zone: Int64) throws(StoreError) -> ZoneKeyRow? {
        do {
            let statement = try zoneQueries.key.take()
            defer { statement.reset() }
            statement.bind(1, tenant)
            statement.bind(2, zone)
            return try statement.step() ? zoneKey(from: statement) : nil
        } catch { throw failed(error) }
    }

    /// Keys that one key wraps, by zone.
    package func zoneKeys(wrappedBy wrappingKey: String, limit: Int) throws(StoreError) -> [ZoneKeyRow] {
        do {
            let statement = try query(
                """
                SELECT zone, wrapping_key, wrapped FROM zone_key WHERE container = ?1 AND wrapping_key = ?2
                ORDER BY zone LIMIT ?3
                """
            ).take()
            defer { statement.reset() }
            statement.bind(1, tenant)
            statement.bind(2, wrappingKey)
            statement.bind(3, Int64(limit))
            var rows: [ZoneKeyRow] = []
            while try statement.step() { rows.append(zoneKey(from: statement)) }
            return rows
        } catch { throw failed(error) }
    }

    /// How many keys of zones each key wraps, by the wrapping key's name.
    package func zoneKeyCounts() throws(StoreError) -> [String: Int] {
        do {
            let statement = try query(
                "SELECT wrapping_key, COUNT(*) FROM zone_key WHERE container = ?1 GROUP BY wrapping_key"
            ).take()
            defer { statement.reset() }
            statement.bind(1, tenant)
            var counts: [String: Int] = [:]
            while try statement.step() { counts[statement.text(0)] = Int(statement.int64(1)) }
            return counts
        } catch { throw failed(error) }
    }

    private func zoneKey(from statement: any Statement) -> ZoneKeyRow {
        ZoneKeyRow(zone: statement.int64(0), wrappingKey: statement.text(1), wrapped: statement.blob(2))
    }
}
