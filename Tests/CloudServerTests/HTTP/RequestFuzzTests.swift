import Synchronization
import Testing
import WebServices

@testable import CloudServer

@Suite("What a stranger may send")
struct RequestFuzzTests {
    /// A request of each kind that holds all that the kind can hold.
    private static let requests: [(path: String, body: String)] = [
        (
            "records/modify",
            #"""
            {"zoneID":{"zoneName":"Notes"},"atomic":false,"numbersAsStrings":true,"desiredKeys":["t"],"operations":[
             {"operationType":"create","record":{"recordName":"a","recordType":"Note","parent":{"recordName":"b"},"fields":{
               "t":{"value":"x\u00e9"},"n":{"value":-3,"type":"INT64"},"d":{"value":1.5e3},"w":{"value":1700000000000,"type":"TIMESTAMP"},
               "y":{"value":"AQID","type":"BYTES"},"l":{"value":{"latitude":1,"longitude":2,"timestamp":3}},
               "r":{"value":{"recordName":"b","action":"VALIDATE"},"type":"REFERENCE"},"s":{"value":["p","q"],"type":"STRING_LIST"},
               "f":{"value":{"fileChecksum":"AQ==","size":3,"receipt":"r"},"type":"ASSETID"},"z":{"value":null},"e":{"value":[1,2.5]}}}},
             {"operationType":"forceUpdate","record":{"recordName":"b","recordType":"Note","zoneID":{"zoneName":"_defaultZone"}}},
             {"operationType":"update","record":{"recordName":"c","recordChangeTag":"1"}},
             {"operationType":"forceDelete","record":{"recordName":"d"}}]}
            """#
        ),
        ("records/lookup", #"{"records":[{"recordName":"a","desiredKeys":["t"]}],"zoneID":{"zoneName":"Notes"}}"#),
        (
            "records/query",
            #"{"query":{"recordType":"Note","filterBy":[{"fieldName":"n","comparator":"IN","fieldValue":{"value":[1,2],"type":"INT64_LIST"}},{"systemFieldName":"createdTimestamp","comparator":"LESS_THAN","fieldValue":{"value":5,"type":"TIMESTAMP"}}],"sortBy":[{"fieldName":"t","ascending":false}]},"resultsLimit":3,"zoneID":{"zoneName":"Notes"}}"#
        ),
        ("records/changes", #"{"zoneID":{"zoneName":"Notes"},"syncToken":"AAAA","resultsLimit":2}"#),
        ("changes/database", #"{"syncToken":"AAAA","resultsLimit":5}"#),
        (
            "changes/zone",
            #"{"zones":[{"zoneID":{"zoneName":"Notes"},"reverse":true,"resultsLimit":1}],"desiredKeys":[]}"#
        ),
        ("zones/lookup", #"{"zones":[{"zoneName":"Notes","ownerRecordName":"_x"}]}"#),
        ("zones/modify", #"{"operations":[{"operationType":"create","zone":{"zoneID":{"zoneName":"Notes"}}}]}"#),
        ("zones/changes", #"{"metaSyncToken":"AAAA","resultsLimit":5}"#),
    ]

    private static let splices = [
        "null", "{}", "[]", "true", "-1", "1e999", "9223372036854775808", "0.1", "\"\"", "\"\\u0000\"", "\"_\"", ",",
        ":", "}",
        String(repeating: "[", count: 2000), String(repeating: "9", count: 400), "\"type\":\"ASSETID\"", "\u{FF}",
    ]

    @Test("Mangled requests get an answer of the protocol, never an internal error", arguments: 1...4)
    func mangled(seed: UInt64) throws {
        let cloud = try TestCloud()
        let router = Router(server: cloud.server)
        let token = try cloud.server.identity.signIn(account: "anna", password: "", keepSignedIn: true).webAuthToken
        let query = "ckAPIToken=\(TestCloud.apiToken)&ckWebAuthToken=\(token.replacing("+", with: "%2B"))"
        let random = RandomSource.seeded(seed)
        func number(below limit: Int) -> Int {
            random.bytes(4).reduce(0) { $0 << 8 | Int($1) } % max(limit, 1)
        }
        // So that something is there to be found.
        var bodies = Self.requests.map { (path: $0.path, body: Array($0.body.utf8)) }
        bodies.insert(bodies.remove(at: 7), at: 0)
        for round in 0..<400 {
            for (path, body) in bodies {
                var mangled = body
                for _ in 0..<(round == 0 ? 0 : 1 + number(below: 3)) {
                    if mangled.isEmpty { break }
                    let position = number(below: mangled.count)
                    switch number(below: 4) {
                    case 0: mangled[position] = UInt8(number(below: 256))
                    case 1: mangled.remove(at: position)
                    case 2:
                        let end = min(mangled.count, position + number(below: 12))
                        mangled.replaceSubrange(
                            position..<end, with: Self.splices[number(below: Self.splices.count)].utf8)
                    default: mangled = Array(mangled.prefix(position + 1))
                    }
                }
                let database = number(below: 3) == 0 ? "public" : "private"
                let request = try #require(
                    HTTPRequest(
                        method: "POST",
                        target: "/database/1/\(TestCloud.container)/development/\(database)/\(path)?\(query)",
                        body: mangled))
                let answer = Mutex<HTTPResponse?>(nil)
                router.handle(request) { response in answer.withLock { $0 = response } }
                let response = try #require(answer.withLock { $0 })
                #expect(response.status < 500, "\(path): \(String(decoding: mangled, as: UTF8.self))")
                #expect((try? JSONDocument(parsing: response.body)) != nil)
            }
        }
    }

    @Test("Mangled paths, parameters and headers get an answer", arguments: 1...2)
    func mangledTargets(seed: UInt64) throws {
        let cloud = try TestCloud()
        let router = Router(server: cloud.server)
        let random = RandomSource.seeded(seed)
        let target = Array(
            "/database/1/\(TestCloud.container)/development/public/users/caller?ckAPIToken=\(TestCloud.apiToken)&ckWebAuthToken=AQAAAa%2B"
                .utf8)
        for _ in 0..<2000 {
            var mangled = target
            for _ in 0..<1 + Int(random.bytes(1).first ?? 0) % 3 {
                let bytes = random.bytes(3)
                mangled[(Int(bytes[0]) << 8 | Int(bytes[1])) % mangled.count] = bytes[2]
            }
            let text = String(decoding: mangled, as: UTF8.self)
            guard
                let request = HTTPRequest(
                    method: "GET", target: text,
                    headers: HTTPHeaders([("Origin", text), ("Host", text), ("X-Stratus-Client", "native/\(text)")]))
            else { continue }
            let answer = Mutex<HTTPResponse?>(nil)
            router.handle(request) { response in answer.withLock { $0 = response } }
            #expect(try #require(answer.withLock { $0 }).status < 500)
        }
    }
}
