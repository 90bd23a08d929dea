import CloudServer
import Foundation
import Glibc
import Synchronization
import Testing

@Suite("Bodies and answers that never lie in memory")
struct HTTPFileTests {
    /// Counts what it is given, and takes no more than it is told.
    final class CountingSink: HTTPBodySink {
        struct State {
            var count = 0
            var sum: UInt64 = 0
            var largest = 0
        }
        let capacity: Int
        private let state = Mutex(State())
        private let left: Mutex<(@Sendable () -> Void)?>

        init(capacity: Int = .max, whenLeft: (@Sendable () -> Void)? = nil) {
            self.capacity = capacity
            left = Mutex(whenLeft)
        }

        deinit { left.withLock { $0 }?() }

        func write(_ part: UnsafeRawBufferPointer) -> Bool {
            state.withLock { state in
                guard state.count + part.count <= capacity else { return false }
                state.count += part.count
                state.largest = max(state.largest, part.count)
                for byte in part { state.sum &+= UInt64(byte) }
                return true
            }
        }

        var received: State { state.withLock { $0 } }
    }

    /// Tells what a sink took; `/plain` has none.
    static func withUploads(
        _ sink: CountingSink, limit: Int = 8 << 20, _ body: (UInt16) throws -> Void
    ) throws {
        try MicroHTTPServerTests.withServer { request, respond in
            let text: String
            if let sink = request.bodySink as? CountingSink {
                let received = sink.received
                text = "\(received.count) \(received.sum) \(received.largest <= 64 << 10) \(request.body.count)"
            } else {
                text = "\(request.body.count) in memory"
            }
            respond(HTTPResponse(body: Array(text.utf8)))
        } configure: { configuration in
            configuration.maximumBodySize = 1000
            configuration.uploadPath = "/upload/"
            configuration.bodyDestination = { request in
                switch request.pathComponents.last {
                case "refused": .refusal(HTTPResponse(status: 403, body: Array("not you".utf8)))
                case "memory": .memory
                default: .sink(sink, limit: limit)
                }
            }
        } _: { _, port in
            try body(port)
        }
    }

    @Test("A long body goes to the sink piece by piece, and others into the request")
    func upload() throws {
        let bytes = (0..<5_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7 >> 2) }
        let sum = bytes.reduce(UInt64(0)) { $0 &+ UInt64($1) }
        let sink = CountingSink()
        try Self.withUploads(sink) { port in
            let client = try RawHTTPClient(port: port)
            client.send("POST /upload/a HTTP/1.1\r\nHost: x\r\nContent-Length: \(bytes.count)\r\n\r\n")
            client.send(bytes)
            #expect(try client.answer().text == "\(bytes.count) \(sum) true 0")
            client.request("POST", "/plain", body: "abc")
            #expect(try client.answer().text == "3 in memory")
            client.request("POST", "/upload/memory", body: "abc")
            #expect(try client.answer().text == "3 in memory")
        }
    }

    @Test("A body in chunks goes to the sink too")
    func chunks() throws {
        try Self.withUploads(CountingSink()) { port in
            let client = try RawHTTPClient(port: port)
            client.send("PUT /upload/a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
            client.send("3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n")
            #expect(try client.answer().text == "5 495 true 0")
        }
    }

    @Test("Too long a body is refused, by what it says or by what it turns out to be")
    func tooLong() throws {
        try Self.withUploads(CountingSink(), limit: 4) { port in
            let client = try RawHTTPClient(port: port)
            client.request("POST", "/upload/a", headers: ["Content-Length: 5"])
            #expect(try client.answer().status == 413)
            let other = try RawHTTPClient(port: port)
            other.send("POST /upload/a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
            other.send("5\r\nabcde\r\n0\r\n\r\n")
            #expect(try other.answer().status == 413)
        }
    }

    @Test("Who may not send is told before the body is read, and a full sink lets the handler answer")
    func refused() throws {
        try Self.withUploads(CountingSink(capacity: 2)) { port in
            let client = try RawHTTPClient(port: port)
            client.request("POST", "/upload/refused", headers: ["Content-Length: 1000000"])
            let answer = try client.answer()
            #expect(answer.status == 403)
            #expect(answer.text == "not you")
            #expect(client.isClosedByServer())
            let other = try RawHTTPClient(port: port)
            other.request("POST", "/upload/a", body: "abcdef")
            #expect(try other.answer().text == "0 0 true 0")
        }
    }

    @Test("Nobody keeps the sink of a request that breaks off")
    func brokenOff() throws {
        let left = DispatchSemaphore(value: 0)
        let holder = Mutex<CountingSink?>(CountingSink { left.signal() })
        try MicroHTTPServerTests.withServer { _, respond in
            respond(HTTPResponse())
        } configure: { configuration in
            configuration.uploadPath = "/upload/"
            configuration.bodyDestination = { _ in
                .sink(holder.withLock { $0.take() } ?? CountingSink(), limit: 1000)
            }
        } _: { _, port in
            var client: RawHTTPClient? = try RawHTTPClient(port: port)
            client?.request("POST", "/upload/a", headers: ["Content-Length: 900"])
            client?.send("some of it")
            client = nil
            #expect(left.wait(timeout: .now() + 30) == .success)
        }
    }

    // MARK: - Files

    static func withFile(_ bytes: [UInt8], _ body: (UInt16) throws -> Void) throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("stratus-file-\(UUID())").path
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        defer { unlink(path) }
        try MicroHTTPServerTests.withServer { request, respond in
            let answer = HTTPResponse.file(
                request, size: Int64(bytes.count), tag: "t1", headers: [("Content-Type", "x/y")]
            ) { offset, length in
                let descriptor = open(path, O_RDONLY)
                return descriptor < 0 ? nil : HTTPFile(descriptor: descriptor, offset: offset, length: length)
            }
            respond(answer ?? HTTPResponse(status: 500))
        } _: { _, port in
            try body(port)
        }
    }

    @Test("A file is sent whole, in part, or not at all where the client has it")
    func download() throws {
        let bytes = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
        try Self.withFile(bytes) { port in
            let client = try RawHTTPClient(port: port)
            let whole = try client.get("/f")
            #expect(whole.status == 200)
            #expect(whole.body == bytes)
            #expect(whole.headers["etag"] == "\"t1\"")
            #expect(whole.headers["accept-ranges"] == "bytes")
            client.request("GET", "/f", headers: ["Range: bytes=100-199"])
            let part = try client.answer()
            #expect(part.status == 206)
            #expect(part.headers["content-range"] == "bytes 100-199/3000000")
            #expect(part.body == Array(bytes[100..<200]))
            client.request("HEAD", "/f")
            let head = try client.answer(hasBody: false)
            #expect(head.headers["content-length"] == "3000000")
            client.request("GET", "/f", headers: ["If-None-Match: \"t1\""])
            #expect(try client.answer(hasBody: false).status == 304)
            client.request("GET", "/f", headers: ["Range: bytes=0-9", "If-Range: \"old\""])
            #expect(try client.answer().body.count == bytes.count)
            client.request("GET", "/f", headers: ["Range: bytes=3000000-"])
            let beyond = try client.answer()
            #expect(beyond.status == 416)
            #expect(beyond.headers["content-range"] == "bytes */3000000")
            #expect(try client.get("/f").status == 200)
        }
    }

    @Test(
        "Ranges are read as RFC 9110 has them",
        arguments: [
            (nil, HTTPRange.whole), ("bytes=0-0", .part(first: 0, last: 0)), ("bytes=5-", .part(first: 5, last: 9)),
            ("bytes=5-99", .part(first: 5, last: 9)), ("bytes=-3", .part(first: 7, last: 9)),
            ("bytes=-99", .part(first: 0, last: 9)), ("BYTES=1-2", .part(first: 1, last: 2)),
            ("bytes=10-", .unsatisfiable), ("bytes=-0", .unsatisfiable),
            ("bytes=99999999999999999999-", .unsatisfiable), ("bytes=5-4", .whole), ("bytes=1-2,4-5", .whole),
            ("bytes=a-b", .whole), ("bytes=-", .whole), ("bytes=", .whole), ("lines=1-2", .whole),
            ("bytes=--1", .whole), ("bytes=+1-2", .whole),
        ] as [(String?, HTTPRange)])
    func ranges(header: String?, range: HTTPRange) {
        #expect(HTTPRange(header, size: 10) == range)
        #expect(header != "bytes=-3" || HTTPRange(header, size: 0) == .unsatisfiable)
    }
}
