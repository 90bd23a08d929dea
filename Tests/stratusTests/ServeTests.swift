import ChildProcesses
import Foundation
import SQL
import Testing

@Suite("stratus serve")
struct ServeTests {
    let stratus: Stratus

    init() throws { stratus = try Stratus() }

    @Test("It answers, tells its port, and ends with 0 when asked to", arguments: [SIGTERM, SIGINT])
    func life(signal: Int32) async throws {
        let server = try await stratus.start("serve", "--data", "d", "--port", "0", "--port-file", stratus.path("port"))
        #expect(try await ask("GET", "\(server.url)/stratus/health").status == 200)
        #expect(try await server.stop(signal) == 0)
        #expect(!FileManager.default.fileExists(atPath: stratus.path("port")))
    }

    @Test("A second server on the same folder is refused, and told by whom it is used")
    func folderInUse() async throws {
        let server = try await stratus.start("serve", "--data", "d", "--port", "0")
        let second = try await stratus("serve", "--data", "d", "--port", "0")
        #expect(second.code == 5)
        #expect(second.error.contains("process \(server.processIdentifier)"))
        _ = try await server.stop(SIGKILL)
        let third = try await stratus.start("serve", "--data", "d", "--port", "0")
        _ = try await third.stop()
    }

    @Test("A port that is taken is named, with the way out")
    func portTaken() async throws {
        let server = try await stratus.start("serve", "--data", "one", "--port", "0")
        let port = try #require(server.url.split(separator: ":").last.map(String.init))
        let second = try await stratus("serve", "--data", "two", "--port", port)
        #expect(second.code == 1)
        #expect(second.error.contains("Port \(port)"))
        #expect(second.error.contains("--port 0"))
        _ = try await server.stop()
    }

    @Test("A folder that cannot be one, and data of a newer version, are refused in words")
    func unusableData() async throws {
        try stratus.write("", to: "file")
        let file = try await stratus("serve", "--data", "file/below", "--port", "0")
        #expect(file.code == 1)
        #expect(file.error.contains("cannot be made"))

        _ = try await stratus("container", "create", "iCloud.x", "--data", "d")
        let connection = try SQLiteConnection(path: stratus.path("d/control.sqlite"))
        try connection.execute("PRAGMA user_version = 999")
        connection.close()
        let newer = try await stratus("serve", "--data", "d", "--port", "0")
        #expect(newer.code == 1)
        #expect(newer.error.contains("newer"))
    }

    @Test("A configuration file is read; a variable wins over it and the line over both")
    func configuration() async throws {
        try stratus.write(
            "# a comment\n\nport = 1\ndata = from-file\npublic-url = https://file.example\n", to: "c.conf")
        let server = try await stratus.start(
            "serve", "--config", "c.conf", "--port", "0",
            environment: ["STRATUS_PUBLIC_URL": "https://variable.example"])
        #expect(server.url == "https://variable.example")
        #expect(FileManager.default.fileExists(atPath: stratus.path("from-file/control.sqlite")))
        _ = try await server.stop()
    }

    @Test(
        "A mistake in the configuration file is named with its line",
        arguments: [
            ("prot = 1\n", "line 1", "“port”"), ("port = 1\nport = 2\n", "line 2", "twice"),
            ("\nport\n", "line 2", "key = value"), ("port = many\n", "configuration file", "many"),
        ])
    func configurationMistakes(text: String, place: String, what: String) async throws {
        try stratus.write(text, to: "c.conf")
        let outcome = try await stratus("serve", "--config", "c.conf")
        #expect(outcome.code == 2)
        #expect(outcome.error.contains(place))
        #expect(outcome.error.contains(what))
    }

    @Test("With a certificate it speaks HTTPS, which is only trusted by who is told to")
    func https() async throws {
        try await makeCertificate("cloud", days: 2)
        _ = try await stratus("account", "create", "alice", "--password", "secret", "--data", "d")
        let server = try await stratus.start(
            "serve", "--data", "d", "--port", "0", "--certificate", "cloud.pem", "--key", "cloud.key")
        #expect(server.url.hasPrefix("https://127.0.0.1:"))
        let stranger = try await stratus(
            "login", "--url", server.url, "--account", "alice", "--password", "secret")
        #expect(stranger.code == 6)
        #expect(stranger.error.contains("--authority"))
        let friend = try await stratus(
            "login", "--url", server.url, "--account", "alice", "--password", "secret", "--authority", "cloud.pem")
        #expect(friend.code == 0)
        _ = try await server.stop()
    }

    @Test("A server that resets a TLS connection is told to the caller and does not kill the program by a signal")
    func reset() async throws {
        try await makeCertificate("cloud", days: 2)
        let port = try ResettingServer.start(
            certificate: stratus.path("cloud.pem"), key: stratus.path("cloud.key"))
        let outcome = try await stratus(
            "login", "--url", "https://127.0.0.1:\(port)", "--account", "alice", "--password", "secret", "--authority",
            "cloud.pem")
        #expect(outcome.code == 6)
        #expect(outcome.error.contains("Nothing answers"))
    }

    @Test("A certificate without its key, with another's key, or that is none is refused before the start")
    func certificates() async throws {
        try await makeCertificate("one", days: 2)
        try await makeCertificate("two", days: 2)
        #expect(try await stratus("serve", "--data", "d", "--certificate", "one.pem").code == 2)
        let mixed = try await stratus("serve", "--data", "d", "--certificate", "one.pem", "--key", "two.key")
        #expect(mixed.code == 2)
        #expect(mixed.error.contains("does not belong"))
        #expect(try await stratus("serve", "--data", "d", "--certificate", "one.key", "--key", "one.key").code == 2)
        let doctor = try await stratus(
            "doctor", "--data", "d", "--certificate", "one.pem", "--key", "one.key", "--port", "0")
        #expect(doctor.output.contains("expires"))
    }

    private func makeCertificate(_ name: String, days: Int) async throws {
        let process = ChildProcess()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [
            "openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "\(days)", "-subj", "/CN=127.0.0.1",
            "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", stratus.path("\(name).key"), "-out",
            stratus.path("\(name).pem"),
        ]
        process.standardError = FileHandle.nullDevice
        #expect(try await ended(process) == 0)
    }
}
