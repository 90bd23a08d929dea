import CloudServer
import Testing
import WebServices

@Suite("Fields") struct FieldTests {
    static let scalars: [FieldValue] = [
        .string("Grüße 🌦 \u{0}\u{1F}\"\\/\u{2028}"), .int64(.min), .int64((1 << 53) + 1), .double(0.1),
        .double(1e300), .timestamp(1_700_000_000_123), .bytes([0, 127, 255]),
        .location(
            Location(
                latitude: -33.5, longitude: 151.25, horizontalAccuracy: 5, verticalAccuracy: 6, altitude: 7, speed: 8,
                course: 9, timestamp: 1_700_000_000_000)),
        .reference(Reference(recordName: "elsewhere", action: Reference.Action.none)),
    ]

    @Test(
        "Values and lists of each type keep their value",
        .behaviour(
            "field.string", "field.int64", "field.double", "field.timestamp", "field.bytes", "field.location",
            "field.reference", "field.lists", "field.text", "field.big-integers"), arguments: Wire.allCases)
    func values(_ wire: Wire) async throws {
        let caller = try await World(wire).caller()
        for (number, value) in Self.scalars.enumerated() {
            let list = FieldValue.list([value, value], of: value.type)
            let saved = try await caller.save(.create, item("n\(number)", ["v\(number)": value, "l\(number)": list]))
            let found = try await caller.lookup(["n\(number)"])[0].get()
            for record in [saved, found] {
                #expect(record.fields["v\(number)"] == value)
                #expect(record.fields["l\(number)"] == list)
            }
        }
    }

    @Test(
        "An empty list comes back with its type, and cannot make a field",
        .behaviour("field.empty-list", "field.empty-list-cannot-create"), arguments: Wire.allCases)
    func emptyList(_ wire: Wire) async throws {
        let caller = try await World(wire).caller()
        try await caller.save(.create, item("a", ["list": .list([.string("x")], of: .string)]))
        let empty = Record(recordName: "b", recordType: "Item", fields: .untyped("list", "[]"))
        #expect(try await caller.save(.create, empty).fields["list"] == .list([], of: .string))
        let unknown = Record(recordName: "c", recordType: "Item", fields: .untyped("other", "[]"))
        #expect(try await caller.modify([.init(.create, unknown)])[0].failure?.code == .badRequest)
    }

    @Test("A null clears the field", .behaviour("field.null"), arguments: Wire.allCases)
    func null(_ wire: Wire) async throws {
        let caller = try await World(wire).caller()
        try await caller.save(.create, item("a", ["one": .int64(1), "two": .int64(2)]))
        let cleared = try await caller.save(.forceUpdate, item("a", ["one": nil]))
        #expect(cleared.fields["one"] == nil)
        #expect(cleared.fields["two"] == .int64(2))
    }

    @Test(
        "A value of another type than the schema's is refused, that record alone",
        .behaviour("field.other-type", "field.wrong-kind"), arguments: Wire.allCases)
    func otherType(_ wire: Wire) async throws {
        let caller = try await World(wire).caller()
        try await caller.save(.create, item("a", ["when": .timestamp(1)]))
        let results = try await caller.modify([
            .init(.create, item("b", ["when": .string("noon")])), .init(.create, item("c")),
            .init(.create, Record(recordName: "d", recordType: "Item", fields: .untyped("when", "\"noon\""))),
        ])
        #expect(results[0].failure?.code == .badRequest)
        #expect(results[1].failure == nil)
        #expect(results[2].failure?.reason == "Invalid value, expected type TIMESTAMP.")
    }

    @Test(
        "A value without a type takes the schema's; types and fields come into being with the first save",
        .behaviour("field.untyped", "field.just-in-time", "field.boolean"), arguments: Wire.allCases)
    func untyped(_ wire: Wire) async throws {
        let caller = try await World(wire).caller()
        try await caller.save(.create, item("a", ["when": .timestamp(1), "half": .double(0.5)]))
        for (name, json, value) in [
            ("when", "5", FieldValue.timestamp(5)), ("half", "2", .double(2)), ("new", "\"text\"", .string("text")),
            ("flag", "true", .int64(1)),
        ] {
            let record = Record(recordName: name, recordType: "Item", fields: .untyped(name, json))
            #expect(try await caller.save(.create, record).fields[name] == value)
        }
    }
}

@Suite("References") struct ReferenceTests {
    private func pointing(_ action: Reference.Action, _ target: String = "target") -> KeyValuePairs<String, FieldValue?>
    {
        ["ref": .reference(Reference(recordName: target, action: action))]
    }

    @Test(
        "NONE leaves the source alone, DELETE_SELF takes it along",
        .behaviour("reference.none", "reference.delete-self"), arguments: Wire.allCases)
    func deletion(_ wire: Wire) async throws {
        let caller = try await World(wire).caller()
        try await caller.save(.create, item("target"))
        try await caller.save(.create, item("free", pointing(.none)))
        try await caller.save(.create, item("owned", pointing(.deleteSelf)))
        try await caller.save(.create, item("deep", pointing(.deleteSelf, "owned")))
        try await caller.save(.forceDelete, item("target"))
        let results = try await caller.lookup(["free", "owned", "deep"])
        #expect(results.map { $0.failure?.code } == [nil, .notFound, .notFound])
    }

    @Test(
        "VALIDATE needs its target and keeps it", .behaviour("reference.validate-save", "reference.validate-delete"),
        arguments: Wire.allCases)
    func validate(_ wire: Wire) async throws {
        let caller = try await World(wire).caller()
        let early = try await caller.modify([.init(.create, item("source", pointing(.validate)))])[0]
        #expect(early.failure?.code == .validatingReferenceError)
        try await caller.save(.create, item("target"))
        try await caller.save(.create, item("source", pointing(.validate)))
        let refused = try await caller.modify([.init(.forceDelete, item("target"))])[0]
        #expect(refused.failure?.code == .validatingReferenceError)
        try await caller.save(.forceDelete, item("source"))
        try await caller.save(.forceDelete, item("target"))
    }

    @Test(
        "At most 750 records hang on one through DELETE_SELF", .behaviour("reference.delete-self-limit"),
        arguments: [Wire.inProcess])
    func limit(_ wire: Wire) async throws {
        let caller = try await World(wire).caller()
        try await caller.save(.create, item("target"))
        for start in stride(from: 0, to: 750, by: 150) {
            let operations = (start..<start + 150).map {
                RecordsModify.Operation(.create, item("n\($0)", pointing(.deleteSelf)))
            }
            #expect(try await caller.modify(operations).allSatisfy { $0.failure == nil })
        }
        #expect(try await caller.modify([.init(.create, item("last", pointing(.deleteSelf)))])[0].failure != nil)
    }
}

@Suite("records/lookup") struct LookupTests {
    @Test(
        "Records come in the order asked for, a missing one as an item",
        .behaviour("lookup.found", "lookup.missing", "lookup.consistent"), arguments: Wire.allCases)
    func order(_ wire: Wire) async throws {
        let caller = try await World(wire).caller()
        for name in ["a", "b", "c"] { try await caller.save(.create, item(name)) }
        let results = try await caller.lookup(["c", "none", "a"])
        #expect(results.map(\.failure?.code) == [nil, .notFound, nil])
        #expect(results[1].failure?.reason == "Record not found")
        #expect(try results[0].get().recordName == "c")
        #expect(try results[2].get().recordName == "a")
    }

    @Test(
        "desiredKeys limits the fields; empty gives none; more than 200 names are refused",
        .behaviour("lookup.desired-keys", "lookup.limit"), arguments: Wire.allCases)
    func desiredKeys(_ wire: Wire) async throws {
        let caller = try await World(wire).caller()
        try await caller.save(.create, item("a", ["one": .int64(1), "two": .int64(2)]))
        for (keys, count) in [(nil, 2), (["one"], 1), ([], 0)] as [([String]?, Int)] {
            #expect(try await caller.lookup(["a"], desiredKeys: keys)[0].get().fields.count == count)
        }
        let many = RecordsLookup.Request(records: (0..<201).map { .init(recordName: "n\($0)") })
        #expect(try await caller.refusal(.recordsLookup(many))?.code == .badRequest)
    }
}
