import SQL

/// Where a walk over a container stands, between its steps.
final class MaintenanceCursor: @unchecked Sendable {  // `zone` is only touched inside the lock
    private let lock = Condition()
    private var zone: Int64 = 0

    func take() -> Int64 { lock.locked { zone } }
    func move(to zone: Int64) { lock.locked { self.zone = zone } }
}

extension ContainerStore {
    /// One short step of the work that is never urgent: contents of deleted zones, old tombstones, old rows of deleted zones.
    /// Between two steps the writer serves others.
    ///
    /// - Parameters:
    ///   - now: milliseconds since 1970.
    ///   - tombstoneLife: how long a deleted record, or an emptied deleted zone, is remembered; milliseconds.
    ///   - limit: the most rows of one step; 400 take a few milliseconds.
    /// - Returns: whether to call again soon. After false everything has been looked at once.
    package func runMaintenanceStep(now: Int64, tombstoneLife: Int64, limit: Int = 400) throws -> Bool {
        if try writeAndWait({ try $0.purgeDeletedZones(limit: limit) }) { return true }
        let old = now - tombstoneLife
        guard let expiring = try nextExpiring(before: old, limit: limit) else {
            try writeAndWait {
                try $0.retireDeletedZones(before: old, limit: limit)
                try $0.expireTokenStates(before: now, limit: limit)
            }
            maintenance.move(to: 0)
            return false
        }
        if let sequence = expiring.sequence {
            let hasMore = try writeAndWait {
                try $0.expireTombstones(zone: expiring.zone, through: sequence, limit: limit)
            }
            if hasMore { return true }
        }
        maintenance.move(to: expiring.zone)
        return true
    }

    /// The next zone of the walk, with the newest sequence whose tombstones are all old (nil: none is); nil at the walk's end.
    private func nextExpiring(before: Int64, limit: Int) throws -> (zone: Int64, sequence: Int64?)? {
        let from = maintenance.take()
        return try read { reader in
            var last: Int64?
            // Zones without an old tombstone are passed over, a bounded number at a time.
            for zone in try reader.zoneIDs(after: from, limit: 256) {
                last = zone
                if let sequence = try reader.oldTombstone(zone: zone, before: before, limit: limit) {
                    return (zone, sequence)
                }
            }
            return last.map { ($0, nil) }
        }
    }
}

extension ContainerReader {
    /// Ids of the container's zones, of all owners, after an id.
    package func zoneIDs(after: Int64, limit: Int) throws(StoreError) -> [Int64] {
        do {
            let statement = try query("SELECT id FROM zone WHERE container = ?1 AND id > ?2 ORDER BY id LIMIT ?3")
                .take()
            defer { statement.reset() }
            statement.bind(1, tenant)
            statement.bind(2, after)
            statement.bind(3, Int64(limit))
            var ids: [Int64] = []
            while try statement.step() { ids.append(statement.int64(0)) }
            return ids
        } catch { throw failed(error) }
    }

    /// The last of a zone's first tombstones that were all made before a time.
    func oldTombstone(zone: Int64, before: Int64, limit: Int) throws(StoreError) -> Int64? {
        do {
            let statement = try query(
                """
                SELECT sequence, modified FROM record WHERE zone = ?1 AND deleted = 1 AND sequence > 0
                ORDER BY sequence LIMIT ?2
                """
            ).take()
            defer { statement.reset() }
            statement.bind(1, zone)
            statement.bind(2, Int64(limit))
            var found: Int64?
            while try statement.step() {
                if statement.int64(1) >= before { break }
                found = statement.int64(0)
            }
            return found
        } catch { throw failed(error) }
    }
}
