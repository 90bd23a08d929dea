import Behaviours
import Testing
import WebServices

@Suite("records/query")
struct QueryComparatorTests {
    /// Four notes: numbers, texts and lists, and one without any of them.
    private func client(_ wire: Wire) throws -> Client {
        let client = try Service(wire).signIn()
        _ = try client.modify([
            .init(
                .create,
                .note(
                    "a",
                    [
                        "n": 1, "d": -1.5, "s": "apple", "t": .timestamp(1000), "l": .strings("red", "green"),
                        "i": .list([1, 2], of: .int64), "b": .bytes([1]), "r": .reference(to: "x"),
                    ])),
            .init(
                .create,
                .note(
                    "b",
                    [
                        "n": 2, "d": 0.0, "s": "apricot", "t": .timestamp(2000), "l": .strings("green", "blue"),
                        "i": .list([2, 3], of: .int64), "b": .bytes([2]), "r": .reference(to: "y"),
                    ])),
            .init(
                .create,
                .note(
                    "c",
                    [
                        "n": -3, "d": 2.5, "s": "banana", "t": .timestamp(-5), "l": .strings("redwood"),
                        "i": .list([9], of: .int64), "b": .bytes([]), "r": .reference(to: "x"),
                    ])),
            .init(.create, .note("d")),
        ])
        return client
    }

    private func expect(
        _ client: Client, _ field: String, _ comparator: RecordsQuery.Comparator, _ value: FieldValue,
        _ names: [String],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        #expect(
            try client.find(.filter(field, comparator, value)).sorted() == names, sourceLocation: sourceLocation)
    }

    @Test("EQUALS and NOT_EQUALS", .behaviour("query.equals", "query.null"), arguments: Wire.allCases)
    func equals(_ wire: Wire) throws {
        let client = try client(wire)
        try expect(client, "n", .equals, 2, ["b"])
        try expect(client, "n", .notEquals, 2, ["a", "c", "d"])
        try expect(client, "s", .equals, "apple", ["a"])
        try expect(client, "s", .equals, "Apple", [])
        try expect(client, "d", .equals, .double(-0.0), ["b"])
        try expect(client, "t", .equals, .timestamp(2000), ["b"])
        try expect(client, "b", .equals, .bytes([2]), ["b"])
        try expect(client, "r", .equals, .reference(to: "x", nil), ["a", "c"])
        try expect(client, "r", .notEquals, .reference(to: "x", nil), ["b", "d"])
    }

    @Test("The four comparators of order", .behaviour("query.compare", "query.null"), arguments: Wire.allCases)
    func compare(_ wire: Wire) throws {
        let client = try client(wire)
        try expect(client, "n", .lessThan, 1, ["c"])
        try expect(client, "n", .lessThanOrEquals, 1, ["a", "c"])
        try expect(client, "n", .greaterThan, 1, ["b"])
        try expect(client, "n", .greaterThanOrEquals, 1, ["a", "b"])
        try expect(client, "d", .lessThan, .double(0), ["a"])
        try expect(client, "s", .greaterThanOrEquals, "apricot", ["b", "c"])
        try expect(client, "t", .greaterThan, .timestamp(0), ["a", "b"])
    }

    @Test("IN and NOT_IN take a list with its type", .behaviour("query.in"), arguments: Wire.allCases)
    func isIn(_ wire: Wire) throws {
        let client = try client(wire)
        try expect(client, "n", .in, .list([1, -3, 77], of: .int64), ["a", "c"])
        try expect(client, "n", .notIn, .list([1, -3], of: .int64), ["b", "d"])
        try expect(client, "s", .in, .strings(), [])
        let untagged = try client.send(
            "records/query",
            #"{"query":{"recordType":"Note","filterBy":[{"comparator":"IN","fieldName":"n","fieldValue":{"value":[1]}}]}}"#
        )
        #expect(untagged.status == 400)
        #expect(untagged.error?.said == .init(.badRequest, "BadRequestException: Unexpected input"))
    }

    @Test("BEGINS_WITH and NOT_BEGINS_WITH", .behaviour("query.begins-with"), arguments: Wire.allCases)
    func beginsWith(_ wire: Wire) throws {
        let client = try client(wire)
        try expect(client, "s", .beginsWith, "ap", ["a", "b"])
        try expect(client, "s", .beginsWith, "", ["a", "b", "c"])
        try expect(client, "s", .notBeginsWith, "ap", ["c", "d"])
    }

    @Test("LIST_CONTAINS and NOT_LIST_CONTAINS", .behaviour("query.list-contains"), arguments: Wire.allCases)
    func listContains(_ wire: Wire) throws {
        let client = try client(wire)
        try expect(client, "l", .listContains, "green", ["a", "b"])
        try expect(client, "l", .notListContains, "green", ["c", "d"])
        try expect(client, "i", .listContains, 9, ["c"])
    }

    @Test(
        "LIST_CONTAINS_ANY and NOT_LIST_CONTAINS_ANY", .behaviour("query.list-contains-any"),
        arguments: Wire.allCases)
    func listContainsAny(_ wire: Wire) throws {
        let client = try client(wire)
        try expect(client, "l", .listContainsAny, .strings("red", "blue"), ["a", "b"])
        try expect(client, "l", .notListContainsAny, .strings("red", "blue"), ["c", "d"])
    }

    @Test(
        "LIST_CONTAINS_ALL and NOT_LIST_CONTAINS_ALL", .behaviour("query.list-contains-all"),
        arguments: Wire.allCases)
    func listContainsAll(_ wire: Wire) throws {
        let client = try client(wire)
        try expect(client, "l", .listContainsAll, .strings("green", "red"), ["a"])
        try expect(client, "l", .notListContainsAll, .strings("green", "red"), ["b", "c", "d"])
        try expect(client, "i", .listContainsAll, .list([2], of: .int64), ["a", "b"])
    }

    @Test(
        "LIST_MEMBER_BEGINS_WITH: some member begins with it", .behaviour("query.list-member-begins-with"),
        arguments: Wire.allCases)
    func listMemberBeginsWith(_ wire: Wire) throws {
        let client = try client(wire)
        try expect(client, "l", .listMemberBeginsWith, "red", ["a", "c"])
        try expect(client, "l", .listMemberBeginsWith, "bl", ["b"])
        try expect(client, "l", .notListMemberBeginsWith, "red", ["b", "d"])
    }

    /// `a` in Paris, `b` in London, `c` in Sydney, `d` nowhere.
    private func places(_ wire: Wire) throws -> Client {
        let client = try client(wire)
        for (name, latitude, longitude) in [("a", 48.857, 2.352), ("b", 51.507, -0.128), ("c", -33.869, 151.209)] {
            try client.change(name, ["p": .location(Location(latitude: latitude, longitude: longitude))])
        }
        return client
    }

    @Test("NEAR finds what is within so many metres", .behaviour("query.near"), arguments: Wire.allCases)
    func near(_ wire: Wire) throws {
        let client = try places(wire)
        func near(_ distance: Double) throws -> [String] {
            let brussels = FieldValue.location(Location(latitude: 50.85, longitude: 4.352))
            return try client.find(.init(.near, .user("p"), .typed(brussels), distance: distance))
        }
        #expect(try near(200_000) == [])
        #expect(try near(300_000) == ["a"])
        #expect(try near(400_000) == ["a", "b"])
        #expect(try near(20_037_000) == ["a", "b", "c"])
    }

    @Test("Records are sorted by distance", .behaviour("query.sort-distance"), arguments: Wire.allCases)
    func sortByDistance(_ wire: Wire) throws {
        let client = try places(wire)
        func sorted(_ latitude: Double, _ longitude: Double, _ ascending: Bool = true) throws -> [String] {
            try client.find(
                sort: [
                    .init(
                        .user("p"), ascending: ascending,
                        relativeLocation: Location(latitude: latitude, longitude: longitude))
                ])
        }
        #expect(try sorted(52, 0) == ["b", "a", "c", "d"])
        #expect(try sorted(-34, 151) == ["c", "a", "b", "d"])
        #expect(try sorted(52, 0, false) == ["c", "a", "b", "d"])
    }

    @Test(
        "Words are found whole, whatever their case and diacritics, in one field or in all", .behaviour("query.tokens"),
        arguments: Wire.allCases)
    func tokens(_ wire: Wire) throws {
        let client = try client(wire)
        try client.change("a", ["w": "Crème brûlée for two"])
        try client.change("b", ["w": "a cream cake", "v": "for TWO"])
        func find(_ comparator: RecordsQuery.Comparator, _ words: String, in field: String? = "w") throws -> [String] {
            try client.find(.init(comparator, field.map { .user($0) }, .typed(.string(words))))
        }
        #expect(try find(.containsAllTokens, "BRULEE creme") == ["a"])
        #expect(try find(.containsAllTokens, "creme cake") == [])
        #expect(try find(.containsAnyTokens, "creme cake") == ["a", "b"])
        #expect(try find(.containsAnyTokens, "crem") == [])
        #expect(try find(.containsAllTokens, "two for", in: nil) == ["a", "b"])
        #expect(try find(.containsAllTokens, "two", in: "v") == ["b"])
    }

    @Test("All filters must hold", .behaviour("query.all-filters"), arguments: Wire.allCases)
    func allFilters(_ wire: Wire) throws {
        let client = try client(wire)
        #expect(
            try client.find(.filter("s", .beginsWith, "ap"), .filter("n", .greaterThan, 1)) == ["b"])
        #expect(
            try client.find(.filter("n", .greaterThanOrEquals, -3), .filter("n", .lessThan, 2)).sorted() == ["a", "c"])
        #expect(try client.find(.filter("n", .equals, 1), .filter("n", .equals, 2)) == [])
    }

    @Test(
        "System fields under both spellings", .behaviour("query.system-fields"), arguments: Wire.allCases)
    func systemFields(_ wire: Wire) throws {
        let client = try client(wire)
        let user = try client.user().userRecordName
        let first = try #require(try client.record("a")?.created?.timestamp)
        let filters = [
            (#""systemFieldName":"recordName""#, #"{"value":{"recordName":"b"},"type":"REFERENCE"}"#, ["b"]),
            (#""fieldName":"___recordID""#, #"{"value":{"recordName":"b"},"type":"REFERENCE"}"#, ["b"]),
            (#""fieldName":"___recordId""#, #"{"value":"b","type":"STRING"}"#, ["b"]),
            (
                #""systemFieldName":"createdUserRecordName""#,
                #"{"value":{"recordName":"\#(user)"},"type":"REFERENCE"}"#,
                ["a", "b", "c", "d"]
            ),
            (
                #""fieldName":"___modifiedBy""#, #"{"value":{"recordName":"_nobody"},"type":"REFERENCE"}"#, []
            ),
            (#""systemFieldName":"createdTimestamp""#, #"{"value":\#(first),"type":"TIMESTAMP"}"#, ["a"]),
            (#""fieldName":"___createTime""#, #"{"value":\#(first)}"#, ["a"]),
        ]
        for (name, value, expected) in filters {
            let answer = try client.send(
                "records/query",
                #"{"query":{"recordType":"Note","filterBy":[{"comparator":"EQUALS",\#(name),"fieldValue":\#(value)}]}}"#
            )
            let names = answer["records"]?.array?.compactMap { $0["recordName"]?.string }
            // All of one request have one time.
            let isTime = name.contains("Time")
            #expect(isTime ? names?.contains("a") == true : names?.sorted() == expected, "\(name)")
        }
    }
}

@Suite("records/query: order and pages")
struct QueryPageTests {
    private func sort(_ field: String, ascending: Bool = true) -> RecordsQuery.Sort {
        .init(.user(field), ascending: ascending)
    }

    @Test(
        "Sorting by one and by several fields, in both directions", .behaviour("query.sort"),
        arguments: Wire.allCases)
    func sort(_ wire: Wire) throws {
        let client = try Service(wire).signIn()
        for (name, number, text) in [("a", 2, "x"), ("b", 1, "y"), ("c", 2, "a"), ("d", 1, "b")]
            as [(String, Int64, String)]
        {
            try client.create(name, ["n": .int64(number), "s": .string(text)])
        }
        #expect(try client.find(sort: [sort("s")]) == ["c", "d", "a", "b"])
        #expect(try client.find(sort: [sort("s", ascending: false)]) == ["b", "a", "d", "c"])
        #expect(try client.find(sort: [sort("n"), sort("s")]) == ["d", "b", "c", "a"])
        #expect(try client.find(sort: [sort("n", ascending: false), sort("s")]) == ["c", "a", "d", "b"])
        #expect(
            try client.find(sort: [.init(.system(.createdTimestamp), ascending: false)]) == ["d", "c", "b", "a"])
    }

    @Test(
        "Records without the sort field come last in either direction", .behaviour("query.sort-null"),
        arguments: Wire.allCases)
    func sortNull(_ wire: Wire) throws {
        let client = try Service(wire).signIn()
        try client.create("none")
        try client.create("two", ["n": 2])
        try client.create("one", ["n": 1])
        #expect(try client.find(sort: [sort("n")]) == ["one", "two", "none"])
        #expect(try client.find(sort: [sort("n", ascending: false)]) == ["two", "one", "none"])
    }

    @Test(
        "Without a sort records come in the order of their creation", .behaviour("query.default-order"),
        arguments: Wire.allCases)
    func defaultOrder(_ wire: Wire) throws {
        let client = try Service(wire).signIn()
        for name in ["c", "a", "b"] { try client.create(name, ["n": 1]) }
        try client.change("c", ["n": 1])
        #expect(try client.find() == ["c", "a", "b"])
        #expect(try client.find(.filter("n", .equals, 1)) == ["c", "a", "b"])
    }

    @Test(
        "A page has up to 200 records, 200 when nothing is said", .behaviour("query.limit"),
        arguments: Wire.allCases)
    func limit(_ wire: Wire) throws {
        let client = try Service(wire).signIn()
        for part in 0..<2 {
            _ = try client.modify((0..<105).map { .init(.create, .note("n\(part)-\($0)")) }, desiredKeys: [])
        }
        #expect(try client.page(limit: 1).records.count == 1)
        #expect(try client.page(limit: 7).records.count == 7)
        for limit in [nil, 200, 201, 100_000, 0, -1] {
            let page = try client.page(limit: limit)
            #expect(page.records.count == 200, "\(limit.map(String.init) ?? "nil")")
            #expect(page.continuationMarker != nil)
            #expect(try client.page(limit: limit, from: page.continuationMarker).records.count == 10)
        }
    }

    @Test(
        "The marker continues, each record once, also while records change and come and go",
        .behaviour("query.continuation"), arguments: Wire.allCases)
    func continuation(_ wire: Wire) throws {
        let client = try Service(wire).signIn()
        for number in 0..<20 { try client.create("n\(number)", ["n": .int64(Int64(number))]) }
        for sort in [[], [sort("n")], [sort("n", ascending: false)]] as [[RecordsQuery.Sort]] {
            var (names, marker): ([String], String?) = ([], nil)
            var pages = 0
            repeat {
                let page = try client.page(sort: sort, limit: 3, from: marker)
                names += page.records.map(\.name)
                marker = page.continuationMarker
                pages += 1
                try client.create("later\(sort.count)\(names.count)", ["other": 1])
                try client.delete("later\(sort.count)\(names.count)")
            } while marker != nil && pages < 20
            #expect(names.count == 20)
            #expect(Set(names).count == 20)
        }
        let first = try client.page(sort: [sort("n")], limit: 5)
        try client.delete("n4")
        try client.delete("n5")
        let next = try client.page(sort: [sort("n")], limit: 3, from: first.continuationMarker)
        #expect(next.records.map(\.name) == ["n6", "n7", "n8"])
        #expect(
            try client.page(sort: [sort("n")], limit: 4, from: first.continuationMarker).records.count == 4,
            "a marker is good for any page size, and again")
    }

    @Test(
        "A marker with another query is refused, and one that is none", .behaviour("query.other-marker"),
        arguments: Wire.allCases)
    func otherMarker(_ wire: Wire) throws {
        let service = try Service(wire)
        let client = try service.signIn()
        for name in ["a", "b", "c"] { try client.create(name, ["n": 1]) }
        let marker = try #require(try client.page(limit: 1).continuationMarker)
        func refusal(_ client: Client, _ query: RecordsQuery.Query, _ marker: String) throws -> ServerError {
            try client.refusal(.recordsQuery(.init(query: query, continuationMarker: marker)))
        }
        let filtered = RecordsQuery.Query(recordType: "Note", filterBy: [.filter("n", .equals, 1)])
        #expect(try refusal(client, filtered, marker).code == .badRequest)
        let sorted = RecordsQuery.Query(recordType: "Note", sortBy: [.init(.user("n"))])
        #expect(try refusal(client, sorted, marker).code == .badRequest)
        #expect(try refusal(try service.signIn("ben"), .init(recordType: "Note"), marker).code == .badRequest)
        for text in ["x", "AAAA", String(marker.dropLast(4)), marker + marker, ""] {
            #expect(try refusal(client, .init(recordType: "Note"), text).code == .badRequest, "\(text)")
        }
    }

    @Test("desiredKeys limits the fields", .behaviour("query.desired-keys"), arguments: Wire.allCases)
    func desiredKeys(_ wire: Wire) throws {
        let client = try Service(wire).signIn()
        try client.create("a", ["title": "x", "count": 1])
        #expect(try client.page(desiredKeys: ["count"]).records[0].record?.fields.names == ["count"])
        #expect(try client.page(desiredKeys: []).records[0].record?.fields.names == [])
        #expect(try client.page().records[0].record?.fields.count == 2)
    }

    @Test("zoneWide searches all zones, a zone only itself", .behaviour("query.zone-wide"), arguments: Wire.allCases)
    func zoneWide(_ wire: Wire) throws {
        let client = try Service(wire).signIn()
        try client.zone(.create, .notes)
        try client.zone(.create, .trips)
        try client.create("a")
        try client.create("b", in: .notes)
        try client.create("c", in: .trips)
        #expect(try client.find(zoneWide: true) == ["a", "b", "c"])
        #expect(
            try client.page(zoneWide: true).records.map { $0.record?.zoneID?.zoneName } == [
                "_defaultZone", "Notes", "Trips",
            ])
        #expect(try client.find(in: .notes, zoneWide: true) == ["b"])
        #expect(try client.find(in: .notes) == ["b"])
        #expect(try client.find() == ["a"])
        let missing = try client.refusal(
            .recordsQuery(.init(query: .init(recordType: "Note"), zoneID: ZoneID(zoneName: "None"))))
        #expect(missing.said == .init(.zoneNotFound, "Zone does not exist"))
    }

    @Test("An unknown record type is refused", .behaviour("query.unknown-type"), arguments: Wire.allCases)
    func unknownType(_ wire: Wire) throws {
        let client = try Service(wire).signIn()
        let error = try client.refusal(.recordsQuery(.init(query: .init(recordType: "Nothing"))))
        #expect(error.said == .init(.badRequest, "Did not find record type: Nothing"))
    }

    @Test(
        "A filter or sort on an unknown field is refused", .behaviour("query.unknown-field"),
        arguments: Wire.allCases)
    func unknownField(_ wire: Wire) throws {
        let client = try Service(wire).signIn()
        try client.create("a", ["n": 1])
        let queries: [RecordsQuery.Query] = [
            .init(recordType: "Note", filterBy: [.filter("none", .equals, 1)]),
            .init(recordType: "Note", sortBy: [.init(.user("none"))]),
        ]
        for query in queries {
            let error = try client.refusal(.recordsQuery(.init(query: query)))
            #expect(error.said == .init(.badRequest, "Unknown field 'none'"))
        }
        for json in [#""fieldName":"___none""#, #""systemFieldName":"none""#] {
            let answer = try client.send(
                "records/query",
                #"{"query":{"recordType":"Note","filterBy":[{"comparator":"EQUALS",\#(json),"fieldValue":{"value":1}}]}}"#
            )
            #expect(answer.status == 400)
        }
    }

    @Test(
        "A comparator that does not suit the field, or a value of another type, is refused",
        .behaviour("query.wrong-value"), arguments: Wire.allCases)
    func wrongValue(_ wire: Wire) throws {
        let client = try Service(wire).signIn()
        try client.create("a", ["n": 1, "l": .strings("x"), "p": .location(Location(latitude: 1, longitude: 1))])
        let refused: [RecordsQuery.Filter] = [
            .filter("n", .equals, "x"), .filter("n", .beginsWith, "x"), .filter("l", .equals, "x"),
            .filter("n", .listContains, 1), .filter("p", .equals, .location(Location(latitude: 1, longitude: 1))),
            .filter("n", .lessThan, .timestamp(1)),
        ]
        for filter in refused {
            let error = try client.refusal(
                .recordsQuery(.init(query: .init(recordType: "Note", filterBy: [filter]))))
            #expect(error.code == .badRequest, "\(filter)")
        }
    }

    @Test("A query sees the newest save", .behaviour("query.consistent"), arguments: Wire.allCases)
    func consistent(_ wire: Wire) throws {
        let client = try Service(wire).signIn()
        for number in 0..<20 {
            try client.change("a", ["n": .int64(Int64(number))])
            #expect(try client.find(.filter("n", .equals, .int64(Int64(number)))) == ["a"])
            #expect(try client.find(.filter("n", .equals, .int64(Int64(number) - 1))) == [])
        }
        try client.delete("a")
        #expect(try client.find() == [])
    }
}
