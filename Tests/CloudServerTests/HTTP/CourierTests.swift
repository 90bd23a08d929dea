import CloudStore
import Glibc
import Testing
import WebServices

@testable import CloudServer

@Suite("Long polls over HTTP") struct CourierTests {
    /// A server on a port of its own.
    private func withServer(
        _ configure: (inout ServerConfiguration) -> Void = { _ in },
        _ body: (TestCloud, MicroHTTPServer, UInt16) throws -> Void
    ) throws {
        let cloud = try TestCloud {
            $0.publicURL = nil
            configure(&$0)
        }
        let router = Router(server: cloud.server)
        let server = MicroHTTPServer(HTTPServerConfiguration()) { router.handle($0, respond: $1) }
        try server.start()
        defer {
            cloud.server.push.stop()
            server.stop(grace: .seconds(5))
        }
        try body(cloud, server, try #require(server.port))
    }

    private func token(_ cloud: TestCloud, _ port: UInt16, at path: String) throws -> RawHTTPClient.Answer {
        let signedIn = try cloud.server.identity.signIn(account: "anna", password: "", keepSignedIn: true)
        let token = signedIn.webAuthToken.replacing("+", with: "%2B").replacing("/", with: "%2F")
            .replacing("=", with: "%3D")
        let client = try RawHTTPClient(port: port)
        client.request(
            "POST", "\(path)?ckAPIToken=\(TestCloud.apiToken)&ckWebAuthToken=\(token)",
            body: #"{"apnsEnvironment":"development","clientId":"x"}"#)
        return try client.answer()
    }

    private func courierPath(_ answer: RawHTTPClient.Answer) throws -> String {
        let url = try #require(try JSONDocument(parsing: answer.body).root["webcourierURL"]?.string)
        #expect(url.hasPrefix("http://localhost/stratus/courier/"))
        return String(url.dropFirst("http://localhost".count))
    }

    private static let device = "/device/1/\(TestCloud.container)/development"
    private static let database = "/database/1/\(TestCloud.container)/development"

    @Test(
        "A token is made at each of the paths that clients use",
        arguments: [device + "/tokens/create", database + "/tokens/create", database + "/private/tokens/create"])
    func paths(_ path: String) throws {
        try withServer { cloud, _, port in
            let answer = try token(cloud, port, at: path)
            #expect(answer.status == 200)
            _ = try courierPath(answer)
        }
    }

    @Test("Module device has no other paths", arguments: ["/records/query", "/private/records/query", "/zones/list"])
    func noOtherPaths(_ path: String) throws {
        try withServer { _, _, port in
            let client = try RawHTTPClient(port: port)
            #expect(try client.get(Self.device + path).status == 404)
        }
    }

    @Test("A poll is held open, answered with a push, and its connection polls again")
    func poll() throws {
        try withServer { cloud, _, port in
            let device = try cloud.device()
            try device.create("Notes")
            try device.subscribe()
            let path = try courierPath(try token(cloud, port, at: Self.device + "/tokens/create"))
            let client = try RawHTTPClient(port: port)
            client.request("GET", path + "?after=", headers: ["Origin: https://app.example"])
            for round in 0..<3 {
                try device.touch("Notes", "\(round)")
                let answer = try client.answer()
                #expect(answer.status == 200)
                #expect(answer.headers["access-control-allow-origin"] == "https://app.example")
                let push = try PushNotification(try JSONDocument(parsing: answer.body).root)
                #expect(push.zones == ["Notes"])
                client.request(
                    "GET", path + "?after=\(push.notificationID)", headers: ["Origin: https://app.example"])
            }
        }
    }

    @Test("A poll without news is answered with an empty object")
    func idle() throws {
        try withServer({ $0.push.pollLife = .milliseconds(10) }) { cloud, _, port in
            let path = try courierPath(try token(cloud, port, at: Self.device + "/tokens/create"))
            let client = try RawHTTPClient(port: port)
            for _ in 0..<3 { #expect(try client.get(path).text == "{}") }
        }
    }

    @Test("Clients that leave while they poll cost nothing but their turn")
    func clientLeaves() throws {
        try withServer { cloud, _, port in
            let device = try cloud.device()
            try device.create("Notes")
            try device.subscribe()
            let path = try courierPath(try token(cloud, port, at: Self.device + "/tokens/create"))
            for _ in 0..<20 { try RawHTTPClient(port: port).request("GET", path + "?after=") }
            let staying = try RawHTTPClient(port: port)
            staying.request("GET", path + "?after=")
            try device.touch("Notes")
            // Whichever poll came last got the push; what went to one that left comes again.
            var answer = try staying.answer()
            if answer.status == 503 {
                staying.request("GET", path + "?after=")
                answer = try staying.answer()
            }
            #expect(try PushNotification(try JSONDocument(parsing: answer.body).root).zones == ["Notes"])
        }
    }

    @Test("Polls that wait do not keep a server from stopping")
    func stop() throws {
        try withServer { cloud, server, port in
            let clients = try (0..<10).map { _ in
                let path = try courierPath(try token(cloud, port, at: Self.device + "/tokens/create"))
                let client = try RawHTTPClient(port: port)
                client.request("GET", path)
                return client
            }
            while cloud.server.push.pollCount < clients.count { sched_yield() }
            cloud.server.push.stop()
            server.stop(grace: .seconds(60))
            for client in clients { #expect(client.isClosedByServerFinally()) }
        }
    }

    @Test("What is no courier's address is not found, and only GET is taken")
    func refused() throws {
        try withServer { cloud, _, port in
            let path = try courierPath(try token(cloud, port, at: Self.device + "/tokens/create"))
            let client = try RawHTTPClient(port: port)
            for wrong in ["/stratus/courier", "/stratus/courier/x/development", path + "/x", String(path.dropLast())] {
                #expect(try client.get(wrong).status == 404)
            }
            client.request("POST", path, body: "{}")
            #expect(try client.answer().status == 405)
            client.request("OPTIONS", path)
            #expect(try client.answer().status == 200)
        }
    }
}
