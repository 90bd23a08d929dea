import SQL

/// The statements that change rows.
struct WriterQueries {
    let raise: PreparedQuery
    let setMeta: PreparedQuery
    let lockZone: PreparedQuery
    let lockZoneByKey: PreparedQuery
    let insertZone: PreparedQuery
    let updateZone: PreparedQuery
    let addUsage: PreparedQuery
    let deleteZone: PreparedQuery
    let insertDeletedZone: PreparedQuery
    let insertZoneKey: PreparedQuery
    let deleteZoneKey: PreparedQuery
    let lastRecordID: PreparedQuery
    let insertRecord: PreparedQuery
    let updateRecord: PreparedQuery
    let removeRecord: PreparedQuery
    let insertEntry: PreparedQuery
    let deleteEntry: PreparedQuery
    let insertReference: PreparedQuery
    let deleteReference: PreparedQuery
    let insertType: PreparedQuery
    let insertField: PreparedQuery
    let updateField: PreparedQuery

    init(_ connection: any Connection) {
        func query(_ sql: String) -> PreparedQuery { PreparedQuery(connection, sql) }
        raise = query(
            """
            INSERT INTO meta (container, name, value) VALUES (?1, ?2, 1)
            ON CONFLICT (container, name) DO UPDATE SET value = meta.value + 1 RETURNING value
            """)
        setMeta = query(
            """
            INSERT INTO meta (container, name, value) VALUES (?1, ?2, ?3)
            ON CONFLICT (container, name) DO UPDATE SET value = excluded.value
            """)
        lockZone = query(
            "SELECT \(ZoneQueries.columns) FROM zone WHERE container = ?1 AND id = ?2\(connection.dialect.forUpdate)")
        lockZoneByKey = query(
            """
            SELECT \(ZoneQueries.columns) FROM zone WHERE container = ?1 AND scope = ?2 AND owner = ?3 AND name = ?4\
            \(connection.dialect.forUpdate)
            """)
        insertZone = query(
            """
            INSERT INTO zone (id, container, scope, owner, name, incarnation, incarnation_start, sequence, horizon, created,
                record_count, byte_count)
            VALUES (?5, ?1, ?2, ?3, ?4, ?6, 0, ?7, 0, ?8, 0, 0)
            """)
        updateZone = query(
            """
            UPDATE zone SET sequence = ?3, record_count = record_count + ?4, byte_count = byte_count + ?5
            WHERE container = ?1 AND id = ?2
            """)
        addUsage = query(
            """
            INSERT INTO owner_usage (container, scope, owner, stripe, record_count, byte_count) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
            ON CONFLICT (container, scope, owner, stripe) DO UPDATE SET
                record_count = owner_usage.record_count + excluded.record_count,
                byte_count = owner_usage.byte_count + excluded.byte_count
            """)
        deleteZone = query(
            "DELETE FROM zone WHERE container = ?1 AND id = ?2 RETURNING record_count, byte_count")
        insertDeletedZone = query(
            """
            INSERT INTO deleted_zone (container, scope, owner, name, id, reason, deleted_at, purged)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, 0)
            """)
        insertZoneKey = query(
            """
            INSERT INTO zone_key (container, zone, wrapping_key, wrapped) VALUES (?1, ?2, ?3, ?4)
            ON CONFLICT (container, zone) DO NOTHING
            """)
        deleteZoneKey = query("DELETE FROM zone_key WHERE container = ?1 AND zone = ?2")
        lastRecordID = query("SELECT COALESCE(MAX(id), 0) FROM record")
        insertRecord = query(
            """
            INSERT INTO record (\(RecordQueries.columns))
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17)
            """)
        updateRecord = query(
            """
            UPDATE record SET type = ?3, sequence = ?4, tag = ?5, created_sequence = ?6, created = ?7, creator = ?8,
                created_device = ?9, modified = ?10, modifier = ?11, modified_device = ?12, parent = ?13, deleted = ?14,
                body = ?15, sealed = ?16
            WHERE zone = ?2 AND id = ?1
            """)
        removeRecord = query("DELETE FROM record WHERE zone = ?1 AND id = ?2")
        insertEntry = query(
            """
            INSERT INTO index_entry (zone, field, value, record) VALUES (?1, ?2, ?3, ?4)
            ON CONFLICT (zone, field, value, record) DO NOTHING
            """)
        deleteEntry = query("DELETE FROM index_entry WHERE zone = ?1 AND field = ?2 AND value = ?3 AND record = ?4")
        insertReference = query(
            """
            INSERT INTO reference (zone, target, action, source) VALUES (?1, ?2, ?3, ?4)
            ON CONFLICT (zone, target, action, source) DO NOTHING
            """)
        deleteReference = query("DELETE FROM reference WHERE zone = ?1 AND target = ?2 AND action = ?3 AND source = ?4")
        insertType = query("INSERT INTO record_type (container, id, name, grants) VALUES (?1, ?2, ?3, ?4)")
        insertField = query(
            "INSERT INTO field (container, id, type, name, kind, flags) VALUES (?1, ?2, ?3, ?4, ?5, ?6)")
        updateField = query("UPDATE field SET kind = ?3, flags = ?4 WHERE container = ?1 AND id = ?2")
    }
}
