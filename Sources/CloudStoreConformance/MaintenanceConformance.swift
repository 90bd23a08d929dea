import CloudStore

extension ConformanceCase {
    static let maintenance: [ConformanceCase] = [
        ConformanceCase("A deleted zone's contents go in steps, and nothing of other zones") { subject in
            let container = try subject.container()
            let garden = try Garden(container)
            let other = try Garden(container, zone: "Pots")
            let rows = try garden.plant((0..<50).map { ("p\($0)", $0 % 3) })
            try other.plant([("mint", 1)])
            try container.writeAndWait { writer in
                for row in rows {
                    let reference = ReferenceRow(target: "p0", action: 1, source: row.id)
                    try writer.insertReferences(zone: row.zone, source: row.id, [reference])
                }
                try writer.deleteZone(garden.zone, reason: 1, at: 5)
            }
            var steps = 1
            while try container.writeAndWait({ try $0.purgeDeletedZones(limit: 20) }) { steps += 1 }
            try expect(steps >= 7, "at least 7 steps of 20 rows for 150, took \(steps)")
            try container.read { reader in
                try expectEqual(try reader.record(zone: garden.zone.id, name: "p1"), nil)
                try expectEqual(try reader.references(to: "p0", zone: garden.zone.id, limit: 100), [])
                try expectEqual(try reader.deletedZones(scope: .private, owner: Garden.owner).count, 1)
            }
            try expectEqual(try garden.scan(field: garden.height.id).count, 0)
            try expectEqual(try other.names(after: 0), ["mint"])
            try expectEqual(try other.scan(field: other.height.id).count, 1)
        },
        ConformanceCase("Expired tombstones go in steps and move the horizon; live records stay") { subject in
            let garden = try Garden(try subject.container())
            let rows = try garden.plant((0..<10).map { ("p\($0)", $0) })
            for index in [0, 2, 4, 6, 8] { try garden.uproot(rows[index], height: UInt8(index)) }
            // Tombstones are 11...15.
            let zone = garden.zone.id
            try expect(
                try garden.container.writeAndWait { try $0.expireTombstones(zone: zone, through: 14, limit: 3) },
                "more to do")
            try expectEqual(try garden.current()?.horizon, 13)
            try expect(
                try !garden.container.writeAndWait { try $0.expireTombstones(zone: zone, through: 14, limit: 3) },
                "no more to do")
            try expectEqual(try garden.current()?.horizon, 14)
            try expectEqual(try garden.names(after: 0), ["p1", "p3", "p5", "p7", "p9", "p8"])
            try garden.container.writeAndWait { writer in
                _ = try writer.expireTombstones(zone: zone, through: 2, limit: 3)
            }
            try expectEqual(try garden.current()?.horizon, 14)
        },
        ConformanceCase("Maintenance comes to an end, having removed what is old and nothing else") { subject in
            let container = try subject.container()
            let garden = try Garden(container)
            let rows = try garden.plant((0..<10).map { ("p\($0)", $0) })
            try garden.uproot(rows[0], height: 0, at: 10_000)
            try garden.uproot(rows[1], height: 1, at: 90_000)
            let gone = try Garden(container, zone: "Gone")
            try gone.plant([("mint", 1)])
            try container.writeAndWait { try $0.deleteZone(gone.zone, reason: 1, at: 10_000) }
            func run(now: Int64) throws {
                var steps = 0
                while try container.runMaintenanceStep(now: now, tombstoneLife: 50_000, limit: 4) {
                    steps += 1
                    try expect(steps < 100, "an end")
                }
            }
            try run(now: 55_000)
            try expectEqual(try garden.names(after: 10), ["p0", "p1"])
            try expectEqual(try container.read { try $0.deletedZones(scope: .private, owner: Garden.owner).count }, 1)
            try run(now: 70_000)
            try expectEqual(try garden.names(after: 10), ["p1"])
            try expectEqual(try garden.current()?.horizon, 11)
            try expectEqual(try container.read { try $0.deletedZones(scope: .private, owner: Garden.owner).count }, 0)
            try run(now: 70_000)
            try expectEqual(try garden.names(after: 10), ["p1"])
        },
    ]
}
