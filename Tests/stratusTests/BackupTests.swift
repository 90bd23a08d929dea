import Foundation
import Testing

@Suite("stratus backup, restore and doctor")
struct BackupTests {
    let stratus: Stratus
    let container = "iCloud.com.example.fieldnotes"

    init() throws { stratus = try Stratus() }

    private struct Token: Decodable {
        var token: String
    }

    @Test("A backup made while the server runs becomes a cloud that knows the same people and tokens")
    func backupAndRestore() async throws {
        _ = try await stratus("account", "create", "alice", "--password", "secret", "--data", "d")
        _ = try await stratus("container", "create", container, "--data", "d")
        let token = try await stratus("token", "create", container, "--data", "d", "--json").json(Token.self).token
        let server = try await stratus.start("serve", "--data", "d", "--port", "0")
        #expect(
            try await statusOfCaller(
                server, container: container, apiToken: token, account: "alice", password: "secret") == 200)
        #expect(try await stratus("backup", "b", "--data", "d").code == 0)
        #expect(try await stratus("backup", "b", "--data", "d").code == 1, "not over an older one")
        #expect(try await stratus("restore", "b", "--data", "d").code == 5, "not below a running server")
        _ = try await server.stop()
        #expect(try await stratus("restore", "b", "--data", "d").code == 4, "not over a cloud")

        #expect(try await stratus("restore", "b", "--data", "e").code == 0)
        let restored = try await stratus.start("serve", "--data", "e", "--port", "0")
        #expect(
            try await statusOfCaller(
                restored, container: container, apiToken: token, account: "alice", password: "secret") == 200)
        _ = try await restored.stop()
        #expect(try await stratus("restore", "nowhere", "--data", "f").code == 3)
    }

    private struct Finding: Decodable {
        var level: String
        var subject: String
        var finding: String
        var consequence: String?
        var remedy: String?
    }

    @Test("The doctor finds a sound folder sound, and names what is missing")
    func soundFolder() async throws {
        _ = try await stratus("container", "create", container, "--data", "d")
        let outcome = try await stratus("doctor", "--data", "d", "--port", "0", "--json")
        #expect(outcome.code == 0, "\(outcome.output)")
        let findings = try outcome.json([Finding].self)
        #expect(findings.contains { $0.subject == "files" && $0.level == "ok" })
        let warning = try #require(findings.first { $0.level == "warning" && $0.subject == "cloud" })
        #expect(warning.finding.contains("no API token"))
        #expect(warning.remedy?.contains("stratus token create \(container)") == true)
    }

    @Test("The doctor finds a damaged file, an open folder and a missing one, each with its remedy")
    func problems() async throws {
        _ = try await stratus("container", "create", container, "--data", "d")
        let file = URL(fileURLWithPath: stratus.path("d/control.sqlite"))
        let handle = try FileHandle(forWritingTo: file)
        try handle.seek(toOffset: 4096)
        try handle.write(contentsOf: Data(repeating: 0xAB, count: 3000))
        try handle.close()
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: stratus.path("d"))
        let damaged = try await stratus("doctor", "--data", "d", "--port", "0", "--json")
        #expect(damaged.code == 1)
        let findings = try damaged.json([Finding].self)
        #expect(findings.contains { $0.level == "problem" && $0.finding.contains("control.sqlite is damaged") })
        #expect(findings.contains { $0.level == "warning" && $0.finding.contains("755") })
        #expect(findings.filter { $0.level != "ok" }.allSatisfy { $0.consequence != nil && $0.remedy != nil })

        let missing = try await stratus("doctor", "--data", "nowhere", "--port", "0")
        #expect(missing.code == 1)
        #expect(missing.output.contains("does not exist"))
    }

    @Test("The doctor reads an app's settings: a cloud that is down, a token that is none")
    func appSettings() async throws {
        let down = try await stratus(
            "doctor",
            environment: [
                "STRATUS_URL": "http://127.0.0.1:1", "STRATUS_API_TOKEN": "short", "STRATUS_ACCOUNT": "alice",
                "STRATUS_PASSWORD": "x",
            ])
        #expect(down.code == 1)
        #expect(down.output.contains("Nothing answers"))
        #expect(down.output.contains("64 hexadecimal"))
    }
}
