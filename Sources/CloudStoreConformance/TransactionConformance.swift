import CloudStore

private struct Refused: Error, Equatable {}

extension ConformanceCase {
    static let transactions: [ConformanceCase] = [
        ConformanceCase("A request that throws leaves nothing, and its error comes back") { subject in
            let garden = try Garden(try subject.container())
            do {
                try garden.container.writeAndWait { writer in
                    _ = try writer.insertRecord(RecordRow(zone: garden.zone.id, name: "rose", type: 1, sequence: 1))
                    throw Refused()
                }
                try expect(false, "the request's own error")
            } catch is Refused {}
            try expectEqual(try garden.names(after: 0), [])
        },
        ConformanceCase("Of requests that wait together, those that throw take nothing of the others with them") {
            subject in
            let garden = try Garden(try subject.container())
            let zone = garden.zone.id
            let results = try garden.container.together(100) { index in
                { writer in
                    let row = try require(try writer.lockZone(zone), "the zone")
                    _ = try writer.insertRecord(
                        RecordRow(zone: zone, name: "p\(index)", type: 1, sequence: row.sequence + 1))
                    try writer.updateZone(id: zone, sequence: row.sequence + 1, addRecords: 1, addBytes: 1)
                    if index % 3 == 0 { throw Refused() }
                    return index
                }
            }
            let kept = (0..<100).filter { $0 % 3 != 0 }
            try expectEqual(results.compactMap { try? $0.get() }, kept)
            try expectEqual(Set(try garden.names(after: 0)), Set(kept.map { "p\($0)" }))
            let row = try require(try garden.current(), "the zone")
            try expectEqual(row.sequence, Int64(kept.count))
            try expectEqual(row.recordCount, Int64(kept.count))
        },
        ConformanceCase("Savepoints nest: what threw is undone, what did not stays") { subject in
            let garden = try Garden(try subject.container())
            let zone = garden.zone.id
            try garden.container.writeAndWait { writer in
                func add(_ name: String, _ sequence: Int64) throws {
                    _ = try writer.insertRecord(RecordRow(zone: zone, name: name, type: 1, sequence: sequence))
                }
                try add("a", 1)
                try writer.savepoint {
                    try add("b", 2)
                    try? writer.savepoint {
                        try add("c", 3)
                        throw Refused()
                    }
                    try add("d", 4)
                }
                try? writer.savepoint {
                    try writer.savepoint { try add("e", 5) }
                    throw Refused()
                }
            }
            try expectEqual(try garden.names(after: 0), ["a", "b", "d"])
        },
        ConformanceCase("A refused statement inside a savepoint leaves the request able to go on") { subject in
            let garden = try Garden(try subject.container())
            let row = RecordRow(zone: garden.zone.id, name: "rose", type: 1, sequence: 1)
            try garden.container.writeAndWait { writer in
                _ = try writer.insertRecord(row)
                do {
                    try writer.savepoint { _ = try writer.insertRecord(row) }
                    try expect(false, "a refusal")
                } catch let error as StoreError {
                    try expectEqual(error.kind, .constraint)
                }
                _ = try writer.insertRecord(RecordRow(zone: garden.zone.id, name: "tulip", type: 1, sequence: 2))
            }
            try expectEqual(try garden.names(after: 0), ["rose", "tulip"])
        },
        ConformanceCase(
            "A request that passes over a refused statement is kept whole or not at all, and the outcome says which"
        ) {
            subject in
            let garden = try Garden(try subject.container())
            let row = RecordRow(zone: garden.zone.id, name: "rose", type: 1, sequence: 1)
            let outcome = Result {
                try garden.container.writeAndWait { writer in
                    _ = try writer.insertRecord(row)
                    _ = try? writer.insertRecord(row)
                    _ = try? writer.insertRecord(RecordRow(zone: garden.zone.id, name: "tulip", type: 1, sequence: 2))
                }
            }
            let isKept = (try? outcome.get()) != nil
            try expectEqual(try garden.names(after: 0), isKept ? ["rose", "tulip"] : [])
        },
        ConformanceCase("A completion comes after the commit: a reader that it starts sees the request") { subject in
            let garden = try Garden(try subject.container())
            let seen = try garden.container.together(40) { index in
                { writer in
                    _ = try writer.insertRecord(
                        RecordRow(zone: garden.zone.id, name: "p\(index)", type: 1, sequence: Int64(index + 1)))
                    return index
                }
            } checking: { index in
                (try? garden.container.read { try $0.record(zone: garden.zone.id, name: "p\(index)") }) != nil
            }
            try expectEqual(seen, Array(repeating: true, count: 40))
        },
    ]
}
