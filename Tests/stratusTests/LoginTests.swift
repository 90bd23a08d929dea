import Foundation
import Testing

@Suite("stratus login, whoami and logout")
struct LoginTests {
    let stratus: Stratus
    let container = "iCloud.com.example.fieldnotes"

    init() throws { stratus = try Stratus() }

    private struct Credentials: Decodable {
        var url: String
        var account: String
        var apiToken: String
        var webAuthToken: String
        var environment: String
    }

    private var credentialsFile: String { stratus.path(".config/stratus/credentials.json") }

    @Test("Signing in leaves a file that only its owner reads; signing out ends the session and removes it")
    func signInAndOut() async throws {
        let server = try await stratus.start("dev", "--port", "0")
        let token = "7374726174757320646576" + String(repeating: "0", count: 42)
        let login = try await stratus(
            "login", "--url", server.url, "--account", "alice", "--api-token", token, "--password-stdin",
            input: "secret\n")
        #expect(login.code == 0, "\(login.error)")
        let data = try Data(contentsOf: URL(fileURLWithPath: credentialsFile))
        let credentials = try JSONDecoder().decode(Credentials.self, from: data)
        #expect(credentials.url == server.url)
        #expect(credentials.account == "alice")
        #expect(credentials.environment == "development")
        let attributes = try FileManager.default.attributesOfItem(atPath: credentialsFile)
        #expect(attributes[.posixPermissions] as? Int == 0o600)

        let whoami = try await stratus("whoami", "--container", container)
        #expect(whoami.code == 0, "\(whoami.error)")
        #expect(whoami.output.contains("alice at \(server.url)"))
        #expect(try await stratus("doctor", "--container", container).code == 0)

        #expect(try await stratus("logout").code == 0)
        #expect(!FileManager.default.fileExists(atPath: credentialsFile))
        #expect(try await stratus("logout").code == 3)
        #expect(try await stratus("whoami").code == 3)
        let after = try await stratus(
            "whoami", "--container", container,
            environment: [
                "STRATUS_URL": server.url, "STRATUS_API_TOKEN": token,
                "STRATUS_WEB_AUTH_TOKEN": credentials.webAuthToken,
            ])
        #expect(after.code == 5, "the session has ended at the cloud: \(after.output)")
        _ = try await server.stop()
    }

    @Test("A wrong password is refused, and a cloud that does not answer is told apart")
    func failures() async throws {
        _ = try await stratus("account", "create", "alice", "--password", "secret", "--data", "d")
        let server = try await stratus.start("serve", "--data", "d", "--port", "0")
        let wrong = try await stratus("login", "--url", server.url, "--account", "alice", "--password", "guess")
        #expect(wrong.code == 5)
        _ = try await server.stop()
        let gone = try await stratus("login", "--url", server.url, "--account", "alice", "--password", "secret")
        #expect(gone.code == 6)
        #expect(gone.error.contains("Nothing answers"))
        #expect(!FileManager.default.fileExists(atPath: credentialsFile))
        #expect(try await stratus("login", "--url", "cloud.example.com", "--account", "a", "--password", "b").code == 2)
    }
}
