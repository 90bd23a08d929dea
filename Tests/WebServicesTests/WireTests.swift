import Testing
import WebServices

/// What the service reads from foreign clients, and that our own two ends understand each other.
@Suite struct WireTests {
    private func operation(_ path: String, _ body: String) throws(ServerError) -> Operation? {
        try Operation(path: path, body: Array(body.utf8))
    }

    private func text(_ reply: Reply) -> String {
        String(decoding: reply.encode().body, as: UTF8.self)
    }

    @Test("A modify request reads back as it was encoded")
    func modifyRequest() throws {
        let record = Record(
            recordName: "n1", recordType: "Note", recordChangeTag: "1a",
            fields: Fields(FieldsTests.everyType + [("gone", nil)]),
            zoneID: ZoneID(zoneName: "Notes"), parent: .reference(Reference(recordName: "p")))
        let request = RecordsModify.Request(
            operations: [
                .init(.forceUpdate, record, desiredKeys: ["text"]),
                .init(.delete, Record(recordName: "n2", recordChangeTag: "2")),
            ],
            zoneID: ZoneID(zoneName: "Notes"), atomic: false, desiredKeys: [], numbersAsStrings: true)
        let body = try #require(Operation.recordsModify(request).encodeBody())
        guard case .recordsModify(let read) = try Operation(path: "records/modify", body: body) else {
            Issue.record("another operation")
            return
        }
        #expect(read.operations.map(\.type) == [.forceUpdate, .delete])
        #expect(read.atomic == false)
        #expect(read.desiredKeys == [])
        #expect(read.numbersAsStrings)
        let first = read.operations[0]
        #expect(first.desiredKeys == ["text"])
        #expect(first.record.parent == .reference(Reference(recordName: "p")))
        #expect(first.record.recordChangeTag == "1a")
        for (name, value) in FieldsTests.everyType { #expect(first.record.fields[name] == value) }
        #expect(first.record.fields.entry(named: "gone")?.kind == .null)
    }

    @Test("A lookup answer reads back, error items and conflict records included")
    func answer() throws {
        let record = Record(
            recordName: "n1", recordType: "Note", recordChangeTag: "1a", fields: Fields([("title", .string("x"))]),
            created: Stamp(timestamp: 1, userRecordName: "_a", deviceID: "d"),
            modified: Stamp(timestamp: 2, userRecordName: "_b", deviceID: "e"),
            zoneID: ZoneID(zoneName: "Notes", ownerRecordName: "_a"))
        let failure = ServerError(.conflict, "client oplock error updating record", retryAfter: 1.5, uuid: "u")
        let reply = Reply(
            .success(
                .recordsModify(
                    .init(records: [.record(record), .failure(recordName: "n2", failure, conflict: .record(record))]))))
        let operation = Operation.recordsModify(.init(operations: []))
        guard case .recordsModify(let read) = try Answer(to: operation, body: reply.encode().body) else {
            Issue.record("another answer")
            return
        }
        guard case .record(let first) = read.records[0],
            case .failure("n2", let error, .record(let server)) = read.records[1]
        else {
            Issue.record("wrong entries")
            return
        }
        #expect(first.fields["title"] == .string("x"))
        #expect(first.created == record.created)
        #expect(first.modified == record.modified)
        #expect(first.zoneID == record.zoneID)
        #expect(error == failure)
        #expect(server.recordChangeTag == "1a")
    }

    @Test("Numbers go out as strings when that is asked for, in lists as well")
    func numbersAsStrings() throws {
        let fields = Fields([
            ("i", .int64(.max)), ("d", .double(0.5)), ("t", .timestamp(7)), ("s", .string("1")),
            ("l", .list([.int64(1), .int64(2)], of: .int64)), ("e", .list([], of: .double)),
        ])
        let answer = text(
            Reply(
                .success(
                    .recordsLookup(
                        .init(records: [.record(Record(recordName: "n", fields: fields))], numbersAsStrings: true)))))
        for part in [
            #""i":{"value":"9223372036854775807","type":"INT64"}"#, #""d":{"value":"0.5","type":"DOUBLE"}"#,
            #""t":{"value":"7","type":"TIMESTAMP"}"#, #""s":{"value":"1","type":"STRING"}"#,
            #""l":{"value":["1","2"],"type":"INT64_LIST"}"#, #""e":{"value":[],"type":"DOUBLE_LIST"}"#,
        ] {
            #expect(answer.contains(part), "\(part) in \(answer)")
        }
    }

    @Test("Values are read in every spelling that clients use")
    func lenientValues() throws {
        let body = """
            {"operations":[{"operationType":"create","record":{"recordName":"n","recordType":"T","desiredKeys":[],"fields":{
            "flag":{"value":true,"type":"INT64"},"big":{"value":"9007199254740993","type":"INT64"},
            "asset":{"value":{"fileChecksum":"AQ==","size":1},"type":"ASSET"},"list":{"value":["a"],"type":"STRING_LIST"},
            "null1":null,"null2":{},"null3":{"value":null},"untyped":{"value":5}}}}]}
            """
        guard case .recordsModify(let request) = try operation("records/modify", body) else { return }
        let fields = request.operations[0].record.fields
        #expect(fields["flag"] == .int64(1))
        #expect(fields["big"] == .int64(9_007_199_254_740_993))
        #expect(fields["asset"]?.type == .asset)
        #expect(fields["list"] == .list([.string("a")], of: .string))
        for name in ["null1", "null2", "null3"] { #expect(fields.entry(named: name)?.kind == .null) }
        let untyped = try #require(fields.entry(named: "untyped"))
        #expect(untyped.kind == .untyped)
        #expect(fields.shape(of: untyped) == .integer)
        #expect(try fields.value(of: untyped, as: .double) == .double(5))
        #expect(request.operations[0].desiredKeys == [])
    }

    @Test(
        "A value of the wrong kind is the problem of its record alone",
        arguments: [
            (#"{"value":1.5,"type":"TIMESTAMP"}"#, "Invalid value, expected type TIMESTAMP."),
            (#"{"value":"x","type":"INT64"}"#, "Invalid value, expected type INT64."),
            (#"{"value":1,"type":"STRING"}"#, "Invalid value, expected type STRING."),
            (#"{"value":"***","type":"BYTES"}"#, "Invalid value, expected type BYTES."),
            (#"{"value":["a",1],"type":"STRING_LIST"}"#, "Invalid value, expected type STRING_LIST."),
            (#"{"value":{"latitude":91,"longitude":0},"type":"LOCATION"}"#, "Invalid value, expected type LOCATION."),
            (#"{"value":{"action":"NONE"},"type":"REFERENCE"}"#, "Invalid value, expected type REFERENCE."),
            (#"{"value":{"size":1},"type":"ASSETID"}"#, "could not decode asset object"),
        ])
    func wrongKind(json: String, reason: String) throws {
        let body = #"{"operations":[{"operationType":"create","record":{"recordName":"n","fields":{"f":\#(json)}}}]}"#
        guard case .recordsModify(let request) = try operation("records/modify", body) else { return }
        #expect(request.operations[0].record.fields.problem?.reason == reason)
    }

    @Test(
        "Malformed requests are refused as a whole",
        arguments: [
            ("records/modify", "", "BadRequestException: Unexpected input"),
            ("records/modify", "[]", "BadRequestException: Unexpected input"),
            ("records/modify", "{}", "BadRequestException: missing required field 'operations'"),
            (
                "records/modify", #"{"operations":[{"operationType":"explode","record":{}}]}"#,
                "BadRequestException: Unexpected input"
            ),
            (
                "records/modify", #"{"operations":[{"operationType":"create"}]}"#,
                "BadRequestException: missing required field 'record'"
            ),
            ("records/lookup", #"{"records":[{}]}"#, "BadRequestException: missing required field 'recordName'"),
            ("records/query", #"{}"#, "BadRequestException: missing required field 'query'"),
            (
                "records/query",
                #"{"query":{"recordType":"T","filterBy":[{"comparator":"ALMOST","fieldName":"a","fieldValue":{"value":1}}]}}"#,
                "BadRequestException: Unexpected input"
            ),
            ("changes/zone", #"{"zones":[{}]}"#, "BadRequestException: missing required field 'zoneID'"),
            (
                "zones/modify", #"{"operations":[{"operationType":"create","zone":{}}]}"#,
                "BadRequestException: missing required field 'zoneID'"
            ),
        ])
    func refused(path: String, body: String, reason: String) {
        #expect(throws: ServerError(.badRequest, reason)) { try operation(path, body) }
    }

    @Test("Zones, changes and look-ups are read in the variants that clients send")
    func variants() throws {
        guard
            case .zonesLookup(let lookup) = try operation(
                "zones/lookup", #"{"zones":[{"zoneName":"A"},{"zoneID":{"zoneName":"B","ownerName":"_o"}}]}"#)
        else { return }
        #expect(lookup.zones == [ZoneID(zoneName: "A"), ZoneID(zoneName: "B", ownerRecordName: "_o")])

        guard case .recordsLookup(let one) = try operation("records/lookup", #"{"records":{"recordName":"r"}}"#) else {
            return
        }
        #expect(one.records.map(\.recordName) == ["r"])

        guard
            case .changesZone(let changes) = try operation(
                "changes/zone", #"{"zones":[{"zoneID":{"zoneName":"A"}}],"numberAsStrings":true}"#)
        else { return }
        #expect(changes.numbersAsStrings)

        guard case .zonesChanges(let meta) = try operation("zones/changes", #"{"syncToken":"s"}"#) else { return }
        #expect(meta.syncToken == "s")
        guard case .zonesChanges(let both) = try operation("zones/changes", #"{"syncToken":"s","metaSyncToken":"m"}"#)
        else { return }
        #expect(both.syncToken == "m")
    }

    @Test("A query reads back with every kind of operand and both spellings of system fields")
    func query() throws {
        let query = RecordsQuery.Query(
            recordType: "Note",
            filterBy: [
                .init(.equals, .user("title"), .typed(.string("x"))),
                .init(
                    .in, .system(.recordName), .typed(.list([.reference(Reference(recordName: "a"))], of: .reference))),
                .init(.greaterThan, .user("n"), .untypedInteger(3)),
                .init(.near, .user("place"), .typed(.location(Location(latitude: 1, longitude: 2))), distance: 10),
            ],
            sortBy: [.init(.system(.createdTimestamp), ascending: false)])
        let body = try #require(Operation.recordsQuery(.init(query: query, resultsLimit: 5)).encodeBody())
        guard case .recordsQuery(let read) = try Operation(path: "records/query", body: body) else { return }
        #expect(read.query.filterBy.map(\.comparator) == [.equals, .in, .greaterThan, .near])
        #expect(read.query.filterBy.map(\.value) == query.filterBy.map(\.value))
        #expect(read.query.filterBy.map(\.field) == query.filterBy.map(\.field))
        #expect(read.query.sortBy[0].field == .system(.createdTimestamp))
        #expect(read.query.sortBy[0].ascending == false)

        let schemaName =
            #"{"query":{"recordType":"T","sortBy":[{"fieldName":"___modTime"},{"fieldName":"___recordId"}]}}"#
        guard case .recordsQuery(let other) = try operation("records/query", schemaName) else { return }
        #expect(other.query.sortBy.map(\.field) == [.system(.modifiedTimestamp), .system(.recordName)])
    }

    @Test("An error answer keeps its code, status, hint and extension")
    func errors() throws {
        let error = ServerError(.tryAgainLater, "busy", retryAfter: 30, extensionCode: .limitExceeded, uuid: "u")
        let encoded = Reply(.failure(error)).encode()
        #expect(encoded.status == 503)
        #expect(throws: error) { try Answer(to: .zonesList, body: encoded.body) }
    }

    @Test("Paths and operations agree")
    func paths() throws {
        for (path, hasBody) in Operation.paths where !hasBody {
            #expect(try Operation(path: path, body: [])?.path == path)
        }
        #expect(try operation("records/zip", "{}") == nil)
    }
}
