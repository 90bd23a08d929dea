import CloudStore

extension ConformanceCase {
    static let zoneKeys: [ConformanceCase] = [
        ConformanceCase("What is sealed of a record comes back byte by byte, alone and in the change feed") { subject in
            let garden = try Garden(try subject.container())
            var row = try garden.plant([("rose", 3)])[0]
            try expectEqual(row.sealed, [])
            row.sealed = (0...255).map { UInt8($0) }
            try garden.container.writeAndWait { [row] in try $0.updateRecord(row) }
            let made = RecordRow(
                zone: garden.zone.id, name: "tulip", type: garden.type.id, sequence: 9, sealed: [0, 1, 0])
            _ = try garden.container.writeAndWait { try $0.insertRecord(made) }
            let found = try garden.container.read { reader in
                var found: [String: [UInt8]] = [:]
                try reader.changes(zone: garden.zone.id, after: 0, limit: 10) { row in
                    found[row.name] = row.sealed
                    return true
                }
                return found
            }
            try expectEqual(found, ["rose": row.sealed, "tulip": [0, 1, 0]])
            try expectEqual(
                try garden.container.read { try $0.record(zone: garden.zone.id, name: "rose") }, row as RecordRow?)
        },
        ConformanceCase("A zone has one key: the first that it is given, in every process") { subject in
            let garden = try Garden(try subject.container())
            let zone = garden.zone.id
            try expectEqual(try garden.container.read { try $0.zoneKey(zone: zone) }, nil)
            let results = try garden.container.together(8) { number in
                { writer in
                    _ = try writer.lockZone(zone)
                    let row = ZoneKeyRow(zone: zone, wrappingKey: "first", wrapped: [UInt8(number)])
                    return try writer.insertZoneKey(row)
                }
            }
            let kept = try require(try garden.container.read { try $0.zoneKey(zone: zone) }, "the key")
            try expectEqual(results.map { try? $0.get() }, Array(repeating: kept, count: 8))
        },
        ConformanceCase("Keys are found by what wraps them, a step at a time, and counted") { subject in
            let container = try subject.container()
            var zones: [Int64] = []
            for number in 0..<5 {
                let garden = try Garden(container, zone: "bed \(number)")
                zones.append(garden.zone.id)
                _ = try container.writeAndWait {
                    try $0.insertZoneKey(ZoneKeyRow(zone: garden.zone.id, wrappingKey: "old", wrapped: [1]))
                }
            }
            var rest = 5
            while rest > 0 {
                let some = try container.read { try $0.zoneKeys(wrappedBy: "old", limit: 2) }
                try expectEqual(some.count, min(rest, 2))
                try container.writeAndWait { writer in
                    for row in some {
                        try writer.updateZoneKey(ZoneKeyRow(zone: row.zone, wrappingKey: "new", wrapped: [2]))
                    }
                }
                rest -= some.count
                let counts = try container.read { try $0.zoneKeyCounts() }
                try expectEqual(counts, rest == 0 ? ["new": 5] : ["old": rest, "new": 5 - rest])
            }
            try expectEqual(
                try container.read { try $0.zoneKey(zone: zones[3]) },
                ZoneKeyRow(zone: zones[3], wrappingKey: "new", wrapped: [2]) as ZoneKeyRow?)
        },
        ConformanceCase("With a zone its key goes at once, and nobody else's") { subject in
            let container = try subject.container()
            let garden = try Garden(container)
            let other = try Garden(container, zone: "Pots")
            try container.writeAndWait { writer in
                for zone in [garden.zone.id, other.zone.id] {
                    _ = try writer.insertZoneKey(ZoneKeyRow(zone: zone, wrappingKey: "one", wrapped: [7]))
                }
                try writer.deleteZone(garden.zone, reason: 1, at: 5)
            }
            try expectEqual(try container.read { try $0.zoneKey(zone: garden.zone.id) }, nil)
            try expectEqual(try container.read { try $0.zoneKeyCounts() }, ["one": 1])
        },
    ]
}
