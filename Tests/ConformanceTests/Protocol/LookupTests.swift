import Behaviours
import Testing
import WebServices

@Suite("records/lookup")
struct LookupTests {
    @Test("Records come in the order of the request", .behaviour("lookup.found"), arguments: Wire.allCases)
    func order(_ wire: Wire) throws {
        let client = try Service(wire).signIn()
        for name in ["a", "b", "c"] { try client.create(name) }
        let results = try client.lookup(["c", "none", "a", "b", "a"])
        #expect(results.map(\.name) == ["c", "none", "a", "b", "a"])
        #expect(results.map { $0.record != nil } == [true, false, true, true, true])
    }

    @Test(
        "A missing record is an item of the answer, a missing zone too", .behaviour("lookup.missing"),
        arguments: Wire.allCases)
    func missing(_ wire: Wire) throws {
        let client = try Service(wire).signIn()
        let answer = try client.send("records/lookup", #"{"records":[{"recordName":"a"}]}"#)
        #expect(answer.status == 200)
        let item = try #require(answer["records"]?[0])
        #expect(item["recordName"]?.string == "a")
        #expect(item["reason"]?.string == "Record not found")
        #expect(item["serverErrorCode"]?.string == "NOT_FOUND")
        #expect(item["recordType"] == nil)
        let error = try client.lookup(["a"], in: .trips)[0].error
        #expect(error?.said == .init(.zoneNotFound, "Zone does not exist"))
    }

    @Test(
        "desiredKeys limits the fields, each item's over the request's", .behaviour("lookup.desired-keys"),
        arguments: Wire.allCases)
    func desiredKeys(_ wire: Wire) throws {
        let client = try Service(wire).signIn()
        try client.create("a", ["title": "x", "count": 1])
        #expect(try client.lookup(["a"], desiredKeys: ["count"])[0].record?.fields.names == ["count"])
        #expect(try client.lookup(["a"], desiredKeys: [])[0].record?.fields.names == [])
        #expect(try client.lookup(["a"])[0].record?.fields.count == 2)
        let request = RecordsLookup.Request(
            records: [.init(recordName: "a", desiredKeys: ["title"])], desiredKeys: ["count"])
        guard case .recordsLookup(let response) = try client.answer(.recordsLookup(request)) else {
            throw UnexpectedAnswer()
        }
        #expect(response.records[0].record?.fields.names == ["title"])
    }

    @Test(
        "More than 200 names refuse the request; the framework asks for up to 400", .behaviour("lookup.limit"),
        arguments: Wire.allCases)
    func limit(_ wire: Wire) throws {
        let client = try Service(wire).signIn()
        func request(_ count: Int) -> ServerOperation {
            .recordsLookup(.init(records: (0..<count).map { .init(recordName: "n\($0)") }))
        }
        #expect(try client.lookup((0..<200).map { "n\($0)" }).count == 200)
        let error = try client.refusal(request(201))
        #expect(error.code == .badRequest)
        #expect(error.extensionCode == .limitExceeded)
        #expect(try client.native.lookup((0..<400).map { "n\($0)" }).count == 400)
        #expect(try client.native.refusal(request(401)).extensionCode == .limitExceeded)
    }

    @Test("A look-up sees the newest save", .behaviour("lookup.consistent"), arguments: Wire.allCases)
    func consistent(_ wire: Wire) throws {
        let service = try Service(wire)
        let (phone, laptop) = (try service.signIn(), try service.signIn())
        for number in 0..<50 {
            try phone.change("a", ["n": .int64(Int64(number))])
            #expect(try laptop.record("a")?.fields["n"] == .int64(Int64(number)))
        }
    }
}
