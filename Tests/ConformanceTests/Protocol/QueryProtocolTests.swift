import CloudServer
import Testing
import WebServices

@Suite("records/query") struct QueryProtocolTests {
    typealias Filter = RecordsQuery.Filter

    /// Ten items: `n` from 0 to 9, `word` "w0" to "w9", `tags` all and even or odd, `half` on even ones only.
    private func filled(_ wire: Wire) async throws -> Caller {
        let caller = try await World(wire).caller()
        let operations = (0..<10).map { number in
            let parity = number.isMultiple(of: 2) ? "even" : "odd"
            return RecordsModify.Operation(
                .create,
                item(
                    "i\(number)",
                    [
                        "n": .int64(Int64(number)), "word": .string("w\(number)"),
                        "tags": .list([.string("all"), .string(parity)], of: .string),
                        "half": number.isMultiple(of: 2) ? .double(Double(number) / 2) : nil,
                        "to": .reference(Reference(recordName: "t\(number % 3)", action: Reference.Action.none)),
                    ]))
        }
        _ = try await caller.modify(operations)
        return caller
    }

    private func run(
        _ caller: Caller, _ filters: [Filter] = [], sort: [RecordsQuery.Sort] = [],
        _ change: (inout RecordsQuery.Request) -> Void = { _ in }
    ) async throws -> (names: [String], response: RecordsQuery.Response) {
        var request = RecordsQuery.Request(query: .init(recordType: "Item", filterBy: filters, sortBy: sort))
        change(&request)
        guard case .recordsQuery(let response) = try await caller.answer(.recordsQuery(request)) else {
            throw Caller.UnexpectedAnswer()
        }
        return (try response.records.map { try $0.get().recordName }, response)
    }

    private static func strings(_ values: String...) -> RecordsQuery.Operand {
        .typed(.list(values.map { .string($0) }, of: .string))
    }

    static let cases: [(Filter, [Int])] = [
        (Filter(.equals, .user("n"), .typed(.int64(3))), [3]),
        (Filter(.notEquals, .user("n"), .typed(.int64(3))), [0, 1, 2, 4, 5, 6, 7, 8, 9]),
        (Filter(.lessThan, .user("n"), .typed(.int64(2))), [0, 1]),
        (Filter(.lessThanOrEquals, .user("n"), .typed(.int64(2))), [0, 1, 2]),
        (Filter(.greaterThan, .user("n"), .typed(.int64(7))), [8, 9]),
        (Filter(.greaterThanOrEquals, .user("n"), .untypedInteger(7)), [7, 8, 9]),
        (Filter(.lessThan, .user("half"), .typed(.double(1.5))), [0, 2]),
        (Filter(.in, .user("word"), strings("w1", "w5", "none")), [1, 5]),
        (Filter(.notIn, .user("word"), strings("w0", "w1", "w2", "w3", "w4", "w5", "w6")), [7, 8, 9]),
        (Filter(.beginsWith, .user("word"), .typed(.string("w"))), Array(0..<10)),
        (Filter(.notBeginsWith, .user("word"), .typed(.string("w1"))), [0, 2, 3, 4, 5, 6, 7, 8, 9]),
        (Filter(.listContains, .user("tags"), .typed(.string("odd"))), [1, 3, 5, 7, 9]),
        (Filter(.notListContains, .user("tags"), .typed(.string("odd"))), [0, 2, 4, 6, 8]),
        (Filter(.listContainsAny, .user("tags"), strings("odd", "none")), [1, 3, 5, 7, 9]),
        (Filter(.notListContainsAny, .user("tags"), strings("odd", "none")), [0, 2, 4, 6, 8]),
        (Filter(.listContainsAll, .user("tags"), strings("all", "even")), [0, 2, 4, 6, 8]),
        (Filter(.notListContainsAll, .user("tags"), strings("all", "even")), [1, 3, 5, 7, 9]),
        (Filter(.listMemberBeginsWith, .user("tags"), .typed(.string("ev"))), [0, 2, 4, 6, 8]),
        (Filter(.notListMemberBeginsWith, .user("tags"), .typed(.string("ev"))), [1, 3, 5, 7, 9]),
        (Filter(.equals, .user("to"), .untypedReference(Reference(recordName: "t1"))), [1, 4, 7]),
        (Filter(.equals, .system(.recordName), .untypedReference(Reference(recordName: "i4"))), [4]),
        // A field that is null matches neither equality nor a range.
        (Filter(.greaterThanOrEquals, .user("half"), .typed(.double(0))), [0, 2, 4, 6, 8]),
    ]

    @Test(
        "Each comparator",
        .behaviour(
            "query.equals", "query.compare", "query.in", "query.begins-with", "query.list-contains",
            "query.list-contains-any", "query.list-contains-all", "query.list-member-begins-with", "query.null",
            "query.system-fields"), arguments: Wire.allCases)
    func comparators(_ wire: Wire) async throws {
        let caller = try await filled(wire)
        for (filter, expected) in Self.cases {
            let found = try await run(caller, [filter], sort: [.init(.user("n"))]).names
            #expect(found == expected.map { "i\($0)" }, "\(filter)")
        }
    }

    @Test(
        "All filters must hold; without a sort the order is that of creation",
        .behaviour("query.all-filters", "query.default-order", "query.consistent"), arguments: Wire.allCases)
    func allFilters(_ wire: Wire) async throws {
        let caller = try await filled(wire)
        let filters = [
            Filter(.listContains, .user("tags"), .typed(.string("even"))),
            Filter(.greaterThan, .user("n"), .typed(.int64(3))),
            Filter(.notEquals, .user("word"), .typed(.string("w6"))),
        ]
        #expect(try await run(caller, filters).names == ["i4", "i8"])
        try await caller.save(.create, item("later", ["n": .int64(-1)]))
        #expect(try await run(caller).names == (0..<10).map { "i\($0)" } + ["later"])
    }

    @Test(
        "Sorting by one and by several fields; records without the field come last",
        .behaviour("query.sort", "query.sort-null"), arguments: Wire.allCases)
    func sorting(_ wire: Wire) async throws {
        let caller = try await filled(wire)
        let down = try await run(caller, sort: [.init(.user("n"), ascending: false)]).names
        #expect(down == (0..<10).map { "i\(9 - $0)" })
        let two = try await run(caller, sort: [.init(.user("to")), .init(.user("n"), ascending: false)]).names
        #expect(two == ["i9", "i6", "i3", "i0", "i7", "i4", "i1", "i8", "i5", "i2"])
        for ascending in [true, false] {
            let names = try await run(caller, sort: [.init(.user("half"), ascending: ascending)]).names
            #expect(Set(names.suffix(5)) == ["i1", "i3", "i5", "i7", "i9"])
        }
    }

    @Test(
        "The marker goes on, also while records change; with another query it is refused",
        .behaviour("query.limit", "query.continuation", "query.other-marker"), arguments: Wire.allCases)
    func paging(_ wire: Wire) async throws {
        let caller = try await filled(wire)
        var names: [String] = []
        var marker: String?
        repeat {
            let page = try await run(caller, sort: [.init(.user("n"))]) {
                $0.resultsLimit = 3
                $0.continuationMarker = marker
            }
            #expect(page.names.count <= 3)
            names += page.names
            marker = page.response.continuationMarker
            if names.count == 3 { try await caller.save(.forceDelete, item("i0")) }
        } while marker != nil && names.count < 100
        #expect(names == (0..<10).map { "i\($0)" })
        let first = try await run(caller) { $0.resultsLimit = 2 }.response.continuationMarker
        var other = RecordsQuery.Request(query: .init(recordType: "Item", sortBy: [.init(.user("word"))]))
        other.continuationMarker = first
        #expect(try await caller.refusal(.recordsQuery(other))?.code == .badRequest)
    }

    @Test("desiredKeys and zoneWide", .behaviour("query.desired-keys", "query.zone-wide"), arguments: Wire.allCases)
    func zoneWide(_ wire: Wire) async throws {
        let caller = try await filled(wire)
        try await caller.makeZone()
        try await caller.save(.create, item("far", ["n": .int64(3)], zone: Caller.zone))
        let filter = Filter(.equals, .user("n"), .typed(.int64(3)))
        #expect(try await run(caller, [filter]).names == ["i3"])
        let wide = try await run(caller, [filter]) {
            $0.zoneWide = true
            $0.desiredKeys = ["n"]
        }
        #expect(Set(wide.names) == ["i3", "far"])
        #expect(try wide.response.records.allSatisfy { try $0.get().fields.count == 1 })
    }

    @Test(
        "An unknown type or field is BAD_REQUEST, as are places and words in this release",
        .behaviour("query.unknown-type", "query.unknown-field", "query.near", "query.tokens"), arguments: Wire.allCases)
    func refusals(_ wire: Wire) async throws {
        let caller = try await filled(wire)
        let unknown = try await caller.refusal(.recordsQuery(.init(query: .init(recordType: "Nothing"))))
        #expect(unknown?.reason == "Did not find record type: Nothing")
        let place = FieldValue.location(Location(latitude: 1, longitude: 1))
        for filter in [
            Filter(.equals, .user("nothing"), .typed(.int64(1))), Filter(.near, .user("n"), .typed(place), distance: 5),
            Filter(.containsAllTokens, .user("word"), .typed(.string("w1"))),
        ] {
            let request = RecordsQuery.Request(query: .init(recordType: "Item", filterBy: [filter]))
            #expect(try await caller.refusal(.recordsQuery(request))?.code == .badRequest, "\(filter)")
        }
    }
}
