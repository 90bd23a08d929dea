import ChildProcesses
import CloudServer
import Dispatch
import Foundation
import Synchronization
import Testing

@Suite("Clients that come and go, and the server's own end")
struct HTTPLifecycleTests {
    /// Keeps what would answer each request, and lets a test wait for a number of them.
    private final class Held: Sendable {
        private let responders = Mutex<[@Sendable (HTTPResponse) -> Void]>([])
        private let arrived = DispatchSemaphore(value: 0)

        var handler: HTTPHandler {
            { request, respond in
                guard request.path == "/hold" else { return respond(HTTPResponse(body: Array("now".utf8))) }
                self.responders.withLock { $0.append(respond) }
                self.arrived.signal()
            }
        }

        func wait(for count: Int) throws {
            for _ in 0..<count { try #require(arrived.wait(timeout: .now() + 30) == .success) }
        }

        func answer(_ response: HTTPResponse) {
            for respond in responders.withLock({ $0 }) { respond(response) }
        }
    }

    @Test("Clients that send half a request keep nobody waiting")
    func halfOpen() throws {
        try MicroHTTPServerTests.withServer { _, port in
            let slow = try (0..<50).map { _ in try RawHTTPClient(port: port) }
            for (number, client) in slow.enumerated() {
                client.send(
                    number % 2 == 0
                        ? "POST /x HTTP/1.1\r\nHo" : "POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nhalf")
            }
            for _ in 0..<20 { #expect(try RawHTTPClient(port: port).get("/x").status == 200) }
            // And they are served when they go on.
            slow[1].send(" past")
            #expect(try slow[1].answer().text == "POST /x? half past")
        }
    }

    @Test(
        "A client that does not finish its request in time is cut off, however lively it is",
        arguments: [
            "GET /", "POST /x HTTP/1.1\r\nHost: x\r\nX-Slow: ",
            "POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 900\r\n\r\n",
        ])
    func deadline(beginning: String) throws {
        try MicroHTTPServerTests.withServer(configure: { configuration in
            configuration.idleTimeout = .seconds(1)
            configuration.requestTimeout = .milliseconds(200)
        }) { _, port in
            let client = try RawHTTPClient(port: port)
            client.send(beginning)
            // Well within the idle limit.
            #expect(client.isClosedByServerWhileSending())
        }
    }

    @Test("Who only holds connections makes room once most are taken", arguments: ["", "GET /slow HTTP/1.1\r\nX: "])
    func crowded(beginning: String) throws {
        try MicroHTTPServerTests.withServer(configure: { configuration in
            configuration.connectionLimit = 16
            configuration.threadCount = 1
            configuration.crowdedRequestTimeout = .seconds(1)
        }) { _, port in
            let holding = try (0..<40).map { _ in try RawHTTPClient(port: port) }
            for client in holding { client.send(beginning) }
            // With the usual times it would wait for a minute, which is more than it does.
            #expect(try RawHTTPClient(port: port).get("/x").status == 200)
            #expect(holding.count == 40)
        }
    }

    @Test(
        "Bodies that together need more memory than there is for them are told to come back; the others pass",
        .timeLimit(.minutes(1)))
    func bodyMemory() throws {
        try MicroHTTPServerTests.withServer(configure: { $0.bodyMemory = 100_000 }) { server, port in
            let holding = try RawHTTPClient(port: port)
            let begun = "POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 90000\r\n\r\n"
            holding.send(begun + String(repeating: "a", count: 80_000))
            while server.bodyMemory < 80_000 { Thread.sleep(forTimeInterval: 0.001) }
            let refused = try RawHTTPClient(port: port)
            refused.request("POST", "/b", body: String(repeating: "b", count: 30_000))
            #expect(try refused.answer().status == 503)
            let small = try RawHTTPClient(port: port)
            small.request("POST", "/c", body: "c")
            #expect(try small.answer().status == 200)
            holding.send(String(repeating: "a", count: 10_000))
            #expect(try holding.answer().status == 200)
            // All of it is given back.
            let large = try RawHTTPClient(port: port)
            large.request("POST", "/d", body: String(repeating: "d", count: 99_000))
            #expect(try large.answer().status == 200)
        }
    }

    @Test(
        "A client that takes its answer byte by byte is cut off in time, and gives its memory back",
        .timeLimit(.minutes(3)))
    func slowReader() throws {
        let large = [UInt8](repeating: 7, count: 32 << 20)
        try MicroHTTPServerTests.withServer { request, respond in
            respond(HTTPResponse(body: request.path == "/large" ? large : Array("small".utf8)))
        } configure: {
            $0.answerTimeout = .milliseconds(200)
        } _: { server, port in
            let slow = try RawHTTPClient(port: port, receiveBuffer: 4096)
            slow.request("GET", "/large")
            while server.answerMemory < large.count { Thread.sleep(forTimeInterval: 0.001) }
            #expect(try RawHTTPClient(port: port).get("/small").text == "small")
            // Well within the idle limit.
            while server.answerMemory > 0 {
                _ = slow.takeByte()
                Thread.sleep(forTimeInterval: 0.005)
            }
            // Whoever takes it is not hurried.
            let quick = try RawHTTPClient(port: port)
            #expect(try quick.get("/large").body.count == large.count)
            #expect(try quick.get("/small").text == "small")
        }
    }

    @Test(
        "Answers that nobody takes give way to those that somebody does, once they fill the memory for them",
        .timeLimit(.minutes(3)))
    func answerMemory() throws {
        let large = [UInt8](repeating: 7, count: 8 << 20)
        try MicroHTTPServerTests.withServer { request, respond in
            respond(HTTPResponse(body: request.path == "/large" ? large : Array("small".utf8)))
        } configure: {
            $0.answerMemory = 30 << 20
            $0.threadCount = 1
        } _: { server, port in
            let holding = try (0..<12).map { _ in try RawHTTPClient(port: port, receiveBuffer: 4096) }
            for client in holding { client.request("GET", "/large") }
            var told = 0
            let honest = try RawHTTPClient(port: port)
            while true {
                let answer = try honest.get("/small")
                if answer.status == 200, told > 0 { break }
                #expect([200, 503].contains(answer.status))
                if answer.status == 503 { told += 1 }
                // One more than what fits is taken before anybody is told.
                #expect(server.answerMemory <= 30 << 20 + large.count)
            }
            #expect(try honest.get("/large").body.count == large.count)
            #expect(holding.count == 12)
        }
    }

    @Test("A client that goes away while its answer is awaited does no harm")
    func clientLeaves() throws {
        let held = Held()
        try MicroHTTPServerTests.withServer(handler: held.handler) { _, port in
            for _ in 0..<20 { try RawHTTPClient(port: port).request("GET", "/hold") }
            try held.wait(for: 20)
            let staying = try RawHTTPClient(port: port)
            #expect(try staying.get("/").text == "now")
            held.answer(HTTPResponse(body: [UInt8](repeating: 0, count: 1_000_000)))
            #expect(try staying.get("/").text == "now")
        }
    }

    @Test("Waiting for an answer is no idleness")
    func longWait() throws {
        try MicroHTTPServerTests.withServer { _, respond in
            // Longer than both limits and the look at the deadlines.
            DispatchQueue.global().asyncAfter(deadline: .now() + 3) { respond(HTTPResponse(status: 201)) }
        } configure: { configuration in
            configuration.idleTimeout = .seconds(1)
            configuration.requestTimeout = .seconds(1)
        } _: { _, port in
            let client = try RawHTTPClient(port: port)
            #expect(try client.get("/").status == 201)
        }
    }

    @Test("Awaited answers do not occupy the server's threads")
    func manyAwaited() throws {
        let held = Held()
        try MicroHTTPServerTests.withServer(handler: held.handler) { _, port in
            let waiting = try (0..<100).map { _ in try RawHTTPClient(port: port) }
            for client in waiting { client.request("GET", "/hold") }
            try held.wait(for: 100)
            #expect(try RawHTTPClient(port: port).get("/").text == "now")
            held.answer(HTTPResponse(status: 201))
            for client in waiting { #expect(try client.answer().status == 201) }
        }
    }

    @Test("Stopping waits for requests under way and takes no new ones")
    func gracefulStop() throws {
        let held = Held()
        let server = MicroHTTPServer(HTTPServerConfiguration(), handler: held.handler)
        try server.start()
        let port = try #require(server.port)
        let clients = try (0..<10).map { _ in try RawHTTPClient(port: port) }
        for client in clients { client.request("GET", "/hold") }
        try held.wait(for: 10)
        let hasStopped = DispatchSemaphore(value: 0)
        let thread = Thread {
            server.stop(grace: .seconds(30))
            hasStopped.signal()
        }
        thread.start()
        // Until it is stopping, it takes connections.
        while (try? RawHTTPClient(port: port)) != nil {}
        held.answer(HTTPResponse(status: 201))
        for client in clients {
            let answer = try client.answer()
            #expect(answer.status == 201)
            #expect(answer.headers["connection"]?.lowercased() == "close")
        }
        #expect(hasStopped.wait(timeout: .now() + 30) == .success)
        #expect(server.port == nil)
    }

    @Test("Stopping refuses those that get no answer in time, and later answers are dropped")
    func impatientStop() throws {
        let held = Held()
        let server = MicroHTTPServer(HTTPServerConfiguration(), handler: held.handler)
        try server.start()
        let port = try #require(server.port)
        let clients = try (0..<10).map { _ in try RawHTTPClient(port: port) }
        for client in clients { client.request("GET", "/hold") }
        // One whose client has gone, and one that is half sent.
        try RawHTTPClient(port: port).request("GET", "/hold")
        try RawHTTPClient(port: port).send("GET /ho")
        try held.wait(for: 11)
        server.stop(grace: .zero)
        for client in clients { #expect(try client.answer().status == 503) }
        held.answer(HTTPResponse(status: 201))
    }

    @Test("Stopping while requests pour in harms neither side", arguments: 0..<10)
    func stopUnderLoad(round: Int) throws {
        let server = MicroHTTPServer(HTTPServerConfiguration(), handler: MicroHTTPServerTests.echo)
        try server.start()
        let port = try #require(server.port)
        let answered = Atomic(0)
        DispatchQueue.concurrentPerform(iterations: 5) { index in
            if index == 0 {
                while answered.load(ordering: .relaxed) < 20 { usleep(100) }
                server.stop(grace: .milliseconds(round))
            } else {
                while let client = try? RawHTTPClient(port: port) {
                    // Malformed ones too, which libmicrohttpd answers itself.
                    client.request(
                        "GET", index % 2 == 0 ? "/later" : "/now", headers: index > 2 ? ["Content-Length: x"] : [])
                    guard !client.isClosedByServer() else { continue }
                    answered.add(1, ordering: .relaxed)
                }
            }
        }
        #expect(server.port == nil)
    }

    @Test("A server can be started again, and stopping twice is nothing")
    func restart() throws {
        let server = MicroHTTPServer(HTTPServerConfiguration(), handler: MicroHTTPServerTests.echo)
        for _ in 0..<3 {
            try server.start()
            #expect(throws: HTTPServerError.alreadyStarted) { try server.start() }
            #expect(try RawHTTPClient(port: #require(server.port)).get("/").status == 200)
            server.stop(grace: .zero)
            server.stop(grace: .zero)
        }
    }

    @Test("A port that is taken and a host that is unknown are named")
    func cannotListen() throws {
        try MicroHTTPServerTests.withServer { _, port in
            let second = MicroHTTPServer(HTTPServerConfiguration(port: port), handler: MicroHTTPServerTests.echo)
            #expect(
                throws: HTTPServerError.cannotListen(host: "127.0.0.1", port: port, reason: "Address already in use")
            ) {
                try second.start()
            }
        }
        let nowhere = MicroHTTPServer(HTTPServerConfiguration(host: "not a host"), handler: MicroHTTPServerTests.echo)
        #expect { try nowhere.start() } throws: { error in
            if case .unknownHost("not a host", _) = error as? HTTPServerError { true } else { false }
        }
    }

    @Test("An unusable certificate keeps the server from starting")
    func unusableCertificate() {
        var configuration = HTTPServerConfiguration()
        configuration.tls = .init(certificate: "no certificate", privateKey: "no key")
        let server = MicroHTTPServer(configuration, handler: MicroHTTPServerTests.echo)
        #expect { try server.start() } throws: { error in
            if case .cannotStart = error as? HTTPServerError { true } else { false }
        }
        #expect(server.port == nil)
    }

    @Test("With a certificate it speaks TLS")
    func tls() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("stratus-tls-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (key, certificate) = (folder.path + "/key.pem", folder.path + "/certificate.pem")
        _ = try openssl(
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
            "-subj",
            "/CN=localhost", "-keyout", key, "-out", certificate)
        try MicroHTTPServerTests.withServer(configure: { configuration in
            configuration.tls = try? .init(
                certificate: String(contentsOfFile: certificate, encoding: .utf8),
                privateKey: String(contentsOfFile: key, encoding: .utf8))
        }) { _, port in
            for path in ["/now", "/later"] {
                let answer = try openssl(
                    "s_client", "-connect", "127.0.0.1:\(port)", "-CAfile", certificate, "-verify_return_error",
                    "-quiet",
                    input: "POST \(path) HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 2\r\n\r\nhi")
                #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n"))
                #expect(answer.hasSuffix("POST \(path)? hi"))
            }
        }
    }

    private func openssl(_ arguments: String..., input: String = "") throws -> String {
        let process = ChildProcess()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["openssl"] + arguments
        let (standardInput, standardOutput) = (Pipe(), Pipe())
        process.standardInput = standardInput
        process.standardOutput = standardOutput
        process.standardError = FileHandle.nullDevice
        try process.run()
        try standardInput.fileHandleForWriting.write(contentsOf: Data(input.utf8))
        // `-quiet` lets openssl read on after its input has ended.
        try standardInput.fileHandleForWriting.close()
        let output = try standardOutput.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return String(decoding: output, as: UTF8.self)
    }
}
