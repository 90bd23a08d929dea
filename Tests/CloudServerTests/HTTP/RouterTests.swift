import CloudStore
import Dispatch
import Synchronization
import Testing
import WebServices

@testable import CloudServer

@Suite("The way over HTTP")
struct RouterTests {
    let cloud: TestCloud
    let router: Router

    init() throws {
        cloud = try TestCloud { $0.publicURL = nil }
        router = Router(server: cloud.server)
    }

    private static let root = "/database/1/\(TestCloud.container)/development"
    private static let key = "ckAPIToken=\(TestCloud.apiToken)"

    private func send(
        _ method: String, _ target: String, _ body: String = "", headers: [(String, String)] = []
    ) throws -> HTTPResponse {
        let request = try #require(
            HTTPRequest(method: method, target: target, headers: HTTPHeaders(headers), body: Array(body.utf8)))
        let box = Mutex<HTTPResponse?>(nil)
        let answered = DispatchSemaphore(value: 0)
        router.handle(request) { response in
            box.withLock { $0 = response }
            answered.signal()
        }
        answered.wait()
        return try #require(box.withLock { $0 })
    }

    private func signIn(_ account: String = "anna") throws -> String {
        let response = try send("POST", "/stratus/session", #"{"account":"\#(account)","keepSignedIn":true}"#)
        return try #require(response.json["webAuthToken"]?.string)
    }

    private func token(_ text: String) -> String {
        "\(Self.key)&ckWebAuthToken="
            + text.replacing("+", with: "%2B").replacing("/", with: "%2F").replacing("=", with: "%3D")
    }

    @Test("The sign-in page hands on the container that it was opened for, and nothing that is none")
    func signInPage() throws {
        func page(_ container: String) throws -> String {
            String(decoding: try send("GET", "/stratus/sign-in?container=\(container)").body, as: UTF8.self)
        }
        #expect(try page("iCloud.my_notes-1").contains("name=\"container\" value=\"iCloud.my_notes-1\""))
        #expect(try page("x%22%3E%3Cscript%3E").contains("name=\"container\" value=\"\""))
    }

    @Test("A record is saved and looked up, whatever the content type says")
    func saveAndLookUp() throws {
        let query = token(try signIn())
        let zone = #""zoneID":{"zoneName":"Notes"}"#
        let made = try send(
            "POST", "\(Self.root)/private/zones/modify?\(query)",
            #"{"operations":[{"operationType":"create","zone":{\#(zone)}}]}"#)
        #expect(made.status == 200)
        let saved = try send(
            "POST", "\(Self.root)/private/records/modify?\(query)&clientId=x",
            #"{\#(zone),"operations":[{"operationType":"create","record":{"recordName":"a/b","recordType":"Note","fields":{"t":{"value":"x"}}}}]}"#,
            headers: [("Content-Type", "text/plain")])
        #expect(saved.status == 200)
        #expect(saved.header("X-Apple-CloudKit-Web-Auth-Token") != nil)
        let found = try send(
            "POST", "\(Self.root)/private/records/lookup?\(query)&getCurrentSyncToken=true",
            #"{\#(zone),"records":[{"recordName":"a/b"},{"recordName":"none"}]}"#)
        let records = try #require(found.json["records"]?.array.map { Array($0) })
        #expect(records.first?["fields"]?["t"]?["type"]?.string == "STRING")
        #expect(records.last?["reason"]?.string == "Record not found")
        #expect(found.json["syncToken"]?.string?.isEmpty == false)
    }

    @Test("The container may be percent-encoded")
    func encodedContainer() throws {
        let path = "/database/1/iCloud%2Eexample%2Enotes/development/public/users/caller"
        #expect(try send("GET", "\(path)?\(token(signIn()))").status == 200)
    }

    @Test("A plus sign that was not escaped in the token is understood")
    func plusSign() throws {
        for number in 0..<20 {
            let raw = try signIn("person\(number)").replacing("=", with: "%3D").replacing("/", with: "%2F")
            #expect(try send("GET", "\(Self.root)/public/users/caller?\(Self.key)&ckWebAuthToken=\(raw)").status == 200)
        }
    }

    @Test(
        "Calls without a body take GET and POST, others POST only",
        arguments: [
            ("GET", "public/users/caller", 200), ("POST", "public/users/caller", 200),
            ("GET", "private/zones/list", 200),
            ("POST", "private/zones/list", 200), ("GET", "private/records/modify", 405),
            ("PUT", "private/zones/list", 405),
        ])
    func methods(method: String, path: String, status: Int) throws {
        let response = try send(method, "\(Self.root)/\(path)?\(token(signIn()))", method == "POST" ? "{}" : "")
        #expect(response.status == status)
        #expect((response.header("Allow") != nil) == (status == 405))
    }

    @Test(
        "What is not there is said in the protocol's words",
        arguments: [
            "/", "/database", "\(root)/private/records/none", "\(root)/private/records", "\(root)/secret/records/query",
            "/database/2/x/development/public/records/query", "/database/1/x/staging/public/records/query",
            "/stratus/none",
        ])
    func notFound(path: String) throws {
        let response = try send("POST", path, "{}")
        #expect(response.status == 404)
        #expect(response.json["reason"]?.string == "could not find handler for endpoint")
        #expect(response.json["uuid"]?.string?.isEmpty == false)
    }

    @Test(
        "A body that is no JSON, or the wrong kind, is unexpected input",
        arguments: ["", "x", "[]", "{}", "{\"operations\":1}"])
    func malformed(body: String) throws {
        let response = try send("POST", "\(Self.root)/private/records/modify?\(token(signIn()))", body)
        #expect(response.status == 400)
        #expect(response.json["serverErrorCode"]?.string == "BAD_REQUEST")
    }

    @Test("Nobody signed in: 421 with the address of the page, on the host that was asked")
    func redirect() throws {
        let response = try send(
            "GET", "\(Self.root)/public/users/caller?\(Self.key)", headers: [("Host", "notes.example:8080")])
        #expect(response.status == 421)
        let url = try #require(response.json["redirectURL"]?.string)
        #expect(url == "http://notes.example:8080/stratus/sign-in?container=\(TestCloud.container)")
        let page = try send("GET", String(url.dropFirst("http://notes.example:8080".count)))
        #expect(page.status == 200)
        #expect(String(decoding: page.body, as: UTF8.self).contains("action=\"/stratus/sign-in\""))
    }

    @Test("A page of another origin may read answers and the new token")
    func crossOrigin() throws {
        let headers = [("Origin", "https://app.example")]
        let options = try send("OPTIONS", "\(Self.root)/private/records/query", headers: headers)
        #expect(options.status == 200)
        #expect(options.header("Allow")?.contains("POST") == true)
        #expect(options.header("Access-Control-Allow-Origin") == "https://app.example")
        let refused = try send("GET", "\(Self.root)/public/users/caller", headers: headers)
        #expect(refused.status == 401)
        #expect(refused.header("Access-Control-Expose-Headers") == "X-Apple-CloudKit-Web-Auth-Token")
    }

    @Test(
        "Our own client is known by its header: it gets the server's record with a conflict, and its device's name is kept"
    )
    func nativeClient() throws {
        let query = token(try signIn())
        func create() throws -> HTTPResponse {
            try send(
                "POST", "\(Self.root)/private/records/modify?\(query)",
                #"{"operations":[{"operationType":"create","record":{"recordName":"a","recordType":"Note"}}]}"#,
                headers: [("X-Stratus-Client", "native/my%20phone")])
        }
        let saved = try #require(try create().json["records"]?.array.flatMap { Array($0).first })
        #expect(saved["created"]?["deviceID"]?.string == "my phone")
        let conflict = try #require(try create().json["records"]?.array.flatMap { Array($0).first })
        #expect(conflict["serverErrorCode"]?.string == "CONFLICT")
        #expect(conflict["serverRecord"]?["recordName"]?.string == "a")
    }

    @Test("Signing in by JSON and by form gives a token; signing out ends it")
    func session() throws {
        let form = try send(
            "POST", "/stratus/session", "account=anna&password=&keepSignedIn=true&container=\(TestCloud.container)")
        let text = try #require(form.json["webAuthToken"]?.string)
        let caller = try send("GET", "\(Self.root)/public/users/caller?\(token(text))")
        #expect(caller.json["userRecordName"]?.string == form.json["userRecordName"]?.string)
        #expect(try send("DELETE", "/stratus/session?\(token(text))").status == 200)
        #expect(try send("GET", "\(Self.root)/public/users/caller?\(token(text))").status == 421)
        #expect(try send("DELETE", "/stratus/session?ckWebAuthToken=x").status == 401)
        #expect(try send("POST", "/stratus/session", "{}").status == 400)
    }

    @Test("Too many attempts are told when to come back")
    func throttled() throws {
        _ = try cloud.server.identity.createAccount(name: "ben", password: "secret")
        for _ in 0..<3 { #expect(try send("POST", "/stratus/session", "account=ben&password=x").status == 401) }
        let response = try send("POST", "/stratus/session", "account=ben&password=secret")
        #expect(response.status == 429)
        #expect(response.header("Retry-After") == "1")
    }

    @Test("Health and metrics")
    func status() throws {
        _ = try send("GET", "\(Self.root)/public/users/caller?\(token(signIn()))")
        #expect(try send("GET", "/stratus/health").json["status"]?.string == "ok")
        #expect(try send("POST", "/stratus/health").status == 405)
        let text = String(decoding: try send("GET", "/stratus/metrics").body, as: UTF8.self)
        #expect(text.contains(#"stratus_requests_total{operation="users/caller",status="200"} 1"#))
        #expect(text.contains(#"stratus_request_duration_seconds_bucket{operation="users/caller",le="+Inf"} 1"#))
    }

    @Test("Requests and their outcomes become rows of the request log")
    func requestLog() throws {
        let query = token(try signIn())
        _ = try send(
            "POST", "\(Self.root)/private/records/lookup?\(query)", #"{"records":[{"recordName":"none"}]}"#)
        let refused = try send("POST", "\(Self.root)/private/records/lookup?\(Self.key)", "{\"records\":[]}")
        cloud.server.requestLog.flush()
        let rows = try cloud.server.store.requests.query(container: TestCloud.container, since: 0, limit: 10)
        #expect(rows.map(\.status).sorted() == [200, 421])
        let found = try #require(rows.first { $0.status == 200 })
        #expect(found.operation == "private/records/lookup")
        #expect(found.detail == "1 of 1: NOT_FOUND")
        #expect(found.user.hasPrefix("_"))
        #expect(found.requestBytes > 0 && found.responseBytes > 0)
        #expect(rows.first { $0.status == 421 }?.requestID == refused.json["uuid"]?.string)
    }
}

extension HTTPResponse {
    func header(_ name: String) -> String? { headers.first { $0.0 == name }?.1 }

    /// A member of the body.
    var json: JSONBody { JSONBody(body: body) }
}

struct JSONBody {
    let body: [UInt8]

    subscript(_ key: String) -> JSONValue? { (try? JSONDocument(parsing: body))?.root[key] }
}
