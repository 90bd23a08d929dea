import CloudStore
import Testing
import WebServices

@testable import CloudServer

@Suite("Field values and the schema")
struct FieldTests {
    let cloud: TestCloud
    let device: TestDevice

    init() throws {
        cloud = try TestCloud()
        device = try cloud.device()
    }

    /// A request as it comes over HTTP.
    private func send(_ fields: String, type: String = "Note", name: String = "a", by device: TestDevice? = nil) throws
        -> RecordResult
    {
        let body = """
            {"operations":[{"operationType":"forceUpdate",
              "record":{"recordName":"\(name)","recordType":"\(type)","fields":\(fields)}}]}
            """
        let operation = try #require(try ServerOperation(path: "records/modify", body: Array(body.utf8)))
        guard case .recordsModify(let response) = try (device ?? self.device).answer(operation) else {
            throw UnexpectedAnswer()
        }
        return try #require(response.records.first)
    }

    private static let asset = Asset(fileChecksum: "AQ==", size: 3, receipt: "r")
    static let values: [FieldValue] = [
        .string("Grüße \"x\"\n"), .int64(.min), .double(-0.5), .timestamp(1_700_000_000_123), .bytes([0, 255, 1]),
        .location(Location(latitude: 48.1, longitude: 11.5, altitude: 520, timestamp: 1)),
        .reference(Reference(recordName: "b", action: Reference.Action.none)),
        .list([.string("x"), .string("x")], of: .string), .list([.int64(1), .int64(-1)], of: .int64),
        .list([.double(1.5)], of: .double), .list([.timestamp(5)], of: .timestamp), .list([.bytes([1])], of: .bytes),
        .list([.location(Location(latitude: 1, longitude: 2))], of: .location),
        .list([.reference(Reference(recordName: "b", action: Reference.Action.none))], of: .reference),
    ]

    @Test("Every type of value comes back as it was saved", arguments: values)
    func allTypes(value: FieldValue) throws {
        try device.save(.create, .note("a", [("f", value)]))
        #expect(try device.record("a")?.fields["f"] == value)
    }

    @Test("An empty list is kept in a field that is a list", arguments: values.filter { $0.type.isList })
    func emptyList(value: FieldValue) throws {
        try device.save(.create, .note("a", [("f", value)]))
        let empty = FieldValue.list([], of: try #require(value.type.element))
        try device.save(.forceUpdate, .note("a", [("f", empty)]))
        #expect(try device.record("a")?.fields["f"] == empty)
    }

    @Test(
        "An empty list cannot make a field",
        arguments: [
            #"{"f":{"value":[]}}"#, #"{"f":{"value":[],"type":"STRING_LIST"}}"#,
        ])
    func emptyListOfNewField(fields: String) throws {
        #expect(
            try send(fields).error?.reason
                == "cannot use an empty list to initialize a new field (field 'f' in record type 'Note' should be more precise)"
        )
    }

    @Test(
        "A value without a type makes a field of the type it looks like",
        arguments: [
            (#""x""#, FieldValue.string("x")), ("3", .int64(3)), ("true", .int64(1)), ("3.5", .double(3.5)),
            (
                #"{"recordName":"b","action":"NONE"}"#,
                .reference(Reference(recordName: "b", action: Reference.Action.none))
            ),
            (#"{"latitude":1,"longitude":2}"#, .location(Location(latitude: 1, longitude: 2))),
            (#"["x"]"#, .list([.string("x")], of: .string)), ("[1,2]", .list([.int64(1), .int64(2)], of: .int64)),
            ("[1,2.5]", .list([.double(1), .double(2.5)], of: .double)),
        ])
    func inferred(json: String, value: FieldValue) throws {
        #expect(try send(#"{"f":{"value":\#(json)}}"#).record?.fields["f"] == value)
    }

    @Test(
        "A value without a type takes the type of its field",
        arguments: [
            (FieldValue.timestamp(1), "5", FieldValue.timestamp(5)), (.double(1), "5", .double(5)),
            (.bytes([1]), #""AQI=""#, .bytes([1, 2])),
            (.int64(1), #""9007199254740993""#, .int64(9_007_199_254_740_993)),
        ])
    func untyped(first: FieldValue, json: String, second: FieldValue) throws {
        try device.save(.create, .note("a", [("f", first)]))
        #expect(try send(#"{"f":{"value":\#(json)}}"#).record?.fields["f"] == second)
    }

    @Test(
        "A value of the wrong kind is that record's error",
        arguments: [
            (#"{"value":"x","type":"TIMESTAMP"}"#, "Invalid value, expected type TIMESTAMP."),
            (#"{"value":1.5,"type":"TIMESTAMP"}"#, "Invalid value, expected type TIMESTAMP."),
            (#"{"value":1,"type":"STRING"}"#, "Invalid value, expected type STRING."),
            (#"{"value":"x","type":"ASSETID"}"#, "could not decode asset object"),
        ])
    func wrongKind(field: String, reason: String) throws {
        let error = try send(#"{"f":\#(field)}"#).error
        #expect(error?.code == .badRequest)
        #expect(error?.reason == reason)
    }

    @Test("A value of another type than the field's is refused with both named")
    func wrongType() throws {
        try device.save(.create, .note("a", type: "Page", [("image", .bytes([1]))]))
        let error = try device.failure(.forceUpdate, .note("a", type: "Page", [("image", .asset(Self.asset))]))
        #expect(
            error?.reason
                == "invalid attempt to set value type ASSETID for field 'image' for type 'Page', defined to be: BYTES")
    }

    @Test("A whole number is taken for a DOUBLE")
    func wholeDouble() throws {
        try device.save(.create, .note("a", [("f", .double(1.5))]))
        #expect(try device.save(.forceUpdate, .note("a", [("f", .int64(2))])).fields["f"] == .double(2))
    }

    @Test("A reference without an action gets NONE")
    func normalised() throws {
        try device.save(.create, .note("a", [("r", .reference(Reference(recordName: "b")))]))
        let record = try device.record("a")
        #expect(record?.fields["r"] == .reference(Reference(recordName: "b", action: Reference.Action.none)))
    }

    @Test(
        "Bad names of fields, types and records are refused",
        arguments: [
            ("1f", "Note", "a"), ("___f", "Note", "a"), ("f", "1Note", "a"), ("f", "No te", "a"), ("f", "Note", "_a"),
            ("f", "Note", "ä"), ("f", "Note", String(repeating: "a", count: 256)), ("f", "Users", "a"),
        ])
    func names(field: String, type: String, record: String) throws {
        let error = try device.failure(.create, .note(record, type: type, [(field, .int64(1))]))
        #expect(error?.code == .badRequest)
    }

    @Test("Production refuses types and fields that were not deployed")
    func production() throws {
        try device.save(.create, .note("a", [("f", .int64(1))]))
        var live = try cloud.device(environment: .production)
        #expect(try live.failure(.create, .note("a"))?.reason == "Cannot create new type Note in production schema")
        live = try TestCloud { $0.createsSchemaOnSave = false }.device()
        #expect(try live.failure(.create, .note("a"))?.code == .badRequest)
    }

    @Test("An unknown field is named where the schema does not grow")
    func unknownField() throws {
        _ = try device.user()  // The container comes into being in development.
        let store = try #require(try cloud.server.store.container(TestCloud.container, "production", create: true))
        _ = try store.writeAndWait { try $0.insertType(name: "Note") }
        let live = try cloud.device(environment: .production)
        #expect(try live.save(.create, .note("a")).recordName == "a")
        #expect(try live.failure(.create, .note("b", [("f", .int64(1))]))?.reason == "Field f not found in Note")
    }

    @Test("numbersAsStrings is passed on to the answer")
    func numbersAsStrings() throws {
        let request = RecordsModify.Request(
            operations: [.init(.create, .note("a", [("f", .int64(1))]))], numbersAsStrings: true)
        let body = try device.reply(.recordsModify(request)).encode().body
        #expect(String(decoding: body, as: UTF8.self).contains(#""f":{"value":"1","type":"INT64"}"#))
    }
}
