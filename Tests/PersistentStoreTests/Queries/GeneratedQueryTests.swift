import Foundation
import Testing

@testable import PersistentStore

/// SQL answers what evaluating the same expression over the objects in memory answers.
@Suite("Queries made from seeds")
struct GeneratedQueryTests {
    @Test("SQL and memory agree on which rows match", arguments: 0..<8 as Range<UInt64>)
    func conditions(block: UInt64) throws {
        let world = try Notebooks(seed: block)
        let rows = (world.notes + world.notebooks + world.tags).map(\.row)
        for seed in block * 1_000..<block * 1_000 + 400 {
            var generator = ExpressionGenerator(seed: seed, rows: rows)
            let condition = generator.condition(3)
            let query = StoreQuery(entity: "Note", predicate: condition)
            let found = try world.identifiers(query)
            let expected = world.notes.filter { condition.matches($0) }.map(\.row)
            if found != expected {
                let sql = try query.sql(.identifiers, in: world.store.layout)
                Issue.record("seed \(seed): \(Set(found).symmetricDifference(expected)) differ\n\(condition)\n\(sql)")
                return
            }
            #expect(try world.store.read { try $0.count(query) } == expected.count)
        }
    }
}
