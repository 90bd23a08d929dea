import SQL

extension ContainerWriter {
    /// Gives a zone its key, unless it has one.
    ///
    /// - Returns: the key that the zone has now.
    package func insertZoneKey(_ row: ZoneKeyRow) throws(StoreError) -> ZoneKeyRow {
        do {
            let statement = try writing.insertZoneKey.take()
            statement.bind(1, tenant)
            statement.bind(2, row.zone)
            statement.bind(3, row.wrappingKey)
            statement.bind(4, row.wrapped)
            try statement.run()
        } catch { throw failed(error) }
        return try zoneKey(zone: row.zone) ?? row
    }

    /// Keeps a zone's key wrapped by another one; a zone that has none gets none.
    package func updateZoneKey(_ row: ZoneKeyRow) throws(StoreError) {
        do {
            let statement = try query(
                "UPDATE zone_key SET wrapping_key = ?3, wrapped = ?4 WHERE container = ?1 AND zone = ?2"
            ).take()
            statement.bind(1, tenant)
            statement.bind(2, row.zone)
            statement.bind(3, row.wrappingKey)
            statement.bind(4, row.wrapped)
            try statement.run()
        } catch { throw failed(error) }
    }
}
