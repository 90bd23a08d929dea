import Behaviours
import Foundation
import Testing

@testable import SwiftData

@Suite("What the store cannot answer is refused by name")
struct PredicateErrorTests {
    let world: PredicateWorld

    init() throws { world = try PredicateWorld() }

    private func expect(
        _ error: SwiftDataError, naming part: String, _ predicate: Predicate<Note>,
        _ location: SourceLocation = #_sourceLocation
    ) {
        let thrown = #expect(throws: error, sourceLocation: location) { try world.query(predicate) }
        #expect(thrown?.description.contains(part) == true, "\(String(describing: thrown))", sourceLocation: location)
    }

    @Test("Computed and transient properties", .behaviour("predicate.unpersisted"))
    func unpersisted() {
        expect(.unsupportedKeyPath, naming: "title, body", #Predicate { $0.summary == "x" })
        expect(.unsupportedKeyPath, naming: "cached", #Predicate { $0.cached == 1 })
        expect(.unsupportedKeyPath, naming: "warmth", #Predicate { $0.tags.contains { $0.warmth > 0 } })
        expect(.unsupportedKeyPath, naming: "Place", #Predicate { $0.place?.label == "x" })
        expect(.unsupportedKeyPath, naming: "Kind", #Predicate { $0.kind.label == "x" })
    }

    @Test("Regular expressions, and the first of a relationship")
    func expressions() {
        expect(.unsupportedPredicate, naming: "regular expression", #Predicate { $0.title.contains(/a+/) })
        expect(.unsupportedKeyPath, naming: "tags", #Predicate { $0.tags.first == nil })
    }

    @Test("Orders by what has no order in the store")
    func orders() {
        let thrown = #expect(throws: SwiftDataError.unsupportedSortDescriptor) {
            try world.query(#Predicate { _ in true }, sortBy: [SortDescriptor(\.summary)])
        }
        #expect(thrown?.description.contains("title, body") == true)
    }
}

@Suite("The order of fetched objects")
struct SortTests {
    let world: PredicateWorld

    init() throws { world = try PredicateWorld() }

    private func expect(
        _ titles: [String], _ keys: SortDescriptor<Note>..., location: SourceLocation = #_sourceLocation
    ) throws {
        let query = try world.query(#Predicate { _ in true }, sortBy: keys)
        #expect(try world.sql(query.query).map(\.title) == titles, "SQL", sourceLocation: location)
        let sorted = world.notes.enumerated().sorted {
            let order = query.compare($0.element, $1.element)
            return order == .orderedAscending || order == .orderedSame && $0.offset < $1.offset
        }
        #expect(sorted.map(\.element.title) == titles, "memory", sourceLocation: location)
    }

    @Test("Several keys, nil first when ascending, stable by insertion", .behaviour("predicate.sort"))
    func keys() throws {
        try expect(["beta 9", "Cafe\u{301}", "quiet", "Alpha", "beta 10"], SortDescriptor(\.rating))
        try expect(["beta 10", "Cafe\u{301}", "quiet", "beta 9", "Alpha"], SortDescriptor(\.dueAt))
        try expect(["Alpha", "beta 9", "beta 10", "Cafe\u{301}", "quiet"], SortDescriptor(\.dueAt, order: .reverse))
        try expect(
            ["beta 10", "Alpha", "Cafe\u{301}", "quiet", "beta 9"], SortDescriptor(\.createdAt, order: .reverse),
            SortDescriptor(\.rating, order: .reverse))
    }

    @Test("Text as a person sorts it unless told otherwise")
    func text() throws {
        try expect(["Alpha", "beta 9", "beta 10", "Cafe\u{301}", "quiet"], SortDescriptor(\.title))
        try expect(
            ["Alpha", "beta 9", "beta 10", "Cafe\u{301}", "quiet"],
            SortDescriptor(\.title, comparator: .localizedStandard))
        try expect(
            ["Alpha", "Cafe\u{301}", "beta 10", "beta 9", "quiet"], SortDescriptor(\.title, comparator: .lexical))
    }

    @Test("Foundation sorts by the comparators too")
    func foundation() throws {
        let lexical = world.notes.sorted(using: SortDescriptor(\.title, comparator: .lexical)).map(\.title)
        #expect(lexical == ["Alpha", "Cafe\u{301}", "beta 10", "beta 9", "quiet"])
        #expect(world.notes.sorted(using: SortDescriptor(\.title)).count == 5)
        #expect(String.StandardComparator.localizedStandard != .lexical)
        #expect(String.StandardComparator.localizedStandard != .localized)
    }

    @Test("Through a to-one relationship", .behaviour("predicate.sort-relationship"))
    func relationship() throws {
        try expect(["beta 9", "quiet", "Alpha", "Cafe\u{301}", "beta 10"], SortDescriptor(\.notebook?.name))
        try expect(["beta 10", "beta 9", "quiet", "Alpha", "Cafe\u{301}"], SortDescriptor(\.notebook?.owner?.name))
        try expect(["beta 9", "Cafe\u{301}", "quiet", "beta 10", "Alpha"], SortDescriptor(\.place?.city))
    }
}
