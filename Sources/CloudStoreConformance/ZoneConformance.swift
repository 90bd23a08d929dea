import CloudStore

extension ConformanceCase {
    static let zones: [ConformanceCase] = [
        ConformanceCase("A zone is found by its key and by its id, as it was made") { subject in
            let garden = try Garden(try subject.container())
            try expectEqual(try garden.current(), garden.zone)
            try expectEqual(try garden.container.read { try $0.zone(id: garden.zone.id) }, garden.zone as ZoneRow?)
            try expectEqual(garden.zone.sequence, 0)
            try expectEqual(garden.zone.incarnation, 1)
            try expectEqual(garden.zone.created, 1_000)
        },
        ConformanceCase("An owner's zones come by name, compared byte by byte, and nobody else's") { subject in
            let container = try subject.container()
            for name in ["b", "a", "Z", "é", "_"] { _ = try Garden(container, zone: name) }
            _ = try container.writeAndWait {
                try $0.insertZone(key: ZoneKey(scope: .private, owner: "_other", name: "c"), created: 1)
            }
            let names = try container.read { try $0.zones(scope: .private, owner: Garden.owner).map(\.key.name) }
            try expectEqual(names, ["Z", "_", "a", "b", "é"])
        },
        ConformanceCase("A second zone of one key is refused") { subject in
            let garden = try Garden(try subject.container())
            try expectStoreError(.constraint) {
                _ = try garden.container.writeAndWait { try $0.insertZone(key: garden.zone.key, created: 2) }
            }
        },
        ConformanceCase(
            "A deleted zone is gone at once, leaves a tombstone, and its name can be used again with another id"
        ) {
            subject in
            let garden = try Garden(try subject.container())
            try garden.plant([("rose", 3), ("tulip", 2)])
            let full = try require(try garden.current(), "the zone")
            try garden.container.writeAndWait { try $0.deleteZone(full, reason: 7, at: 9_000) }
            try expectEqual(try garden.current(), nil)
            let deleted = try garden.container.read { try $0.deletedZones(scope: .private, owner: Garden.owner) }
            try expectEqual(
                deleted, [DeletedZoneRow(id: full.id, key: full.key, reason: 7, deletedAt: 9_000)])
            try expectEqual(
                try garden.container.read { try $0.ownerUsage(scope: .private, owner: Garden.owner) }, 0)
            let again = try Garden(garden.container)
            try expect(again.zone.id != full.id, "another id")
            try expectEqual(try again.names(after: 0), [])
            try expectEqual(
                try garden.container.writeAndWait { try $0.lockZone(full.id) }, nil)
        },
        ConformanceCase("A zone that is deleted takes along all it holds, also what was saved since it was read") {
            subject in
            let garden = try Garden(try subject.container())
            try garden.plant([("rose", 3), ("tulip", 2)])
            try garden.container.writeAndWait { try $0.deleteZone(garden.zone, reason: 1, at: 2) }
            try expectEqual(
                try garden.container.read { try $0.ownerUsage(scope: .private, owner: Garden.owner) }, 0)
        },
        ConformanceCase("Deleting a zone twice leaves one tombstone") { subject in
            let garden = try Garden(try subject.container())
            for _ in 0..<2 { try garden.container.writeAndWait { try $0.deleteZone(garden.zone, reason: 1, at: 2) } }
            try expectEqual(
                try garden.container.read { try $0.deletedZones(scope: .private, owner: Garden.owner).count }, 1)
        },
        ConformanceCase("A zone's and its owner's sums follow every change", sums),
        ConformanceCase("Containers and environments know nothing of each other") { subject in
            let one = try Garden(try subject.container())
            try one.plant([("rose", 3)])
            let other = try Garden(try subject.container(".other"))
            try expectEqual(try other.names(after: 0), [])
            try expect(one.zone.key == other.zone.key, "equal keys")
            let identifier = one.container.identifier
            try expect(
                try subject.store.container(identifier, "production", create: false) == nil, "no other environment")
            let listed = try subject.store.containers().map(\.identifier)
            try expect(listed.contains(identifier) && listed.contains(identifier + ".other"), "both containers listed")
        },
    ]

    @Sendable private static func sums(_ subject: ConformanceSubject) throws {
        let container = try subject.container()
        let beds = try Garden(container)
        let pots = try Garden(container, zone: "Pots")
        let first = try beds.plant([("rose", 3), ("tulip", 2)])
        try pots.plant([("mint", 1)])
        try beds.uproot(first[0], height: 3)
        let bytes = Int64("rose 3".utf8.count + "tulip 2".utf8.count - 1)
        let row = try require(try beds.current(), "the zone")
        try expectEqual(row.recordCount, 1)
        try expectEqual(row.byteCount, bytes)
        try expectEqual(row.sequence, 3)
        try expectEqual(
            try container.read { try $0.ownerUsage(scope: .private, owner: Garden.owner) },
            bytes + Int64("mint 1".utf8.count))
        try expectEqual(try container.read { try $0.ownerUsage(scope: .private, owner: "_nobody") }, 0)
        let everybody = try Garden(container, zone: "_defaultZone", scope: .public)
        for _ in 0..<5 {
            try container.writeAndWait {
                try $0.updateZone(id: everybody.zone.id, sequence: 0, addRecords: 1, addBytes: 10)
            }
        }
        let whole = try require(try everybody.current(), "the public zone")
        try expectEqual(whole.recordCount, 5)
        try expectEqual(whole.byteCount, 50)
        try expectEqual(try container.read { try $0.ownerUsage(scope: .public, owner: "") }, 50)
    }
}
