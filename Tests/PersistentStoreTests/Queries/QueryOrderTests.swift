import Foundation
import Testing

@testable import PersistentStore

@Suite("The order of a query's rows")
struct QueryOrderTests {
    private static let note = StoreObjectPath.variable(0)
    private static let notebook = StoreObjectPath.related(note, "notebook")

    @Test(
        "SQL and memory agree on the order, ties in order of insertion",
        arguments: [
            [StoreSort(.attribute(note, "rating"))],
            [StoreSort(.attribute(note, "dueAt"), ascending: false), StoreSort(.attribute(note, "pinned"))],
            [StoreSort(.attribute(note, "title"), order: .value(.text))],
            [StoreSort(.attribute(note, "body"), ascending: false, order: .text(.localizedStandard))],
            [
                StoreSort(.attribute(note, "title"), order: .text(.caseInsensitive)),
                StoreSort(.attribute(note, "stars")),
            ],
            [StoreSort(.attribute(notebook, "name"), order: .value(.text)), StoreSort(.attribute(note, "weight"))],
            [StoreSort(.attribute(.related(notebook, "owner"), "name"), ascending: false, order: .value(.text))],
            [StoreSort(.attribute(note, "price"), order: .value(.decimal))],
            [StoreSort(.attribute(note, "ident"), order: .value(.exact)), StoreSort(.attribute(note, "createdAt"))],
        ] as [[StoreSort]])
    func agree(sort: [StoreSort]) throws {
        for seed in 100..<110 as Range<UInt64> {
            let world = try Notebooks(seed: seed)
            let expected = world.notes.enumerated().sorted { first, second in
                for key in sort {
                    let order = key.compare(
                        key.expression.value(of: first.element) ?? .null,
                        key.expression.value(of: second.element) ?? .null)
                    if order != .orderedSame { return order == .orderedAscending }
                }
                return first.offset < second.offset
            }.map(\.element.row)
            let query = StoreQuery(entity: "Note", sort: sort)
            #expect(try world.identifiers(query) == expected, "seed \(seed)")
            var page = query
            (page.limit, page.offset) = (7, 5)
            #expect(try world.identifiers(page) == Array(expected[5..<12]), "seed \(seed)")
            #expect(try world.store.read { try $0.count(page) } == 7)
        }
    }
}
