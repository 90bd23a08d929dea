import CloudStore

extension ConformanceCase {
    static let index: [ConformanceCase] = [
        ConformanceCase(
            "Every combination of bounds and direction finds what a filter over all entries finds", allBounds),
        ConformanceCase("Values are compared byte by byte, a shorter one first") { subject in
            let garden = try Garden(try subject.container())
            let rows = try garden.plant((0..<6).map { ("p\($0)", 200) })
            let values: [[UInt8]] = [[], [0], [0, 0], [1], [0x7F, 0xFF], [0x80]]
            try garden.container.writeAndWait { writer in
                for (row, value) in zip(rows, values.reversed()) {
                    try writer.insertIndexEntries(zone: row.zone, record: row.id, [IndexKey(field: 99, value: value)])
                }
            }
            try expectEqual(try garden.scan(field: 99).map(\.value), values)
            try expectEqual(try garden.scan(field: 99, from: [0, 0], to: [1]).map(\.value), [[0, 0], [1]])
        },
        ConformanceCase("A scan goes on where a page ended, through any number of equal values", pages),
        ConformanceCase("Probes keep the records that have all of them") { subject in
            let garden = try Garden(try subject.container())
            let rows = try garden.plant((0..<8).map { ("p\($0)", $0) })
            try garden.container.writeAndWait { writer in
                for (index, row) in rows.enumerated() {
                    try writer.insertIndexEntries(
                        zone: row.zone, record: row.id,
                        [
                            IndexKey(field: 50, value: [UInt8(index % 2)]),
                            IndexKey(field: 51, value: [UInt8(index / 4)]),
                        ])
                }
            }
            let odd = IndexKey(field: 50, value: [1])
            let late = IndexKey(field: 51, value: [1])
            try expectEqual(
                try garden.scan(field: garden.height.id, having: [odd]).map(\.name), ["p1", "p3", "p5", "p7"])
            try expectEqual(try garden.scan(field: garden.height.id, having: [odd, late]).map(\.name), ["p5", "p7"])
            try expectEqual(
                try garden.scan(field: garden.height.id, having: [IndexKey(field: 52, value: [])]).map(\.name), [])
        },
        ConformanceCase("Any number of entries of a record can be inserted together") { subject in
            let garden = try Garden(try subject.container())
            let row = try garden.plant([("rose", 3)])[0]
            for count in [0, 1, 2, 16, 17, 40] {
                let keys = (0..<count).map { IndexKey(field: Int64(1000 + count), value: [UInt8($0)]) }
                try garden.container.writeAndWait {
                    try $0.insertIndexEntries(zone: row.zone, record: row.id, keys)
                    try $0.insertIndexEntries(zone: row.zone, record: row.id, keys)
                }
                try expectEqual(try garden.scan(field: Int64(1000 + count)).map(\.value), keys.map(\.value))
            }
        },
        ConformanceCase("Inserting an entry twice and deleting one that is not there change nothing") { subject in
            let garden = try Garden(try subject.container())
            let row = try garden.plant([("rose", 3)])[0]
            let keys = [IndexKey(field: garden.height.id, value: [3])]
            try garden.container.writeAndWait { writer in
                try writer.insertIndexEntries(zone: row.zone, record: row.id, keys)
                try writer.deleteIndexEntries(zone: row.zone, record: row.id, [IndexKey(field: 1234, value: [3])])
            }
            try expectEqual(try garden.scan(field: garden.height.id).map(\.name), ["rose"])
            try garden.container.writeAndWait { try $0.deleteIndexEntries(zone: row.zone, record: row.id, keys) }
            try expectEqual(try garden.scan(field: garden.height.id).map(\.name), [])
        },
        ConformanceCase("Deleted records and other zones are not in a scan") { subject in
            let container = try subject.container()
            let garden = try Garden(container)
            let other = try Garden(container, zone: "Pots")
            let rows = try garden.plant([("rose", 3), ("tulip", 3)])
            try other.plant([("mint", 3)])
            var deleted = rows[0]
            deleted.deleted = true
            try container.writeAndWait { [deleted] in try $0.updateRecord(deleted) }
            try expectEqual(try garden.scan(field: garden.height.id).map(\.name), ["tulip"])
        },
    ]

    @Sendable private static func allBounds(_ subject: ConformanceSubject) throws {
        let garden = try Garden(try subject.container())
        let heights: [UInt8] = [5, 1, 9, 5, 3, 7, 5, 2]
        let rows = try garden.plant(heights.enumerated().map { ("p\($0.offset)", $0.element) })
        let all = zip(heights, rows).sorted { ($0.0, $0.1.id) < ($1.0, $1.1.id) }.map { (height: $0.0, row: $0.1) }
        let bounds: [UInt8?] = [nil, 0, 2, 5, 9, 10]
        for from in bounds {
            for to in bounds {
                for mask in 0..<8 {
                    let (fromInclusive, toInclusive, descending) = (mask & 1 == 0, mask & 2 == 0, mask & 4 == 0)
                    var expected = all.filter { entry in
                        let isAfter = from.map { fromInclusive ? entry.height >= $0 : entry.height > $0 } ?? true
                        let isBefore = to.map { toInclusive ? entry.height <= $0 : entry.height < $0 } ?? true
                        return isAfter && isBefore
                    }.map(\.row.name)
                    if descending { expected.reverse() }
                    let found = try garden.scan(
                        field: garden.height.id, from: from.map { [$0] }, fromInclusive: fromInclusive,
                        to: to.map { [$0] },
                        toInclusive: toInclusive, descending: descending)
                    try expectEqual(found.map(\.name), expected)
                }
            }
        }
    }

    @Sendable private static func pages(_ subject: ConformanceSubject) throws {
        let garden = try Garden(try subject.container())
        let count = 400  // more than a driver's own page
        try garden.plant((0..<count).map { ("p\($0)", UInt8($0 / 150)) })
        for descending in [false, true] {
            let whole = try garden.scan(field: garden.height.id, descending: descending).map(\.name)
            try expectEqual(whole.count, count)
            var paged: [String] = []
            var position: IndexPosition?
            repeat {
                let page = try garden.scan(
                    field: garden.height.id, from: [0], to: [2], descending: descending, after: position, limit: 33)
                paged += page.map(\.name)
                position = page.last.map { IndexPosition(value: $0.value, record: $0.id) }
            } while position != nil
            try expectEqual(paged, whole)
        }
    }
}

extension Garden {
    struct Found {
        var value: [UInt8]
        var name: String
        var id: Int64
    }

    func scan(
        field: Int64, from: [UInt8]? = nil, fromInclusive: Bool = true, to: [UInt8]? = nil, toInclusive: Bool = true,
        descending: Bool = false, after: IndexPosition? = nil, having: [IndexKey] = [], limit: Int = .max
    ) throws -> [Found] {
        try container.read { reader in
            var found: [Found] = []
            try reader.scanIndex(
                zone: zone.id, field: field, from: from, fromInclusive: fromInclusive, to: to, toInclusive: toInclusive,
                descending: descending, after: after, having: having
            ) { value, record in
                found.append(Found(value: value, name: record.name, id: record.id))
                return found.count < limit
            }
            return found
        }
    }
}
