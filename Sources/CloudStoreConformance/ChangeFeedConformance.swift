import CloudStore

extension ConformanceCase {
    static let changeFeed: [ConformanceCase] = [
        ConformanceCase("Changes come in the order of their sequences, after a sequence, up to a limit") { subject in
            let garden = try Garden(try subject.container())
            try garden.plant((1...9).map { ("p\($0)", $0) })
            try expectEqual(try garden.names(after: 0), (1...9).map { "p\($0)" })
            try expectEqual(try garden.names(after: 6), ["p7", "p8", "p9"])
            try expectEqual(try garden.names(after: 2, limit: 2), ["p3", "p4"])
            try expectEqual(try garden.names(after: 9), [])
        },
        ConformanceCase(
            "A record that changed again is in the feed once, at its new place; a deleted one is its tombstone"
        ) {
            subject in
            let garden = try Garden(try subject.container())
            let rows = try garden.plant([("rose", 3), ("tulip", 2), ("mint", 1)])
            try garden.uproot(rows[0], height: 3)
            try expectEqual(try garden.names(after: 0), ["tulip", "mint", "rose"])
            try expectEqual(try garden.names(after: 3), ["rose"])
        },
        ConformanceCase("The reversed feed is the feed backwards") { subject in
            let garden = try Garden(try subject.container())
            try garden.plant((1...5).map { ("p\($0)", $0) })
            let names = try garden.container.read { reader in
                var names: [String] = []
                try reader.changesReversed(zone: garden.zone.id, before: 5, limit: 3) {
                    names.append($0.name)
                    return true
                }
                return names
            }
            try expectEqual(names, ["p4", "p3", "p2"])
        },
        ConformanceCase("A visitor can stop the feed, ask other things in between, and its error comes out") {
            subject in
            struct Enough: Error {}
            let garden = try Garden(try subject.container())
            try garden.plant((1...5).map { ("p\($0)", $0) })
            let zone = garden.zone.id
            let seen = try garden.container.read { reader in
                var seen: [String] = []
                try reader.changes(zone: zone, after: 0, limit: 10) { row in
                    var inner = 0
                    try reader.changes(zone: zone, after: row.sequence, limit: 10) { _ in
                        inner += 1
                        return true
                    }
                    seen.append("\(row.name)+\(inner)")
                    return seen.count < 3
                }
                return seen
            }
            try expectEqual(seen, ["p1+4", "p2+3", "p3+2"])
            do {
                try garden.container.read { reader in
                    try reader.changes(zone: zone, after: 0, limit: 10) { _ in throw Enough() }
                }
                try expect(false, "the visitor's error")
            } catch is Enough {}
            try expectEqual(try garden.names(after: 4), ["p5"])
        },
        ConformanceCase("Records of the public database are in no feed") { subject in
            let garden = try Garden(try subject.container(), zone: "_defaultZone", scope: .public)
            _ = try garden.container.writeAndWait {
                try $0.insertRecord(RecordRow(zone: garden.zone.id, name: "rose", type: garden.type.id, tag: 1))
            }
            try expectEqual(try garden.names(after: -1), [])
        },
        ConformanceCase("A read is one snapshot: what is committed meanwhile does not appear in it", snapshot),
    ]

    @Sendable private static func snapshot(_ subject: ConformanceSubject) throws {
        let garden = try Garden(try subject.container())
        try garden.plant([("rose", 3)])
        // In memory a writer waits for the readers, so nothing here waits for the writer before the read has ended.
        let writer = try garden.container.read { reader in
            let before = try require(try reader.zone(garden.zone.key), "the zone")
            let writer = StoreThread {
                _ = try? garden.container.writeAndWait { writer in
                    try writer.updateZone(id: garden.zone.id, sequence: 77, addRecords: 0, addBytes: 0)
                }
            }
            for _ in 0..<500 { try expectEqual(try reader.zone(garden.zone.key), before) }
            return writer
        }
        writer.join()
        try expectEqual(try garden.current()?.sequence, 77)
    }
}
