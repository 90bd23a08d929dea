import Behaviours
import Foundation
import PersistentStore
import Testing

@testable import SwiftData

@Suite("Predicates made from seeds")
struct GeneratedPredicateTests {
    @Test(
        "A fetch finds what Foundation's evaluation of the predicate finds", .behaviour("predicate.agree"),
        arguments: 0..<4 as Range<UInt64>)
    func agree(block: UInt64) throws {
        let world = try PredicateWorld(seed: block)
        for seed in block * 10_000..<block * 10_000 + 1_000 {
            var generator = world.generator(seed)
            let predicate = generator.predicate()
            let query = try world.query(predicate)
            let expected = world.notes.filter { (try? predicate.evaluate($0)) ?? false }
            let (sql, memory) = (try world.sql(query.query), world.notes.filter(query.matches))
            guard sql == expected, memory == expected else {
                Issue.record(
                    "seed \(seed): SQL \(sql.map(\.title)), memory \(memory.map(\.title)), Foundation \(expected.map(\.title))"
                )
                return
            }
        }
    }

    @Test(
        "A fetch over unsaved changes finds what it finds when they are saved", .behaviour("predicate.pending-related"),
        arguments: 0..<6 as Range<UInt64>)
    func pending(block: UInt64) throws {
        let world = try PredicateWorld(seed: block)
        var changes = try WorldChanges(world, seed: block)
        for round in 0..<6 as Range<UInt64> {
            changes.makeSome()
            let predicates = (0..<40 as Range<UInt64>).map { number in
                var generator = world.generator(block * 100_000 + round * 1_000 + number)
                return generator.predicate()
            }
            let expected = predicates.map { predicate in
                changes.notes.filter { (try? predicate.evaluate($0)) ?? false }
            }
            for (predicate, notes) in zip(predicates, expected) {
                let found = try world.context.fetch(FetchDescriptor(predicate: predicate))
                guard found == notes, try world.context.fetchCount(FetchDescriptor(predicate: predicate)) == notes.count
                else {
                    Issue.record(
                        "world \(block), round \(round): \(found.map(\.title)), not \(notes.map(\.title))"
                    )
                    return
                }
            }
            try world.context.save()
            for (predicate, notes) in zip(predicates, expected) {
                let found = try world.context.fetch(FetchDescriptor(predicate: predicate))
                guard found == notes else {
                    Issue.record(
                        "world \(block), round \(round), saved: \(found.map(\.title)), not \(notes.map(\.title))"
                    )
                    return
                }
            }
        }
    }
}
