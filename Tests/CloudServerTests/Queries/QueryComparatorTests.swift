import CloudStore
import Testing
import WebServices

@testable import CloudServer

@Suite("Comparators of queries")
struct QueryComparatorTests {
    let device: TestDevice

    init() throws {
        device = try TestCloud().device()
        let notes: [(String, [(name: String, value: FieldValue?)])] = [
            (
                "a",
                [
                    ("text", .string("apple")), ("count", .int64(-3)), ("ratio", .double(0.5)),
                    ("at", .timestamp(1000)),
                    ("tags", .list([.string("red"), .string("round")], of: .string)),
                    ("numbers", .list([.int64(1), .int64(2)], of: .int64)), ("data", .bytes([1, 2])),
                    ("to", .reference(Reference(recordName: "t1", action: Reference.Action.none))),
                ]
            ),
            (
                "b",
                [
                    ("text", .string("Apple")), ("count", .int64(0)), ("ratio", .double(-0.0)),
                    ("at", .timestamp(2000)),
                    ("tags", .list([.string("green")], of: .string)),
                    ("numbers", .list([.int64(2), .int64(3), .int64(2)], of: .int64)), ("data", .bytes([])),
                    ("to", .reference(Reference(recordName: "t2", action: Reference.Action.none))),
                ]
            ),
            (
                "c",
                [
                    ("text", .string("apply")), ("count", .int64(7)), ("ratio", .double(1e300)),
                    ("at", .timestamp(3000)), ("tags", .list([], of: .string)),
                ]
            ),
            ("d", [("other", .int64(1))]),
        ]
        for (name, fields) in notes { try device.save(.create, .note(name, fields)) }
    }

    static let cases: [(String, RecordsQuery.Comparator, FieldValue, String)] = [
        ("text", .equals, .string("apple"), "a"), ("text", .equals, .string("APPLE"), ""),
        // What has no value equals nothing, so it is among what does not equal.
        ("text", .notEquals, .string("apple"), "bcd"),
        ("text", .in, .list([.string("apple"), .string("apply"), .string("apple")], of: .string), "ac"),
        ("text", .in, .list([], of: .string), ""), ("text", .notIn, .list([.string("apple")], of: .string), "bcd"),
        ("text", .beginsWith, .string("appl"), "ac"), ("text", .beginsWith, .string(""), "abc"),
        ("text", .notBeginsWith, .string("appl"), "bd"),
        ("text", .lessThan, .string("apple"), "b"), ("text", .lessThanOrEquals, .string("apple"), "ab"),
        ("text", .greaterThan, .string("apple"), "c"), ("text", .greaterThanOrEquals, .string("apple"), "ac"),
        ("count", .lessThan, .int64(0), "a"), ("count", .greaterThanOrEquals, .int64(0), "bc"),
        ("count", .equals, .int64(0), "b"), ("count", .greaterThan, .int64(.max), ""),
        ("ratio", .equals, .double(0), "b"), ("ratio", .greaterThan, .double(0), "ac"),
        ("ratio", .greaterThan, .int64(0), "ac"),
        ("at", .lessThanOrEquals, .timestamp(2000), "ab"), ("data", .equals, .bytes([1, 2]), "a"),
        ("data", .equals, .bytes([]), "b"),
        ("to", .equals, .reference(Reference(recordName: "t1")), "a"),
        ("to", .notEquals, .reference(Reference(recordName: "t1")), "bcd"),
        (
            "to", .in,
            .list([.reference(Reference(recordName: "t1")), .reference(Reference(recordName: "t2"))], of: .reference),
            "ab"
        ),
        ("to", .equals, .reference(Reference(recordName: "t1", zoneID: ZoneID(zoneName: "_defaultZone"))), "a"),
        ("tags", .listContains, .string("red"), "a"), ("tags", .notListContains, .string("red"), "bcd"),
        ("tags", .listContainsAny, .list([.string("red"), .string("green"), .string("round")], of: .string), "ab"),
        ("tags", .listContainsAny, .list([], of: .string), ""),
        ("tags", .notListContainsAny, .list([.string("red")], of: .string), "bcd"),
        ("tags", .listContainsAll, .list([.string("red"), .string("round")], of: .string), "a"),
        ("tags", .listContainsAll, .list([.string("red"), .string("green")], of: .string), ""),
        ("tags", .notListContainsAll, .list([.string("red"), .string("green")], of: .string), "abcd"),
        ("tags", .listMemberBeginsWith, .string("r"), "a"), ("tags", .notListMemberBeginsWith, .string("r"), "bcd"),
        ("numbers", .listContains, .int64(2), "ab"), ("numbers", .listContains, .int64(3), "b"),
    ]

    @Test("A comparator finds what it says", arguments: cases)
    func comparators(field: String, comparator: RecordsQuery.Comparator, value: FieldValue, expected: String) throws {
        #expect(try device.query([.init(field, comparator, value)]).joined() == expected)
        // The same, read in the order of an index rather than gathered.
        let sorted = try device.query([.init(field, comparator, value)], sort: [.init(.system(.modifiedTimestamp))])
        #expect(sorted.joined() == expected)
    }

    @Test("All filters must hold")
    func conjunction() throws {
        #expect(
            try device.query([.init("text", .beginsWith, .string("appl")), .init("count", .greaterThan, .int64(0))])
                == ["c"])
        #expect(
            try device.query([.init("count", .greaterThan, .int64(-3)), .init("count", .lessThan, .int64(7))]) == ["b"])
        #expect(
            try device.query([.init("count", .greaterThan, .int64(5)), .init("count", .lessThan, .int64(5))]) == [])
    }

    @Test("System fields can be asked for by either spelling and with plain strings")
    func systemFields() throws {
        let me = try device.user().userRecordName
        func names(
            _ comparator: RecordsQuery.Comparator, _ field: RecordsQuery.SystemField, _ value: RecordsQuery.Operand
        ) throws -> String {
            try device.query([.init(comparator, .system(field), value)]).joined()
        }
        #expect(try names(.equals, .recordName, .untypedReference(Reference(recordName: "b"))) == "b")
        #expect(try names(.equals, .recordName, .untypedString("b")) == "b")
        #expect(
            try names(.in, .recordName, .typed(.list([.string("c"), .string("a"), .string("zz")], of: .string))) == "ac"
        )
        #expect(try names(.beginsWith, .recordName, .typed(.string("b"))) == "b")
        #expect(try names(.equals, .createdUserRecordName, .typed(.reference(Reference(recordName: me)))) == "abcd")
        #expect(try names(.equals, .createdUserRecordName, .untypedString("__defaultOwner__")) == "abcd")
        #expect(try names(.notEquals, .modifiedUserRecordName, .untypedString(me)) == "")
        #expect(try names(.greaterThan, .createdTimestamp, .typed(.timestamp(0))) == "abcd")
        #expect(try names(.lessThan, .modifiedTimestamp, .untypedInteger(1)) == "")
        #expect(try names(.equals, .share, .untypedString("s")) == "")
    }

    @Test(
        "Values without a type take the field's",
        arguments: [
            ("count", RecordsQuery.Operand.untypedInteger(7), "c"), ("count", .untypedNumber(7), "c"),
            ("count", .untypedString("7"), "c"), ("at", .untypedInteger(2000), "b"), ("ratio", .untypedInteger(0), "b"),
            ("text", .untypedString("apple"), "a"), ("data", .untypedString("AQI="), "a"),
        ])
    func untyped(field: String, operand: RecordsQuery.Operand, expected: String) throws {
        #expect(try device.query([.init(.equals, .user(field), operand)]).joined() == expected)
    }

    @Test("Long strings are told apart beyond what the index holds")
    func longStrings() throws {
        let long = String(repeating: "x", count: 2000)
        try device.save(.create, .note("l1", [("text", .string(long + "1"))]))
        try device.save(.create, .note("l2", [("text", .string(long + "2"))]))
        #expect(try device.query([.init("text", .equals, .string(long + "2"))]) == ["l2"])
        #expect(try device.query([.init("text", .beginsWith, .string(long))]) == ["l1", "l2"])
        #expect(try device.query([.init("text", .greaterThan, .string(long + "1"))]) == ["l2"])
        #expect(
            try device.query([.init("text", .lessThan, .string(long + "2")), .init("text", .beginsWith, .string("x"))])
                == ["l1"])
    }
}

@Suite("What queries refuse")
struct QueryRefusalTests {
    let device: TestDevice

    init() throws {
        device = try TestCloud().device()
        try device.save(
            .create,
            .note(
                "a",
                [
                    ("text", .string("x")), ("place", .location(Location(latitude: 1, longitude: 2))),
                    ("data", .bytes([1])),
                    ("tags", .list([.string("x")], of: .string)),
                ]))
    }

    private func error(
        _ filters: [RecordsQuery.Filter] = [], _ sorts: [RecordsQuery.Sort] = [], type: String = "Note",
        marker: String? = nil, zone: ZoneID? = nil
    ) throws -> ServerError? {
        try device.error(
            .recordsQuery(
                .init(
                    query: .init(recordType: type, filterBy: filters, sortBy: sorts), zoneID: zone,
                    continuationMarker: marker)))
    }

    @Test("Unknown types and fields are named")
    func unknown() throws {
        #expect(try error(type: "Nope")?.reason == "Did not find record type: Nope")
        #expect(try error([.init("nope", .equals, .int64(1))])?.reason == "Unknown field 'nope'")
        #expect(try error([], [.init(.user("nope"))])?.code == .badRequest)
        #expect(try error(zone: ZoneID(zoneName: "Missing"))?.code == .zoneNotFound)
    }

    @Test(
        "A value of the wrong type is refused",
        arguments: [
            ("text", FieldValue.int64(1), "Invalid value, expected type STRING."),
            ("text", .timestamp(1), "Invalid value, expected type STRING."),
            ("text", .list([], of: .string), "Invalid value, expected type STRING."),
        ])
    func wrongType(field: String, value: FieldValue, reason: String) throws {
        #expect(try error([.init(field, .equals, value)])?.reason == reason)
        #expect(try error([.init(.equals, .user(field), .null)])?.code == .badRequest)
    }

    @Test("IN needs a typed list")
    func untaggedList() throws {
        let filter = RecordsQuery.Filter(.in, .user("text"), .untypedList([.untypedString("x")]))
        #expect(try error([filter])?.reason == "BadRequestException: Unexpected input")
    }

    @Test(
        "Comparators and fields that do not go together are refused",
        arguments: [
            ("place", RecordsQuery.Comparator.equals), ("tags", .equals), ("text", .listContains),
            ("data", .beginsWith),
            ("tags", .lessThan), ("text", .near), ("data", .containsAllTokens), ("place", .containsAnyTokens),
        ])
    func misfits(field: String, comparator: RecordsQuery.Comparator) throws {
        #expect(try error([.init(field, comparator, .string("x"))])?.code == .badRequest)
    }

    @Test("Lists, bytes and places give no order")
    func sorts() throws {
        for field in ["tags", "data", "place"] {
            #expect(try error([], [.init(.user(field))])?.reason == "Field '\(field)' is not marked sortable")
        }
        let near = RecordsQuery.Sort(.user("text"), relativeLocation: Location(latitude: 0, longitude: 0))
        #expect(try error([], [near])?.code == .badRequest)
    }

    @Test("A marker belongs to its query")
    func foreignMarkers() throws {
        for number in 0..<3 { try device.save(.create, .note("r\(number)", [("text", .string("x"))])) }
        let query = RecordsQuery.Query(recordType: "Note", filterBy: [.init("text", .equals, .string("x"))])
        let marker = try device.queryPage(query, limit: 1).continuationMarker
        #expect(marker != nil)
        #expect(try error([.init("text", .equals, .string("x"))], marker: marker) == nil)
        #expect(try error([.init("text", .equals, .string("y"))], marker: marker)?.code == .badRequest)
        #expect(try error([.init("text", .notEquals, .string("x"))], marker: marker)?.code == .badRequest)
        #expect(try error([], [.init(.user("text"))], marker: marker)?.code == .badRequest)
        for text in ["", "%", "aGVsbG8gd29ybGQ=", String(marker?.dropLast(4) ?? "")] {
            #expect(try error([.init("text", .equals, .string("x"))], marker: text)?.code == .badRequest)
        }
    }

    @Test("A field that is not marked for it can be neither filtered nor sorted by")
    func flags() throws {
        let store = try device.store
        let field = try #require(try store.read { try $0.fields() }.first { $0.name == "text" })
        var unmarked = field
        unmarked.flags = 0
        try store.writeAndWait { [unmarked] in try $0.updateField(unmarked) }
        #expect(try error([.init("text", .equals, .string("x"))])?.reason == "Field 'text' is not marked queryable")
        #expect(try error([.init("text", .lessThan, .string("x"))])?.reason == "Field 'text' is not marked sortable")
        #expect(try error([], [.init(.user("text"))])?.reason == "Field 'text' is not marked sortable")
        #expect(try error() == nil)
    }

    @Test("Every element of a long list is found, by an index and without one")
    func longLists() throws {
        let device = try TestCloud().device()
        let long = (0..<1500).map { FieldValue.string("element\($0)") }
        try device.save(.create, .note("long", [("tags", .list(long, of: .string)), ("count", .int64(1))]))
        try device.save(.create, .note("short", [("tags", .list(Array(long.prefix(2)), of: .string))]))
        let last = FieldValue.string("element1499")
        #expect(try device.query([.init("tags", .listContains, last)]) == ["long"])
        #expect(try device.query([.init("tags", .notListContains, last)]) == ["short"])
        #expect(try device.query([.init("tags", .listMemberBeginsWith, .string("element149"))]) == ["long"])
        #expect(try device.query([.init("tags", .listContainsAll, .list([last, long[0]], of: .string))]) == ["long"])
        let any = FieldValue.list([last, .string("none")], of: .string)
        #expect(try device.query([.init("tags", .listContainsAny, any)]) == ["long"])
        #expect(try device.query([.init("tags", .listContains, long[0])]) == ["long", "short"])
        // The list becomes short: nothing of the old one is left.
        try device.save(.forceReplace, .note("long", [("tags", .list([long[0]], of: .string))]))
        #expect(try device.query([.init("tags", .listContains, last)]) == [])
    }
}
