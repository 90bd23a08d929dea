import Behaviours
import Testing
import WebServices

@Suite("Fields")
struct FieldTests {
    /// Saves a value, and gives it back as a look-up, a query and the change feed have it.
    private func roundTrip(_ value: FieldValue, _ wire: Wire) throws -> [FieldValue?] {
        let client = try Service(wire).signIn()
        try client.zone(.create)
        let saved = try client.create("a", ["x": value], in: .notes)
        return [
            saved.fields["x"], try client.record("a", in: .notes)?.fields["x"],
            try client.page(in: .notes).records.first?.record?.fields["x"],
            try client.changes().records.first?.fields["x"],
        ]
    }

    private func check(_ wire: Wire, _ values: FieldValue...) throws {
        for value in values {
            for found in try roundTrip(value, wire) { #expect(found == value) }
        }
    }

    @Test("STRING keeps its value", .behaviour("field.string"), arguments: Wire.allCases)
    func string(_ wire: Wire) throws {
        try check(wire, "", "Hello", "  ", .string(String(repeating: "long ", count: 5000)))
    }

    @Test("INT64 keeps its value", .behaviour("field.int64"), arguments: Wire.allCases)
    func int64(_ wire: Wire) throws {
        try check(wire, 0, -1, .int64(.max), .int64(.min))
    }

    @Test("DOUBLE keeps its value", .behaviour("field.double"), arguments: Wire.allCases)
    func double(_ wire: Wire) throws {
        try check(
            wire, 0.1, .double(3), .double(.greatestFiniteMagnitude), .double(.leastNonzeroMagnitude), -1e-300,
            .double(1e21))
    }

    @Test("TIMESTAMP keeps its value", .behaviour("field.timestamp"), arguments: Wire.allCases)
    func timestamp(_ wire: Wire) throws {
        try check(wire, .timestamp(1_767_225_600_123), .timestamp(-1), .timestamp(0))
    }

    @Test("BYTES keeps its value", .behaviour("field.bytes"), arguments: Wire.allCases)
    func bytes(_ wire: Wire) throws {
        try check(wire, .bytes([]), .bytes([0, 255, 1]), .bytes((0..<1000).map { UInt8($0 & 255) }))
    }

    @Test("LOCATION keeps its value", .behaviour("field.location"), arguments: Wire.allCases)
    func location(_ wire: Wire) throws {
        try check(
            wire, .location(Location(latitude: 50.9413, longitude: 6.9583)),
            .location(
                Location(
                    latitude: -90, longitude: 180, horizontalAccuracy: 5, verticalAccuracy: 2.5, altitude: -12.5,
                    speed: 3, course: 359, timestamp: 1_767_225_600_000)))
    }

    @Test("REFERENCE keeps its value", .behaviour("field.reference"), arguments: Wire.allCases)
    func reference(_ wire: Wire) throws {
        try check(
            wire, .reference(to: "b"), .reference(to: "b", in: ZoneID(zoneName: "Other")),
            .reference(to: "b", .deleteSelf))
    }

    @Test(
        "ASSETID keeps its checksum and size, whatever address a client puts into it", .behaviour("field.assetid"),
        arguments: Wire.allCases)
    func asset(_ wire: Wire) throws {
        let client = try Service(wire).signIn()
        try client.zone(.create)
        var asset = try client.upload(Array("seventeen letters".utf8), for: "x", in: .notes)
        asset.downloadURL = "https://evil.example/${f}"
        let saved = try client.create("a", ["x": .asset(asset)], in: .notes)
        for found in [
            saved.fields["x"], try client.record("a", in: .notes)?.fields["x"],
            try client.page(in: .notes).records.first?.record?.fields["x"],
            try client.changes().records.first?.fields["x"],
        ] {
            guard case .asset(let found)? = found else { throw UnexpectedAnswer() }
            #expect(found.fileChecksum == asset.fileChecksum)
            #expect(found.size == 17)
            #expect(found.downloadURL?.contains("evil") == false)
        }
        let bad = try client.send(
            "records/modify",
            #"{"operations":[{"operationType":"create","record":{"recordName":"a","recordType":"Note","fields":{"x":{"value":{"size":1},"type":"ASSETID"}}}}]}"#
        )
        #expect(bad["records"]?[0]?["reason"]?.string == "could not decode asset object")
    }

    @Test(
        "Lists of every type keep their values and come back with their granular type", .behaviour("field.lists"),
        arguments: Wire.allCases)
    func lists(_ wire: Wire) throws {
        try check(
            wire, .strings("a", "", "a"), .list([1, -2], of: .int64), .list([1.5, .double(2)], of: .double),
            .list([.timestamp(5)], of: .timestamp), .list([.bytes([1]), .bytes([])], of: .bytes),
            .list([.location(Location(latitude: 1, longitude: 2))], of: .location),
            .list([.reference(to: "b"), .reference(to: "c")], of: .reference))
        let client = try Service(wire).signIn()
        try client.create("a", ["x": .list([1], of: .int64)])
        let answer = try client.send("records/lookup", #"{"records":[{"recordName":"a"}]}"#)
        #expect(answer["records"]?[0]?["fields"]?["x"]?["type"]?.string == "INT64_LIST")
    }

    @Test("An empty list comes back with its type", .behaviour("field.empty-list"), arguments: Wire.allCases)
    func emptyList(_ wire: Wire) throws {
        let client = try Service(wire).signIn()
        try client.create("a", ["x": .strings("one")])
        try client.change("a", ["x": .strings()])
        let answer = try client.send("records/lookup", #"{"records":[{"recordName":"a"}]}"#)
        let field = try #require(answer["records"]?[0]?["fields"]?["x"])
        #expect(field["type"]?.string == "STRING_LIST")
        #expect(field["value"]?.array?.isEmpty == true)
    }

    @Test(
        "A null clears the field, in three spellings, and is left out of answers", .behaviour("field.null"),
        arguments: Wire.allCases, ["null", "{}", #"{"value":null}"#, #"{"value":null,"type":"STRING"}"#])
    func null(_ wire: Wire, _ spelling: String) throws {
        let client = try Service(wire).signIn()
        try client.create("a", ["x": "there", "y": "stays"])
        let answer = try client.send(
            "records/modify",
            #"{"operations":[{"operationType":"forceUpdate","record":{"recordName":"a","fields":{"x":\#(spelling)}}}]}"#
        )
        #expect(answer["records"]?[0]?["fields"]?["x"] == nil)
        #expect(try client.record("a")?.fields.names == ["y"])
    }

    @Test(
        "A value that is not of its type is the error of that record", .behaviour("field.wrong-kind"),
        arguments: Wire.allCases)
    func wrongKind(_ wire: Wire) throws {
        let client = try Service(wire).signIn()
        let wrong = [
            (#""text""#, "TIMESTAMP"), ("1.5", "TIMESTAMP"), ("1.5", "INT64"), (#""x""#, "DOUBLE"), ("1", "STRING"),
            (#""*""#, "BYTES"), ("{}", "REFERENCE"), (#"{"latitude":91,"longitude":0}"#, "LOCATION"),
            ("[1]", "STRING_LIST"), ("1", "INT64_LIST"), ("[null]", "INT64_LIST"), ("true", "STRING"),
            ("9223372036854775808", "INT64"),
        ]
        for (value, type) in wrong {
            let answer = try client.send(
                "records/modify",
                #"{"operations":[{"operationType":"create","record":{"recordName":"bad","recordType":"Note","fields":{"x\#(type)":{"value":\#(value),"type":"\#(type)"}}}},{"operationType":"forceUpdate","record":{"recordName":"good","recordType":"Note"}}]}"#
            )
            #expect(answer.status == 200)
            #expect(answer["records"]?[0]?["serverErrorCode"]?.string == "BAD_REQUEST", "\(value) as \(type)")
            #expect(answer["records"]?[0]?["reason"]?.string == "Invalid value, expected type \(type).")
            #expect(answer["records"]?[1]?["recordName"]?.string == "good")
            #expect(answer["records"]?[1]?["serverErrorCode"] == nil)
        }
    }

    @Test(
        "A value of another type than the schema's is refused with both types", .behaviour("field.other-type"),
        arguments: Wire.allCases)
    func otherType(_ wire: Wire) throws {
        let client = try Service(wire).signIn()
        try client.create("a", ["x": "text", "d": 1.5])
        #expect(
            try client.failure(.forceUpdate, .note("a", ["x": 1])).said
                == .init(
                    .badRequest,
                    "invalid attempt to set value type INT64 for field 'x' for type 'Note', defined to be: STRING"))
        #expect(
            try client.change("a", ["d": 2]).fields["d"] == .double(2), "a whole number is taken for a DOUBLE")
    }

    @Test(
        "A value without a type takes the schema's", .behaviour("field.untyped"), arguments: Wire.allCases)
    func untyped(_ wire: Wire) throws {
        let client = try Service(wire).signIn()
        try client.create("a", ["t": .timestamp(1), "b": .bytes([1]), "d": 1.5, "s": "x", "l": .strings("x")])
        let answer = try client.send(
            "records/modify",
            #"{"operations":[{"operationType":"forceUpdate","record":{"recordName":"a","fields":{"t":{"value":2},"b":{"value":"Ag=="},"d":{"value":3},"s":{"value":"y"},"l":{"value":["y","z"]}}}}]}"#
        )
        #expect(answer.status == 200)
        let fields = try #require(try client.record("a")?.fields)
        #expect(fields["t"] == .timestamp(2))
        #expect(fields["b"] == .bytes([2]))
        #expect(fields["d"] == .double(3))
        #expect(fields["s"] == "y")
        #expect(fields["l"] == .strings("y", "z"))
    }

    @Test(
        "In development, types and fields come into being with the first save, and fields with their first value's type",
        .behaviour("field.just-in-time"), arguments: Wire.allCases)
    func justInTime(_ wire: Wire) throws {
        let client = try Service(wire).signIn()
        let answer = try client.send(
            "records/modify",
            #"{"operations":[{"operationType":"create","record":{"recordName":"a","recordType":"Fresh","fields":{"s":{"value":"x"},"i":{"value":1},"d":{"value":1.5},"l":{"value":["x"]},"r":{"value":{"recordName":"b"}},"p":{"value":{"latitude":1,"longitude":2}},"n":{"value":[1,2.5]}}}}]}"#
        )
        let fields = try #require(answer["records"]?[0]?["fields"])
        let types = ["s", "i", "d", "l", "r", "p", "n"].map { fields[$0]?["type"]?.string }
        #expect(
            types == ["STRING", "INT64", "DOUBLE", "STRING_LIST", "REFERENCE", "LOCATION", "DOUBLE_LIST"])
    }

    @Test(
        "An empty list cannot make a field", .behaviour("field.empty-list-cannot-create"),
        arguments: Wire.allCases)
    func emptyListCannotCreate(_ wire: Wire) throws {
        let client = try Service(wire).signIn()
        let error = try client.failure(.create, .note("a", ["x": .strings()]))
        #expect(
            error.said
                == .init(
                    .badRequest,
                    "cannot use an empty list to initialize a new field (field 'x' in record type 'Note' should be more precise)"
                ))
    }

    @Test(
        "Production refuses unknown types and fields", .behaviour("field.production"), arguments: Wire.allCases)
    func production(_ wire: Wire) throws {
        let service = try Service(wire)
        let development = try service.signIn()
        // Registers the container; nothing deploys its schema.
        try development.create("a", ["title": "x"])
        let production = development.with { $0.environment = .production }
        let error = try production.failure(.create, .note("a", ["title": "x"]))
        #expect(error.said == .init(.badRequest, "Cannot create new type Note in production schema"))
        #expect(try production.record("a") == nil, "environments are worlds of their own")
    }

    @Test("true is stored as 1", .behaviour("field.boolean"), arguments: Wire.allCases)
    func boolean(_ wire: Wire) throws {
        let client = try Service(wire).signIn()
        _ = try client.send(
            "records/modify",
            #"{"operations":[{"operationType":"create","record":{"recordName":"a","recordType":"Note","fields":{"x":{"value":true},"y":{"value":false,"type":"INT64"}}}}]}"#
        )
        #expect(try client.record("a")?.fields["x"] == 1)
        #expect(try client.record("a")?.fields["y"] == 0)
    }

    @Test(
        "Integers beyond 2^53 survive, also as strings", .behaviour("field.big-integers"),
        arguments: Wire.allCases)
    func bigIntegers(_ wire: Wire) throws {
        let client = try Service(wire).signIn()
        let answer = try client.send(
            "records/modify",
            #"{"operations":[{"operationType":"create","record":{"recordName":"a","recordType":"Note","fields":{"x":{"value":9007199254740993},"y":{"value":"9007199254740993","type":"INT64"},"t":{"value":"1767225600123","type":"TIMESTAMP"},"d":{"value":"1.5","type":"DOUBLE"}}}}]}"#
        )
        #expect(answer.status == 200)
        let fields = try #require(try client.record("a")?.fields)
        #expect(fields["x"] == 9_007_199_254_740_993)
        #expect(fields["y"] == 9_007_199_254_740_993)
        #expect(fields["t"] == .timestamp(1_767_225_600_123))
        #expect(fields["d"] == 1.5)
    }

    @Test("Any Unicode text survives, U+0000 included", .behaviour("field.text"), arguments: Wire.allCases)
    func text(_ wire: Wire) throws {
        try check(
            wire, "\u{0}", "a\u{0}b", "\u{1F}\u{7F}\"\\/\u{8}\u{c}\n\r\t", "e\u{301} é", "🧑‍🚀", "\u{2028}\u{2029}",
            "\u{FFFF}\u{10FFFF}", "]]>&lt;{}[],:")
    }

    @Test(
        "Field names: letters, digits, _ and $, not beginning with a digit", .behaviour("field.names"),
        arguments: Wire.allCases)
    func names(_ wire: Wire) throws {
        let client = try Service(wire).signIn()
        try client.create("a", ["CD_title": "x", "a1": "x", "_x": "x"])
        for bad in ["1a", "a b", "a-b", "ä", "", "___createTime", String(repeating: "x", count: 256)] {
            let answer = try client.send(
                "records/modify",
                #"{"operations":[{"operationType":"create","record":{"recordName":"b","recordType":"Note","fields":{"\#(bad)":{"value":"x"}}}}]}"#
            )
            #expect(answer["records"]?[0]?["serverErrorCode"]?.string == "BAD_REQUEST", "\(bad)")
        }
    }
}
