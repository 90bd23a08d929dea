import CloudKit
import CloudKitTesting
import Foundation
import Testing
import WebServices

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// What only shows in bytes: addresses, methods, headers, statuses.
@Suite("HTTP conventions") struct HTTPConventionTests {
    private struct Raw {
        let cloud: Cloud
        let root: URL
        let token: String

        init() async throws {
            cloud = try Cloud()
            root = try cloud.serve()
            let reply = try await HTTPTransport(root: root).signIn(
                account: "alice", password: "", limits: RequestLimits())
            token = try reply.result.get()
        }

        struct Answer {
            var status: Int
            var headers: HTTPURLResponse
            var json: [String: Any]
            var records: [[String: Any]] { json["records"] as? [[String: Any]] ?? [] }
        }

        /// - Parameter path: below the container's environment.
        func send(
            _ method: String, _ path: String, _ body: String? = nil, container: String = World.container,
            query: String = "", headers: [String: String] = [:]
        ) async throws -> Answer {
            var allowed = CharacterSet.alphanumerics
            allowed.insert(charactersIn: "-._~")
            let escaped = token.addingPercentEncoding(withAllowedCharacters: allowed) ?? ""
            let address =
                "\(root.absoluteString)/database/1/\(container)/development/\(path)"
                + "?ckAPIToken=\(cloud.apiToken)&ckWebAuthToken=\(escaped)\(query)"
            var request = URLRequest(url: try #require(URL(string: address)))
            request.httpMethod = method
            request.httpBody = body.map { Data($0.utf8) }
            for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
            let (data, response) = try await URLSession.shared.data(for: request)
            let answer = try #require(response as? HTTPURLResponse)
            let json = (try? JSONSerialization.jsonObject(with: data)) as? [String: Any] ?? [:]
            return Answer(status: answer.statusCode, headers: answer, json: json)
        }
    }

    private let create =
        #"{"operations":[{"operationType":"create","record":{"recordName":"a","recordType":"Item","fields":{"n":{"value":7}}}}]}"#

    @Test(
        "A request is found by its path, also with an escaped container; parameters that nobody knows are ignored",
        .behaviour("url.shape", "url.encoded-container", "url.unknown-parameters", "url.content-type-ignored"))
    func address() async throws {
        let raw = try await Raw()
        let saved = try await raw.send(
            "POST", "private/records/modify", create, query: "&clientId=1&remapEnums=true",
            headers: ["Content-Type": "text/plain"])
        #expect(saved.status == 200)
        let found = try await raw.send(
            "POST", "private/records/lookup", #"{"records":[{"recordName":"a"}]}"#,
            container: World.container.replacingOccurrences(of: ".", with: "%2E"))
        #expect(found.records.first?["recordName"] as? String == "a")
    }

    @Test("List and caller calls take GET and POST", .behaviour("url.get-and-post"), arguments: ["GET", "POST"])
    func methods(_ method: String) async throws {
        let raw = try await Raw()
        _ = try await raw.send("POST", "private/records/modify", create)
        for path in ["private/zones/list", "public/users/caller", "public/users/current"] {
            #expect(try await raw.send(method, path, method == "POST" ? "{}" : nil).status == 200, "\(path)")
        }
    }

    @Test(
        "An unknown endpoint is 404; OPTIONS tells what is allowed, and browsers may come",
        .behaviour("url.unknown-endpoint", "url.options", "url.cors", "url.not-routed"))
    func unknown() async throws {
        let raw = try await Raw()
        for path in ["private/records/guess", "tokens/create"] {
            let answer = try await raw.send("POST", path, "{}")
            #expect(answer.status == 404)
            #expect(answer.json["reason"] as? String == "could not find handler for endpoint")
        }
        let options = try await raw.send(
            "OPTIONS", "private/records/modify", headers: ["Origin": "https://app.example.com"])
        #expect((200...204).contains(options.status))
        #expect(options.headers.value(forHTTPHeaderField: "Allow")?.contains("POST") == true)
        #expect(options.headers.value(forHTTPHeaderField: "Access-Control-Allow-Origin") == "https://app.example.com")
        let answer = try await raw.send("GET", "private/zones/list", headers: ["Origin": "https://app.example.com"])
        let exposed = answer.headers.value(forHTTPHeaderField: "Access-Control-Expose-Headers")
        #expect(exposed?.contains("X-Apple-CloudKit-Web-Auth-Token") == true)
    }

    @Test(
        "A zone's token comes when it is asked for; a look-up takes one object for a list; numbers can be text",
        .behaviour("url.current-sync-token", "url.single-object", "modify.numbers-as-strings"))
    func variants() async throws {
        let raw = try await Raw()
        let plain = try await raw.send("POST", "private/records/modify", create)
        #expect(plain.json["syncToken"] == nil)
        let lookup = #"{"records":{"recordName":"a"},"numbersAsStrings":true}"#
        let found = try await raw.send("POST", "private/records/lookup", lookup)
        let field = (found.records.first?["fields"] as? [String: Any])?["n"] as? [String: Any]
        #expect(field?["value"] as? String == "7")
        #expect(field?["type"] as? String == "INT64")
        let zone = #"{"operations":[{"operationType":"create","zone":{"zoneID":{"zoneName":"Zone"}}}]}"#
        _ = try await raw.send("POST", "private/zones/modify", zone)
        let inZone = create.replacingOccurrences(
            of: #"{"operations""#, with: #"{"zoneID":{"zoneName":"Zone"},"operations""#)
        let asked = try await raw.send("POST", "private/records/modify", inZone, query: "&getCurrentSyncToken=true")
        #expect((asked.json["syncToken"] as? String)?.isEmpty == false)
    }

    @Test(
        "An error has its status, a code, a reason and a uuid",
        .behaviour("error.shape", "error.status", "error.malformed"))
    func errors() async throws {
        let raw = try await Raw()
        let malformed = try await raw.send("POST", "private/records/modify", "{\"operations\":")
        #expect(malformed.status == 400)
        #expect(malformed.json["reason"] as? String == "BadRequestException: Unexpected input")
        #expect(malformed.json["serverErrorCode"] as? String == "BAD_REQUEST")
        #expect((malformed.json["uuid"] as? String)?.isEmpty == false)
        for (code, status) in [
            (ServerError.Code.accessDenied, 403), (.atomicError, 400), (.authenticationFailed, 401),
            (.authenticationRequired, 421), (.badRequest, 400), (.conflict, 409), (.exists, 409),
            (.internalError, 500), (.notFound, 404), (.quotaExceeded, 413), (.throttled, 429), (.tryAgainLater, 503),
            (.validatingReferenceError, 412), (.zoneNotFound, 404),
        ] {
            #expect(Reply(.failure(ServerError(code, ""))).encode().status == status)
        }
    }
}
