import CloudStore

extension ConformanceCase {
    static let references: [ConformanceCase] = [
        ConformanceCase("Who points at a record is found by its name, by action, up to a limit") { subject in
            let garden = try Garden(try subject.container())
            try garden.container.writeAndWait { writer in
                for source in Int64(1)...5 {
                    try writer.insertReferences(
                        zone: garden.zone.id, source: source,
                        [ReferenceRow(target: "rose", action: source % 2 + 1, source: 0)])
                }
            }
            try garden.container.read { reader in
                let found = try reader.references(to: "rose", zone: garden.zone.id, limit: 10)
                try expectEqual(found.map(\.action), [1, 1, 2, 2, 2])
                try expectEqual(found.map(\.source), [2, 4, 1, 3, 5])
                try expectEqual(try reader.references(to: "rose", zone: garden.zone.id, limit: 3).count, 3)
                try expectEqual(try reader.referenceCount(to: "rose", zone: garden.zone.id, action: 2), 3)
                try expectEqual(try reader.references(to: "tulip", zone: garden.zone.id, limit: 10), [])
                try expectEqual(try reader.references(to: "rose", zone: garden.zone.id &+ 1, limit: 10), [])
            }
        },
        ConformanceCase("A reference is there once and can be deleted") { subject in
            let garden = try Garden(try subject.container())
            let row = ReferenceRow(target: "rose", action: 1, source: 9)
            try garden.container.writeAndWait { writer in
                for _ in 0..<2 { try writer.insertReferences(zone: garden.zone.id, source: 9, [row]) }
            }
            try expectEqual(
                try garden.container.read { try $0.references(to: "rose", zone: garden.zone.id, limit: 10) }, [row])
            try garden.container.writeAndWait { try $0.deleteReferences(zone: garden.zone.id, source: 9, [row, row]) }
            try expectEqual(
                try garden.container.read { try $0.references(to: "rose", zone: garden.zone.id, limit: 10) }, [])
        },
    ]
}
