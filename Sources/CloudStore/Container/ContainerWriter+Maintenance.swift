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
            if room > 0 { room -= try purgeAssetReferences(zone: zone, limit: room) }
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
    /// At most `limit` of them go at once; the rest go with the next walk.
    package func retireDeletedZones(before: Int64, limit: Int) throws(StoreError) {
        do {
            let statement = try query(
                """
                DELETE FROM deleted_zone WHERE container = ?1 AND id IN
                    (SELECT id FROM deleted_zone WHERE container = ?1 AND purged = 1 AND deleted_at < ?2 LIMIT ?3)
                """
            ).take()
            statement.bind(1, tenant)
            statement.bind(2, before)
            statement.bind(3, Int64(limit))
            try statement.run()
        } catch { throw failed(error) }
    }

    /// Lets every zone continue as another incarnation, whose sequences no other timeline used: they begin with the seconds
    /// since 2026, in the upper half. Addresses for pushes are forgotten.
    func raiseIncarnation() throws(StoreError) {
        do {
            let newest = try query("SELECT COALESCE(MAX(incarnation), 1) FROM zone WHERE container = ?1").take()
            newest.bind(1, tenant)
            let last = max(try first(newest) ?? 1, try meta(MetaName.incarnation) ?? 1)
            // Two restores of one backup must differ, so counting is not enough.
            let incarnation = max(last + 1, (now() - 1_767_225_600_000) / 1000)
            let zones = try query(
                """
                UPDATE zone SET incarnation = ?2, incarnation_start = sequence,
                    sequence = CASE WHEN sequence < ?3 THEN ?3 ELSE sequence END
                WHERE container = ?1
                """
            ).take()
            zones.bind(1, tenant)
            zones.bind(2, incarnation)
            zones.bind(3, incarnation << 32)
            try zones.run()
            try set(MetaName.incarnation, incarnation)
            // Zones made from now on have identities that no zone of the other timeline had.
            try set(MetaName.zone, max(try meta(MetaName.zone) ?? 0, incarnation << 20))
            // Whose an address was, and what its device had subscribed to, may have changed since. The device is told that
            // it has none, makes another, and subscribes and fetches again.
            let addresses = try query("DELETE FROM push_token WHERE container = ?1").take()
            addresses.bind(1, tenant)
            try addresses.run()
        } catch { throw failed(error) }
    }

    /// Removes index entries of a field in a zone that no query looks at any more: one short step.
    ///
    /// - Parameter limit: the most entries to remove now.
    /// - Returns: whether there may be more.
    package func purgeIndexEntries(zone: Int64, field: Int64, limit: Int) throws(StoreError) -> Bool {
        do {
            let find = try query(
                """
                SELECT value, record FROM index_entry WHERE zone = ?1 AND field = ?2 ORDER BY value, record LIMIT ?3
                """
            ).take()
            find.bind(1, zone)
            find.bind(2, field)
            find.bind(3, Int64(limit))
            var entries: [(value: [UInt8], record: Int64)] = []
            while try find.step() { entries.append((find.blob(0), find.int64(1))) }
            find.reset()
            let removal = try writing.deleteEntry.take()
            for entry in entries {
                removal.bind(1, zone)
                removal.bind(2, field)
                removal.bind(3, entry.value)
                removal.bind(4, entry.record)
                try removal.run()
            }
            return entries.count == limit
        } catch { throw failed(error) }
    }

    private func set(_ name: String, _ value: Int64) throws(SQLError) {
        let meta = try writing.setMeta.take()
        meta.bind(1, tenant)
        meta.bind(2, name)
        meta.bind(3, value)
        try meta.run()
    }

    // MARK: - Steps

    /// Tables that hold a zone's contents.
    private enum Purge: CaseIterable {
        case entries, references, records

        /// Finds the first rows of a zone, and removes one. A range would cost less where values differ, but stepping through a
        /// range of equal values reads all that are left of them every time.
        var find: String {
            switch self {
            case .entries:
                "SELECT field, value, record FROM index_entry WHERE zone = ?1 ORDER BY field, value, record LIMIT ?2"
            case .references:
                "SELECT action, target, source FROM reference WHERE zone = ?1 ORDER BY target, action, source LIMIT ?2"
            case .records: "SELECT id FROM record WHERE zone = ?1 ORDER BY name LIMIT ?2"
            }
        }

        var remove: String {
            switch self {
            case .entries: "DELETE FROM index_entry WHERE zone = ?1 AND field = ?2 AND value = ?3 AND record = ?4"
            case .references: "DELETE FROM reference WHERE zone = ?1 AND action = ?2 AND target = ?3 AND source = ?4"
            case .records: "DELETE FROM record WHERE zone = ?1 AND id = ?2"
            }
        }
    }

    /// Removes at most `limit` rows of a zone; returns how many.
    private func purge(_ table: Purge, _ zone: Int64, limit: Int) throws(SQLError) -> Int {
        let find = try query(table.find).take()
        let removal = try query(table.remove).take()
        find.bind(1, zone)
        find.bind(2, Int64(limit))
        var keys: [(number: Int64, bytes: [UInt8], record: Int64)] = []
        while try find.step() {
            keys.append(table == .records ? (find.int64(0), [], 0) : (find.int64(0), find.blob(1), find.int64(2)))
        }
        find.reset()
        for key in keys {
            removal.bind(1, zone)
            removal.bind(2, key.number)
            switch table {
            case .records: break
            case .entries: removal.bind(3, key.bytes)
            case .references: removal.bind(3, String(decoding: key.bytes, as: UTF8.self))
            }
            if table != .records { removal.bind(4, key.record) }
            try removal.run()
        }
        return keys.count
    }

    private func first(_ statement: any Statement) throws(SQLError) -> Int64? {
        defer { statement.reset() }
        return try statement.step() ? statement.int64(0) : nil
    }
}
