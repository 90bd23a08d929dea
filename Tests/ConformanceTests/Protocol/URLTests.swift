import Behaviours
import Testing
import WebServices

@Suite("URLs and conventions")
struct URLTests {
    let service: Service
    let client: Client
    private let emptyLookup = Array(#"{"records":[]}"#.utf8)

    init() throws {
        service = try Service(.http)
        client = try service.signIn()
    }

    private func send(
        _ method: String, _ target: String, headers: [(String, String)] = [], body: String = ""
    ) throws -> WireAnswer {
        try HTTPClient(port: service.port).send(method, target, headers: headers, body: Array(body.utf8))
    }

    private static let bodies = [
        "records/modify": #"{"operations":[]}"#, "records/lookup": #"{"records":[]}"#,
        "records/query": #"{"query":{"recordType":"Note"}}"#, "records/changes": #"{"zoneID":{"zoneName":"Notes"}}"#,
        "changes/database": "{}", "changes/zone": #"{"zones":[]}"#, "zones/lookup": #"{"zones":[]}"#,
        "zones/modify": #"{"operations":[]}"#, "zones/changes": "{}", "zones/list": "", "users/caller": "",
        "users/current": "",
    ]

    @Test("Every endpoint answers under its path", .behaviour("url.shape"), arguments: bodies.keys.sorted())
    func shape(_ path: String) throws {
        let body = try #require(Self.bodies[path])
        try client.zone(.create)
        try client.create("a", in: .notes)
        let answer = try client.http(body.isEmpty ? "GET" : "POST", path, Array(body.utf8))
        #expect(answer.status == 200)
        #expect(answer.json?.object != nil)
        #expect(answer.headers["content-type"]?.hasPrefix("application/json") == true)
    }

    @Test("A percent-encoded container is the same container", .behaviour("url.encoded-container"))
    func encodedContainer() throws {
        try client.create("a")
        let encoded = Service.container.replacing("i", with: "%69").replacing(".", with: "%2E")
        let target = client.target("records/lookup", container: encoded)
        let answer = try send("POST", target, body: #"{"records":[{"recordName":"a"}]}"#)
        #expect(answer["records"]?[0]?["recordType"]?.string == "Note")
    }

    @Test(
        "A path that is not the protocol's answers 404", .behaviour("url.unknown-endpoint"),
        arguments: [
            "/", "/database", "/database/1", "/database/1/iCloud.x/development/private/records/none",
            "/database/1/iCloud.x/development/private/records", "/database/1/iCloud.x/staging/private/records/query",
            "/database/1/iCloud.x/Development/private/records/query",
            "/database/1/iCloud.x/development/secret/records/query",
            "/database/2/iCloud.x/development/private/records/query",
            "/database/1/iCloud.x/development/private/records/query/", "//database/1", "/Database/1", "/favicon.ico",
            "/database/1/iCloud.x/development/private/records/zip%2Fprepare",
            "/database/1/iCloud.x/development/private/records/copy/start",
        ])
    func unknownEndpoint(_ path: String) throws {
        let answer = try send("POST", path, body: "{}")
        #expect(answer.status == 404)
        #expect(answer.error?.said == .init(.notFound, "could not find handler for endpoint"))
        #expect(answer.error?.uuid != nil)
    }

    @Test("OPTIONS on a known path answers 200 with Allow, without credentials", .behaviour("url.options"))
    func options() throws {
        for (path, hasBody) in ServerOperation.paths {
            let answer = try send("OPTIONS", "/database/1/\(Service.container)/development/private/\(path)")
            #expect(answer.status == 200)
            let allowed = Set((answer.headers["allow"] ?? "").split(separator: ", ").map(String.init))
            #expect(allowed == (hasBody ? ["POST", "OPTIONS"] : ["GET", "POST", "OPTIONS"]), "\(path)")
        }
    }

    @Test("A method that an endpoint does not take answers 405 with Allow", .behaviour("url.methods"))
    func methods() throws {
        for (method, path) in [
            ("GET", "records/modify"), ("PUT", "zones/list"), ("DELETE", "records/lookup"), ("PATCH", "users/caller"),
        ] {
            let answer = try client.http(method, path)
            #expect(answer.status == 405, "\(method) \(path)")
            #expect(answer.headers["allow"]?.contains("POST") == true)
            #expect(answer.error?.code == .badRequest)
        }
    }

    @Test(
        "Token calls are served at both of the paths in use", .behaviour("url.not-routed"),
        arguments: ["/database/1/iCloud.x/development/tokens/create", "/device/1/iCloud.x/development/tokens/create"])
    func tokenPaths(_ path: String) throws {
        let body = Array(#"{"apnsEnvironment":"development"}"#.utf8)
        let query = client.target("").split(separator: "?").last.map(String.init) ?? ""
        let answer = try HTTPClient(port: service.port).send("POST", "\(path)?\(query)", headers: [], body: body)
        #expect(answer.status == 200)
        #expect(answer["webcourierURL"]?.string?.hasPrefix("http://localhost:\(service.port)/") == true)
        #expect(try send("POST", path, body: #"{"apnsEnvironment":"development"}"#).status == 401)
    }

    @Test(
        "A body is read as JSON whatever its Content-Type says", .behaviour("url.content-type-ignored"),
        arguments: [
            "text/plain", "application/json", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x",
            "",
            "nonsense",
        ])
    func contentType(_ type: String) throws {
        let headers = type.isEmpty ? [] : [("Content-Type", type)]
        #expect(try client.http("POST", "records/lookup", emptyLookup, headers: headers).status == 200)
    }

    @Test(
        "Calls without a body take GET, POST with {} and POST with nothing", .behaviour("url.get-and-post"),
        arguments: ["zones/list", "users/caller", "users/current"])
    func getAndPost(_ path: String) throws {
        let answers = [
            try client.http("GET", path), try client.http("POST", path, Array("{}".utf8)),
            try client.http("POST", path),
        ]
        #expect(answers.map(\.status) == [200, 200, 200])
        #expect(Set(answers.map { String(decoding: $0.body, as: UTF8.self) }).count == 1)
    }

    @Test("Unknown query parameters are ignored", .behaviour("url.unknown-parameters"))
    func unknownParameters() throws {
        let extra = "&ckjsVersion=2.6.1&clientId=x&dsid=1&remapEnums=true&remapEnums=false&=&&flag&%C3%A4=%20"
        #expect(try send("GET", client.target("zones/list") + extra).status == 200)
        #expect(try send("GET", client.target("zones/list") + "&broken=%zz").status == 400)
    }

    @Test("A browser's preflight is answered, and its page may read answers and the new token", .behaviour("url.cors"))
    func cors() throws {
        let origin = [("Origin", "https://app.example:8443")]
        let preflight = try send(
            "OPTIONS", "/database/1/\(Service.container)/development/private/records/query",
            headers: origin + [
                ("Access-Control-Request-Method", "POST"), ("Access-Control-Request-Headers", "content-type"),
            ])
        #expect(preflight.status == 200)
        #expect(preflight.headers["access-control-allow-origin"] == "https://app.example:8443")
        #expect(preflight.headers["access-control-allow-methods"]?.contains("POST") == true)
        #expect(preflight.headers["access-control-allow-headers"]?.contains("Content-Type") == true)

        let answer = try client.http("POST", "records/lookup", emptyLookup, headers: origin)
        #expect(answer.headers["access-control-allow-origin"] == "https://app.example:8443")
        #expect(answer.headers["access-control-expose-headers"] == "X-Apple-CloudKit-Web-Auth-Token")
        #expect(answer.headers["vary"] == "Origin")
        let refused = try send("POST", client.target("records/none"), headers: origin, body: "{}")
        #expect(refused.headers["access-control-allow-origin"] == "https://app.example:8443")
        #expect(try client.http("GET", "zones/list").headers["access-control-allow-origin"] == nil)
        for none in ["", "a\tb", "a b", "ä"] {
            let answer = try client.http("GET", "zones/list", headers: [("Origin", none)])
            #expect(answer.status == 200)
            #expect(answer.headers["access-control-allow-origin"] == nil)
        }
    }

    @Test("HTTP that is none is refused, and the next request is served", .behaviour("url.malformed"))
    func malformed() throws {
        let http = HTTPClient(port: service.port)
        let refused = [
            "GET /%zz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
            "GET /%ff%fe HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", "GET\r\n\r\n",
        ]
        for text in refused {
            let answer = try? http.parse(try http.exchange(Array(text.utf8)))
            #expect(answer.map { $0.status == 400 } ?? true, "\(text)")
        }
        #expect(try client.http("GET", "zones/list").status == 200)
    }
}

@Suite("Conventions of requests")
struct RequestConventionTests {
    @Test(
        "getCurrentSyncToken adds the zone's token to query, look-up and modify",
        .behaviour("url.current-sync-token"), arguments: Wire.allCases)
    func currentSyncToken(_ wire: Wire) throws {
        let client = try Service(wire).signIn()
        try client.zone(.create)
        let asking = client.with { $0.wantsSyncToken = true }
        let modified = try asking.modification(
            .init(operations: [.init(.create, .note("a"))], zoneID: .notes))
        let token = try #require(modified.syncToken)
        guard
            case .recordsLookup(let lookup) = try asking.answer(
                .recordsLookup(.init(records: [.init(recordName: "a")], zoneID: .notes)))
        else { throw UnexpectedAnswer() }
        #expect(lookup.syncToken == token)
        #expect(try asking.page(in: .notes).syncToken == token)
        #expect(try client.changes(since: token).records.isEmpty)
        #expect(try client.page(in: .notes).syncToken == nil)
        #expect(try asking.page(in: .notes, limit: 1).continuationMarker == nil)
        try client.create("b", in: .notes)
        #expect(try client.changes(since: token).records.map(\.recordName) == ["b"])
    }

    @Test(
        "records/lookup takes one object where an array is documented", .behaviour("url.single-object"),
        arguments: Wire.allCases)
    func singleObject(_ wire: Wire) throws {
        let client = try Service(wire).signIn()
        try client.create("a")
        let answer = try client.send("records/lookup", #"{"records":{"recordName":"a"}}"#)
        #expect(answer.status == 200)
        #expect(answer["records"]?[0]?["recordName"]?.string == "a")
    }
}
