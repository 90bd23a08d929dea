import SQL

extension ContainerWriter {
    /// Makes a zone, with an id that no zone of the container had or will have.
    ///
    /// - Parameter created: milliseconds since 1970.
    /// - Throws: `.constraint` when the zone exists.
    package func insertZone(key: ZoneKey, created: Int64) throws(StoreError) -> ZoneRow {
        do {
            let incarnation = try meta(MetaName.incarnation) ?? 1
            let zone = ZoneRow(
                id: try nextID(MetaName.zone), key: key, incarnation: incarnation,
                // In a restored container a lost timeline may have had a zone with this id: begin above all it used.
                sequence: incarnation > 1 ? incarnation << 32 : 0, created: created)
            let statement = try writing.insertZone.take()
            bind(key, statement)
            statement.bind(5, zone.id)
            statement.bind(6, zone.incarnation)
            statement.bind(7, zone.sequence)
            statement.bind(8, created)
            try statement.run()
            zoneKeys[zone.id] = key
            return zone
        } catch { throw failed(error) }
    }

    /// The zone as it is now, kept from changing under other writers until the commit; nil when it was deleted.
    ///
    /// A sequence may only be taken from a locked zone: a reader could else see a later one first and never come back.
    package func lockZone(_ id: Int64) throws(StoreError) -> ZoneRow? {
        do { return try lockedZone(id) } catch { throw failed(error) }
    }

    /// The zone of this key, locked as by its id; nil when there is none.
    package func lockZone(_ key: ZoneKey) throws(StoreError) -> ZoneRow? {
        do {
            let statement = try writing.lockZoneByKey.take()
            bind(key, statement)
            guard let zone = try zone(from: statement) else { return nil }
            zoneKeys[zone.id] = zone.key
            return zone
        } catch { throw failed(error) }
    }

    func lockedZone(_ id: Int64) throws(SQLError) -> ZoneRow? {
        let statement = try writing.lockZone.take()
        statement.bind(1, tenant)
        statement.bind(2, id)
        guard let zone = try zone(from: statement) else { return nil }
        zoneKeys[id] = zone.key
        return zone
    }

    /// Sets a zone's newest sequence and adds to its sums and to its owner's.
    ///
    /// For the public database pass the zone's sequence as it was read: there it does not move.
    package func updateZone(id: Int64, sequence: Int64, addRecords: Int64, addBytes: Int64) throws(StoreError) {
        do {
            let key = try key(ofZone: id)
            let isStriped = usageIsStriped && key.scope == .public
            if !isStriped {
                let statement = try writing.updateZone.take()
                statement.bind(1, tenant)
                statement.bind(2, id)
                statement.bind(3, sequence)
                statement.bind(4, addRecords)
                statement.bind(5, addBytes)
                try statement.run()
            }
            try addUsage(key, records: addRecords, bytes: addBytes, stripe: isStriped ? Int64.random(in: 0..<16) : 0)
        } catch { throw failed(error) }
    }

    /// Deletes a zone at once: its row becomes a `DeletedZoneRow`, and its contents go later, in steps (`purgeDeletedZones`).
    ///
    /// - Parameter at: milliseconds since 1970.
    package func deleteZone(_ zone: ZoneRow, reason: Int64, at: Int64) throws(StoreError) {
        do {
            let deletion = try writing.deleteZone.take()
            defer { deletion.reset() }
            deletion.bind(1, tenant)
            deletion.bind(2, zone.id)
            guard try deletion.step() else { return }  // another request was first
            // Its sums as they went: on PostgreSQL a save may have been committed since the zone was read.
            let (records, bytes) = (deletion.int64(0), deletion.int64(1))
            while try deletion.step() {}
            let tombstone = try writing.insertDeletedZone.take()
            bind(zone.key, tombstone)
            tombstone.bind(5, zone.id)
            tombstone.bind(6, reason)
            tombstone.bind(7, at)
            try tombstone.run()
            try addUsage(zone.key, records: -records, bytes: -bytes, stripe: 0)
            // Without its key nothing of what the zone had sealed can be read again, wherever a copy of it lies.
            let key = try writing.deleteZoneKey.take()
            key.bind(1, tenant)
            key.bind(2, zone.id)
            try key.run()
            zoneKeys[zone.id] = nil
        } catch { throw failed(error) }
    }

    private func key(ofZone id: Int64) throws(SQLError) -> ZoneKey {
        if let key = zoneKeys[id] { return key }
        let statement = try zoneQueries.byID.take()
        statement.bind(1, tenant)
        statement.bind(2, id)
        guard let key = try zone(from: statement)?.key else {
            throw SQLError(.constraint, "zone \(id) does not exist")
        }
        zoneKeys[id] = key
        return key
    }

    private func addUsage(_ key: ZoneKey, records: Int64, bytes: Int64, stripe: Int64) throws(SQLError) {
        if records == 0, bytes == 0 { return }
        let statement = try writing.addUsage.take()
        bind(key.scope, key.owner, statement)
        statement.bind(4, stripe)
        statement.bind(5, records)
        statement.bind(6, bytes)
        try statement.run()
    }
}
