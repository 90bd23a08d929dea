import CloudServer
import Dispatch
import Foundation
import FoundationNetworking
import Testing

@Suite("The HTTP server over sockets")
struct MicroHTTPServerTests {
    /// Says back what came in: at once, or from another thread for paths that begin with `/later`.
    static let echo: HTTPHandler = { request, respond in
        var text = "\(request.method) \(request.path)?\(request.query.raw)"
        if let header = request.headers["x-test"] { text += " [\(header)]" }
        text += " " + String(decoding: request.body, as: UTF8.self)
        let response = HTTPResponse(status: 200, headers: [("X-Answer", "yes")], body: Array(text.utf8))
        if request.path.hasPrefix("/later") {
            DispatchQueue.global().async { respond(response) }
        } else {
            respond(response)
        }
    }

    /// Runs `body` with a server that is stopped afterwards.
    static func withServer(
        handler: @escaping HTTPHandler = echo, configure: (inout HTTPServerConfiguration) -> Void = { _ in },
        _ body: (MicroHTTPServer, UInt16) throws -> Void
    ) throws {
        var configuration = HTTPServerConfiguration()
        configure(&configuration)
        let server = MicroHTTPServer(configuration, handler: handler)
        try server.start()
        defer { server.stop(grace: .zero) }
        try body(server, try #require(server.port))
    }

    @Test("A request reaches the handler whole and its answer the client", arguments: ["/now", "/later"])
    func roundTrip(path: String) throws {
        try Self.withServer { _, port in
            let client = try RawHTTPClient(port: port)
            client.request("POST", path + "/%41?q=%20", headers: ["X-Test: é"], body: "hello")
            let answer = try client.answer()
            #expect(answer.status == 200)
            #expect(answer.text == "POST \(path)/%41?q=%20 [é] hello")
            #expect(answer.headers["x-answer"] == "yes")
            #expect(answer.headers["date"] != nil)
            // The same connection again.
            #expect(try client.get(path).text == "GET \(path)? ")
        }
    }

    @Test(
        "HEAD, OPTIONS and unknown methods reach the handler",
        arguments: ["HEAD", "OPTIONS", "DELETE", "PATCH", "STRANGE"])
    func methods(method: String) throws {
        try Self.withServer { _, port in
            let client = try RawHTTPClient(port: port)
            client.request(method, "/x")
            let answer = try client.answer(hasBody: method != "HEAD")
            #expect(answer.status == 200)
            #expect(answer.headers["content-length"] == "\(method.count + 5)")
            #expect(try client.get("/").status == 200)
        }
    }

    @Test("Requests sent in one go are answered in order")
    func pipelining() throws {
        try Self.withServer { _, port in
            let client = try RawHTTPClient(port: port)
            for number in 0..<5 { client.request("GET", number % 2 == 0 ? "/later/\(number)" : "/\(number)") }
            for number in 0..<5 { #expect(try client.answer().text.contains("\(number)?")) }
        }
    }

    @Test("A client that asks first is told to go on")
    func continuation() throws {
        try Self.withServer { _, port in
            let client = try RawHTTPClient(port: port)
            client.request("POST", "/x", headers: ["Expect: 100-continue", "Content-Length: 3"])
            #expect(try client.answer().status == 100)
            client.send("abc")
            #expect(try client.answer().text == "POST /x? abc")
        }
    }

    @Test("256 connections at a time are all answered, again and again")
    func manyConnections() throws {
        try Self.withServer { _, port in
            let clients = try (0..<256).map { _ in try RawHTTPClient(port: port) }
            for round in 0..<4 {
                for (number, client) in clients.enumerated() {
                    client.request("POST", number % 3 == 0 ? "/later" : "/now", body: "\(round).\(number)")
                }
                for (number, client) in clients.enumerated() {
                    #expect(try client.answer().text.hasSuffix(" \(round).\(number)"))
                }
            }
        }
    }

    @Test("A large answer arrives whole")
    func largeAnswer() throws {
        let body = (0..<5_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
        try Self.withServer { _, respond in
            respond(HTTPResponse(body: body))
        } _: { _, port in
            let client = try RawHTTPClient(port: port)
            for _ in 0..<2 { #expect(try client.get("/").body == body) }
        }
    }

    @Test("Only the first answer counts")
    func secondAnswer() throws {
        try Self.withServer { request, respond in
            respond(HTTPResponse(status: 201))
            respond(HTTPResponse(status: 202))
            DispatchQueue.global().async { respond(HTTPResponse(status: 203)) }
        } _: { _, port in
            let client = try RawHTTPClient(port: port)
            for _ in 0..<10 { #expect(try client.get("/").status == 201) }
        }
    }

    @Test("A proper client is served")
    func urlSession() async throws {
        let server = MicroHTTPServer(HTTPServerConfiguration(), handler: Self.echo)
        try server.start()
        defer { server.stop(grace: .zero) }
        let port = try #require(server.port)
        var request = URLRequest(url: try #require(URL(string: "http://127.0.0.1:\(port)/later?a=b")))
        request.httpMethod = "POST"
        request.httpBody = Data(repeating: UInt8(ascii: "x"), count: 3_000_000)
        let (data, response) = try await URLSession.shared.data(for: request)
        #expect((response as? HTTPURLResponse)?.statusCode == 200)
        #expect(data.count == 3_000_000 + "POST /later?a=b ".count)
    }
}
