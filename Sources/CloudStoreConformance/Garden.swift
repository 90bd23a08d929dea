import CloudStore

/// The fixture: a zone of plants, one record type, one indexed field.
struct Garden {
    let container: ContainerStore
    let zone: ZoneRow
    let type: TypeRow
    let height: FieldRow

    static let owner = "_gardener"

    init(_ container: ContainerStore, zone name: String = "Beds", scope: StoreScope = .private) throws {
        self.container = container
        let key = ZoneKey(scope: scope, owner: scope == .public ? "" : Self.owner, name: name)
        let (zone, type, height) = try container.writeAndWait { writer in
            let zone = try writer.insertZone(key: key, created: 1_000)
            if let type = try writer.types().first, let field = try writer.fields().first { return (zone, type, field) }
            let type = try writer.insertType(name: "Plant")
            let field = try writer.insertField(type: type.id, name: "height", kind: 2, flags: 1)
            return (zone, type, field)
        }
        self.zone = zone
        self.type = type
        self.height = height
    }

    /// Saves plants as a server would: sequences from the locked zone, sums kept.
    @discardableResult
    func plant(_ plants: [(name: String, height: UInt8)], at time: Int64 = 2_000) throws -> [RecordRow] {
        let (zone, type, field) = (zone, type, height)
        return try container.writeAndWait { writer in
            let locked = try require(try writer.lockZone(zone.id), "a zone to lock")
            var sequence = locked.sequence
            var rows: [RecordRow] = []
            for plant in plants {
                sequence += 1
                var row = RecordRow(
                    zone: zone.id, name: plant.name, type: type.id, sequence: sequence, tag: sequence,
                    createdSequence: sequence, created: time, creator: Self.owner, createdDevice: "phone",
                    modified: time,
                    modifier: Self.owner, modifiedDevice: "phone", body: Array("\(plant.name) \(plant.height)".utf8))
                row.id = try writer.insertRecord(row)
                try writer.insertIndexEntries(
                    zone: zone.id, record: row.id, [IndexKey(field: field.id, value: [plant.height])])
                rows.append(row)
            }
            try writer.updateZone(
                id: zone.id, sequence: sequence, addRecords: Int64(rows.count),
                addBytes: rows.reduce(0) { $0 + Int64($1.body.count) })
            return rows
        }
    }

    /// Makes a record a tombstone.
    func uproot(_ row: RecordRow, height value: UInt8, at time: Int64 = 3_000) throws {
        let (zone, field) = (zone, height)
        try container.writeAndWait { writer in
            let locked = try require(try writer.lockZone(zone.id), "a zone to lock")
            var row = row
            row.deleted = true
            row.body = []
            row.sequence = locked.sequence + 1
            row.modified = time
            try writer.updateRecord(row)
            try writer.deleteIndexEntries(zone: zone.id, record: row.id, [IndexKey(field: field.id, value: [value])])
            try writer.updateZone(id: zone.id, sequence: locked.sequence + 1, addRecords: -1, addBytes: -1)
        }
    }

    func names(after: Int64, limit: Int = 1000) throws -> [String] {
        try container.read { reader in
            var names: [String] = []
            try reader.changes(zone: zone.id, after: after, limit: limit) { row in
                names.append(row.name)
                return true
            }
            return names
        }
    }

    func current() throws -> ZoneRow? {
        try container.read { try $0.zone(zone.key) }
    }
}
