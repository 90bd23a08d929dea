import CloudStore

extension ConformanceCase {
    static let records: [ConformanceCase] = [
        ConformanceCase("A record comes back as it was saved, by name and by id") { subject in
            let garden = try Garden(try subject.container())
            let saved = try garden.plant([("rose", 3)])[0]
            try expectEqual(
                try garden.container.read { try $0.record(zone: garden.zone.id, name: "rose") }, saved as RecordRow?)
            try expectEqual(
                try garden.container.read { try $0.record(zone: garden.zone.id, id: saved.id) }, saved as RecordRow?)
            try expectEqual(try garden.container.read { try $0.record(zone: garden.zone.id, name: "Rose") }, nil)
        },
        ConformanceCase("Every kind of value survives: empty text, any Unicode, zero bytes, the ends of Int64") {
            subject in
            let garden = try Garden(try subject.container())
            var row = RecordRow(
                zone: garden.zone.id, name: "ключ 🌱 e\u{301}", type: garden.type.id, sequence: 1, tag: .max,
                createdSequence: .min, created: -1, creator: "", createdDevice: "it's \"quoted\"", modified: 0,
                modifier: "m",
                modifiedDevice: "?1 $1", parent: "", deleted: false, body: (0...255).map { UInt8($0) })
            row.id = try garden.container.writeAndWait { [row] in try $0.insertRecord(row) }
            try expectEqual(
                try garden.container.read { try $0.record(zone: garden.zone.id, name: row.name) }, row as RecordRow?)
            row.parent = nil
            row.body = []
            try garden.container.writeAndWait { [row] in try $0.updateRecord(row) }
            try expectEqual(
                try garden.container.read { try $0.record(zone: garden.zone.id, name: row.name) }, row as RecordRow?)
            row.body = Array(repeating: 0xAB, count: 1_000_000)
            try garden.container.writeAndWait { [row] in try $0.updateRecord(row) }
            try expectEqual(
                try garden.container.read { try $0.record(zone: garden.zone.id, name: row.name)?.body },
                row.body as [UInt8]?)
        },
        ConformanceCase("A second record of one name is refused, in one zone only") { subject in
            let container = try subject.container()
            let garden = try Garden(container)
            try garden.plant([("rose", 3)])
            try expectStoreError(.constraint) { try garden.plant([("rose", 4)]) }
            let other = try Garden(container, zone: "Pots")
            try other.plant([("rose", 4)])
            try expectEqual(try other.names(after: 0), ["rose"])
        },
        ConformanceCase("A tombstone keeps its place and can live again") { subject in
            let garden = try Garden(try subject.container())
            let saved = try garden.plant([("rose", 3)])[0]
            try garden.uproot(saved, height: 3)
            let tombstone = try require(
                try garden.container.read { try $0.record(zone: garden.zone.id, name: "rose") }, "a tombstone")
            try expect(tombstone.deleted && tombstone.body.isEmpty, "a deleted record without a body")
            try expectEqual(tombstone.id, saved.id)
            var again = saved
            again.sequence = 9
            try garden.container.writeAndWait { [again] in try $0.updateRecord(again) }
            try expectEqual(
                try garden.container.read { try $0.record(zone: garden.zone.id, name: "rose") }, again as RecordRow?)
        },
        ConformanceCase("A removed record leaves nothing") { subject in
            let garden = try Garden(try subject.container())
            let saved = try garden.plant([("rose", 3)])[0]
            try garden.container.writeAndWait { try $0.removeRecord(zone: garden.zone.id, id: saved.id) }
            try expectEqual(try garden.container.read { try $0.record(zone: garden.zone.id, name: "rose") }, nil)
        },
        ConformanceCase("Two that insert one record at once: one succeeds and the other is told") { subject in
            let garden = try Garden(try subject.container(), zone: "_defaultZone", scope: .public)
            let row = RecordRow(zone: garden.zone.id, name: "rose", type: garden.type.id, tag: 1)
            let results = try garden.container.together(8) { _ in
                { writer in
                    // As a server does: look first, then insert or find a conflict.
                    if try writer.record(zone: row.zone, name: row.name) != nil { return false }
                    _ = try writer.insertRecord(row)
                    return true
                }
            }
            try expectEqual(results.compactMap { try? $0.get() }.filter { $0 }.count, 1)
            try expectEqual(results.compactMap { try? $0.get() }.count, 8)
        },
        ConformanceCase("Two that update one public record at once: each sees the other's state or waits for it") {
            subject in
            let garden = try Garden(try subject.container(), zone: "_defaultZone", scope: .public)
            _ = try garden.container.writeAndWait {
                try $0.insertRecord(RecordRow(zone: garden.zone.id, name: "rose", type: garden.type.id))
            }
            let zone = garden.zone.id
            let results = try garden.container.together(24) { _ in
                { writer in
                    var row = try require(try writer.record(zone: zone, name: "rose"), "the record")
                    row.tag += 1
                    try writer.updateRecord(row)
                    return true
                }
            }
            try expectEqual(results.compactMap { try? $0.get() }.count, 24)
            try expectEqual(try garden.container.read { try $0.record(zone: zone, name: "rose")?.tag }, 24)
        },
    ]
}
