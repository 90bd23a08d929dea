import SQL

extension ContainerWriter {
    /// Removes contents of deleted zones, oldest id first: one short step.
    ///
    /// - Parameter limit: the most rows to remove now.
    /// - Returns: whether there is more to remove.
    package func purgeDeletedZones(limit: Int) throws(StoreError) -> Bool {
        do {
            let find = try query(
                "SELECT id FROM deleted_zone WHERE container = ?1 AND purged = 0 ORDER BY id LIMIT 1"
            ).take()
            find.bind(1, tenant)
            guard let zone = try first(find) else { return false }
            var room = limit
            for table in Purge.allCases where room > 0 {
                room -= try purge(table, zone, limit: room)
            }
            if room > 0 {
                let mark = try query(
                    "UPDATE deleted_zone SET purged = 1 WHERE container = ?1 AND id = ?2 AND purged = 0"
                ).take()
                mark.bind(1, tenant)
                mark.bind(2, zone)
                try mark.run()
                find.bind(1, tenant)
                return try first(find) != nil
            }
            return true
        } catch { throw failed(error) }
    }

    /// Removes a zone's tombstones up to a sequence and moves its horizon there: one short step.
    ///
    /// - Parameter limit: the most tombstones to remove now.
    /// - Returns: whether there are more.
    package func expireTombstones(zone: Int64, through sequence: Int64, limit: Int) throws(StoreError) -> Bool {
        do {
            // The zone's row is locked, so that no reader sees tombstones gone and the horizon not yet moved.
            guard try lockedZone(zone) != nil else { return false }
            let bound = try query(
                """
                SELECT sequence FROM record WHERE zone = ?1 AND deleted = 1 AND sequence <= ?2
                ORDER BY sequence LIMIT 1 OFFSET ?3
                """
            ).take()
            bound.bind(1, zone)
            bound.bind(2, sequence)
            bound.bind(3, Int64(max(limit, 1) - 1))
            let last = try first(bound)
            let through = last ?? sequence
            let removal = try query("DELETE FROM record WHERE zone = ?1 AND deleted = 1 AND sequence <= ?2").take()
            removal.bind(1, zone)
            removal.bind(2, through)
            try removal.run()
            let horizon = try query(
                "UPDATE zone SET horizon = ?3 WHERE container = ?1 AND id = ?2 AND horizon < ?3"
            ).take()
            horizon.bind(1, tenant)
            horizon.bind(2, zone)
            horizon.bind(3, through)
            try horizon.run()
            guard last != nil else { return false }
            bound.bind(1, zone)
            bound.bind(2, sequence)
            bound.bind(3, 0 as Int64)
            return try first(bound) != nil
        } catch { throw failed(error) }
    }

    /// Retires the rows of deleted zones that are empty and were deleted before a time; a token of theirs is then simply unknown.
    package func retireDeletedZones(before: Int64) throws(StoreError) {
        do {
            let statement = try query(
                "DELETE FROM deleted_zone WHERE container = ?1 AND purged = 1 AND deleted_at < ?2"
            ).take()
            statement.bind(1, tenant)
            statement.bind(2, before)
            try statement.run()
        } catch { throw failed(error) }
    }

    // MARK: - Steps

    /// Tables that hold a zone's contents, with the columns that order its rows.
    private enum Purge: CaseIterable {
        case entries, references, records

        var table: String {
            switch self {
            case .entries: "index_entry"
            case .references: "reference"
            case .records: "record"
            }
        }

        /// Only the first is needed for a bound that is coarse but never cuts short: rows up to and including it go.
        var order: String {
            switch self {
            case .entries: "field, value, record"
            case .references: "target, action, source"
            case .records: "name"
            }
        }
    }

    /// Removes at most `limit` rows of a zone; returns how many. Both engines find the bound and the rows in the key's own order.
    private func purge(_ table: Purge, _ zone: Int64, limit: Int) throws(SQLError) -> Int {
        let (name, order) = (table.table, table.order)
        let removal = try query(
            """
            DELETE FROM \(name) WHERE zone = ?1 AND (\(order)) <=
                (SELECT \(order) FROM \(name) WHERE zone = ?1 ORDER BY \(order) LIMIT 1 OFFSET ?2)
            """
        ).take()
        removal.bind(1, zone)
        removal.bind(2, Int64(limit - 1))
        try removal.run()
        if removal.changes > 0 { return removal.changes }
        // Fewer than the limit are left.
        let rest = try query("DELETE FROM \(name) WHERE zone = ?1").take()
        rest.bind(1, zone)
        try rest.run()
        return rest.changes
    }

    private func first(_ statement: any Statement) throws(SQLError) -> Int64? {
        defer { statement.reset() }
        return try statement.step() ? statement.int64(0) : nil
    }
}
