import Behaviours
import CloudServer
import Testing
import WebServices

@Suite("Errors")
struct ErrorTests {
    @Test(
        "An error has uuid, serverErrorCode and reason, as an answer and as an item of one",
        .behaviour("error.shape"), arguments: Wire.allCases)
    func shape(_ wire: Wire) throws {
        let client = try Service(wire).signIn()
        let whole = try client.send("records/query", #"{"query":{"recordType":"Nothing"}}"#)
        let item = try #require(
            try client.send("records/lookup", #"{"records":[{"recordName":"a"}]}"#)["records"]?[0])
        let zone = try #require(
            try client.send("zones/lookup", #"{"zones":[{"zoneName":"None"}]}"#)["zones"]?[0])
        for error in [try #require(whole.json), item, zone] {
            #expect(error["serverErrorCode"]?.string?.wholeMatch(of: /[A-Z_]+/) != nil)
            #expect(error["reason"]?.string?.isEmpty == false)
        }
        #expect(whole["uuid"]?.string?.isEmpty == false)
        #expect(item["uuid"]?.string?.isEmpty == false)
        #expect(item["recordName"]?.string == "a")
        #expect(zone["zoneID"]?["zoneName"]?.string == "None")
        #expect(whole.status == 400)
    }

    @Test(
        "Each code has its HTTP status", .behaviour("error.status"),
        arguments: [
            ("ACCESS_DENIED", 403), ("ATOMIC_ERROR", 400), ("AUTHENTICATION_FAILED", 401),
            ("AUTHENTICATION_REQUIRED", 421), ("BAD_REQUEST", 400), ("CONFLICT", 409), ("EXISTS", 409),
            ("INTERNAL_ERROR", 500), ("NOT_FOUND", 404), ("QUOTA_EXCEEDED", 413), ("THROTTLED", 429),
            ("TRY_AGAIN_LATER", 503), ("VALIDATING_REFERENCE_ERROR", 412), ("ZONE_NOT_FOUND", 404),
        ])
    func status(_ code: String, _ status: Int) throws {
        let (sent, body) = Reply(.failure(ServerError(.init(name: code), "x"))).encode()
        #expect(sent == status)
        #expect(ServerError(try JSONDocument(parsing: body).root)?.code.name == code)
    }

    @Test("Statuses reach an HTTP client as they are", .behaviour("error.status"))
    func statusOverHTTP() throws {
        let service = try Service(.http)
        let client = try service.signIn()
        #expect(try client.http("POST", "records/query", Array(#"{"query":{"recordType":"X"}}"#.utf8)).status == 400)
        #expect(try service.visitor().http("GET", "zones/list").status == 421)
        #expect(try client.with { $0.credentials = Credentials() }.http("GET", "zones/list").status == 401)
        let missing = #"{"query":{"recordType":"X"},"zoneID":{"zoneName":"None"}}"#
        #expect(try client.http("POST", "records/query", Array(missing.utf8)).status == 404)
        #expect(try client.with { $0.container = "no%20container" }.http("GET", "zones/list").status == 404)
    }

    @Test(
        "Malformed JSON, or a member of the wrong kind, is unexpected input", .behaviour("error.malformed"),
        arguments: Wire.allCases)
    func malformed(_ wire: Wire) throws {
        let client = try Service(wire).signIn()
        let bodies = [
            "", "x", "{", "[]", "null", "1", #""text""#, #"{"operations":1}"#, #"{"operations":["x"]}"#,
            #"{"operations":{}}"#,
            #"{"operations":[1]}"#, #"{"operations":[{"operationType":"explode","record":{}}]}"#,
            #"{"operations":[{"operationType":"create","record":[]}]}"#,
            #"{"operations":[{"operationType":"create","record":{"recordName":1}}]}"#,
            #"{"operations":[{"operationType":"create","record":{"fields":[]}}]}"#,
            #"{"operations":[{"operationType":"create","record":{"fields":{"x":1}}}]}"#,
            #"{"operations":[{"operationType":"create","record":{"fields":{"x":{"value":1,"type":"NOTHING"}}}}]}"#,
            #"{"operations":[],"zoneID":"Notes"}"#, #"{"operations":[],"atomic":"yes"}"#,
            #"{"operations":[],"desiredKeys":"title"}"#, "{\"operations\":[]} x", "{\"operations\":[],}",
            String(repeating: "[", count: 5000), "\u{FEFF}x",
        ]
        for body in bodies {
            let answer = try client.send("records/modify", body)
            #expect(answer.status == 400, "\(body.prefix(80))")
            #expect(
                answer.error?.said == .init(.badRequest, "BadRequestException: Unexpected input"),
                "\(body.prefix(80))")
        }
    }

    @Test(
        "A required member that is missing is named", .behaviour("error.missing-field"),
        arguments: Wire.allCases,
        [
            ("records/modify", "{}", "operations"),
            ("records/modify", #"{"operations":[{"record":{}}]}"#, "operationType"),
            ("records/modify", #"{"operations":[{"operationType":"create"}]}"#, "record"),
            ("records/lookup", "{}", "records"), ("records/lookup", #"{"records":[{}]}"#, "recordName"),
            ("records/query", "{}", "query"), ("records/query", #"{"query":{}}"#, "recordType"),
            ("records/changes", "{}", "zoneID"), ("changes/zone", "{}", "zones"),
            ("changes/zone", #"{"zones":[{}]}"#, "zoneID"), ("zones/lookup", "{}", "zones"),
            ("zones/modify", "{}", "operations"),
            ("zones/modify", #"{"operations":[{"operationType":"create"}]}"#, "zone"),
        ])
    func missingField(_ wire: Wire, _ call: (path: String, body: String, field: String)) throws {
        let client = try Service(wire).signIn()
        let answer = try client.send(call.path, call.body)
        #expect(answer.status == 400)
        #expect(
            answer.error?.said
                == .init(.badRequest, "BadRequestException: missing required field '\(call.field)'"))
    }

    @Test(
        "An unknown container is NOT_FOUND, where containers have to be registered",
        .behaviour("error.unknown-container"), arguments: Wire.allCases)
    func unknownContainer(_ wire: Wire) throws {
        let client = try Service(wire) { $0.createsContainersOnFirstUse = false }.signIn()
        let error = try client.refusal(.zonesList)
        #expect(error.code == .notFound)
        #expect(error.extensionCode == .badContainer)
        #expect(error.reason.contains(Service.container))
    }
}
