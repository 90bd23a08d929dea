import CloudServer
import Foundation
import Synchronization
import Testing

@Suite("What the HTTP server refuses")
struct HTTPRefusalTests {
    private func withServer(_ body: (UInt16) throws -> Void) throws {
        try MicroHTTPServerTests.withServer(configure: { configuration in
            configuration.maximumBodySize = 1000
            configuration.refusal = { refusal, request in
                .json(Array("{\"status\":\(refusal.status),\"path\":\"\(request.path)\"}".utf8), status: refusal.status)
            }
        }) { _, port in try body(port) }
    }

    @Test("A body as large as allowed is taken")
    func largestBody() throws {
        try withServer { port in
            let client = try RawHTTPClient(port: port)
            client.request("POST", "/x", body: String(repeating: "a", count: 1000))
            #expect(try client.answer().status == 200)
        }
    }

    @Test(
        "A larger body is refused before it is sent", arguments: ["POST", "PUT", "PATCH", "DELETE"], [1001, Int.max])
    func announcedBody(method: String, length: Int) throws {
        try withServer { port in
            let client = try RawHTTPClient(port: port)
            client.request(method, "/x?y", headers: ["Content-Length: \(length)"])
            let answer = try client.answer()
            #expect(answer.status == 413)
            #expect(answer.text == #"{"status":413,"path":"/x"}"#)
            // The body would be taken for the next request.
            #expect(client.isClosedByServer())
        }
    }

    @Test("A client that sends its large body without waiting reads the refusal all the same", arguments: 0..<10)
    func unaskedBody(round: Int) throws {
        try withServer { port in
            let client = try RawHTTPClient(port: port)
            client.request("POST", "/x", body: String(repeating: "a", count: 100_000 << (round / 2)))
            #expect(try client.answer().status == 413)
        }
    }

    @Test("A client that asks first is told so instead of to go on")
    func continuation() throws {
        try withServer { port in
            let client = try RawHTTPClient(port: port)
            client.request("POST", "/x", headers: ["Expect: 100-continue", "Content-Length: 2000"])
            #expect(try client.answer().status == 413)
        }
    }

    @Test("A body of unknown length is taken up to the limit", arguments: [(10, 200), (20, 200), (21, 413), (30, 413)])
    func chunkedBody(chunks: Int, status: Int) throws {
        try withServer { port in
            let client = try RawHTTPClient(port: port)
            client.request("POST", "/x", headers: ["Transfer-Encoding: chunked"])
            for _ in 0..<chunks { client.send("32\r\n" + String(repeating: "a", count: 50) + "\r\n") }
            client.send("0\r\n\r\n")
            let answer = try client.answer()
            #expect(answer.status == status)
            if status == 200 { #expect(answer.text.count == "POST /x? ".count + chunks * 50) }
        }
    }

    @Test("A body of unknown length that does not end is cut off")
    func endlessBody() throws {
        try withServer { port in
            let client = try RawHTTPClient(port: port)
            client.request("POST", "/x", headers: ["Transfer-Encoding: chunked"])
            for _ in 0..<1000 { client.send("32\r\n" + String(repeating: "a", count: 50) + "\r\n") }
            #expect(client.isClosedByServer())
        }
    }

    @Test("A target that is not percent-encoded UTF-8 is malformed", arguments: ["/%", "/%zz", "/x?a=%ff"])
    func target(target: String) throws {
        try withServer { port in
            let client = try RawHTTPClient(port: port)
            #expect(try client.get(target).status == 400)
            #expect(try client.get("/x").status == 200)
        }
    }

    @Test(
        "A request whose end is ambiguous is malformed, and so is its connection",
        arguments: [
            ["Content-Length: 3", "Content-Length: 5"], ["Content-Length: 3", "Transfer-Encoding: chunked"],
            ["Content-Length: +3"], ["Content-Length: -1"], ["Content-Length: 3x"], ["Content-Length: "],
        ])
    func ambiguous(headers: [String]) throws {
        try withServer { port in
            let client = try RawHTTPClient(port: port)
            client.request("POST", "/x", headers: headers)
            #expect(try client.answer().status == 400)
            // libmicrohttpd words some of these itself, and its status line twice.
            #expect(client.isClosedByServerFinally())
        }
    }

    @Test("Headers beyond the memory for them are refused, and fitting ones are taken")
    func longHeaders() throws {
        try withServer { port in
            let fitting = try RawHTTPClient(port: port)
            fitting.request("GET", "/x", headers: ["X-Long: " + String(repeating: "a", count: 4000)])
            #expect(try fitting.answer().status == 200)
            let tooLong = try RawHTTPClient(port: port)
            tooLong.request("GET", "/x", headers: ["X-Long: " + String(repeating: "a", count: 9000)])
            #expect([413, 431].contains(try tooLong.answer().status))
        }
    }

    @Test(
        "An answer that HTTP cannot carry becomes an error",
        arguments: [
            HTTPResponse(headers: [("X-Test", "a\r\nSet-Cookie: b")]), HTTPResponse(headers: [("", "a")]),
            HTTPResponse(status: 99), HTTPResponse(status: 100), HTTPResponse(status: -1), HTTPResponse(status: 1000),
        ])
    func invalidAnswer(response: HTTPResponse) throws {
        try MicroHTTPServerTests.withServer { _, respond in
            respond(response)
        } _: { _, port in
            let client = try RawHTTPClient(port: port)
            let answer = try client.get("/")
            #expect(answer.status == 500)
            #expect(answer.headers["set-cookie"] == nil)
        }
    }

    @Test("Bytes at random do no harm", arguments: 0..<5)
    func garbage(seed: UInt64) throws {
        try withServer { port in
            var state = seed &+ 1
            func random(_ below: Int) -> Int {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                return Int(state >> 33) % below
            }
            let whole = Array(
                "POST /a%20b?c=d&e HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nX: y\r\n\r\nhelloGET / HTTP/1.1\r\nHost: x\r\n\r\n"
                    .utf8)
            for _ in 0..<40 {
                var bytes = whole
                for _ in 0...random(4) {
                    switch random(3) {
                    case 0: bytes[random(bytes.count)] = UInt8(random(256))
                    case 1: bytes.insert(UInt8(random(256)), at: random(bytes.count))
                    default: bytes.remove(at: random(bytes.count))
                    }
                }
                try RawHTTPClient(port: port).send(bytes)
            }
            #expect(try RawHTTPClient(port: port).get("/").status == 200)
        }
    }
}
