import Foundation
import Testing

@Suite("stratus dev")
struct DevTests {
    let stratus: Stratus
    let container = "iCloud.com.example.fieldnotes"

    init() throws { stratus = try Stratus() }

    private func token(_ server: Server) throws -> String {
        try String(#require(server.announcement.firstMatch(of: /STRATUS_API_TOKEN=([0-9a-f]{64})/)).1)
    }

    @Test("Any account and any container work at once, with what it prints")
    func anything() async throws {
        let server = try await stratus.start("dev", "--port", "0")
        #expect(server.announcement.contains("export STRATUS_URL=\(server.url)"))
        let status = try await statusOfCaller(
            server, container: container, apiToken: token(server), account: "anybody", password: "")
        #expect(status == 200)
        #expect(try await server.stop() == 0)
    }

    @Test("What is in a folder is there after a restart, and gone after a reset")
    func folder() async throws {
        let first = try await stratus.start("dev", "--port", "0", "--data", "d")
        _ = try await statusOfCaller(
            first, container: container, apiToken: token(first), account: "alice", password: "secret")
        _ = try await first.stop()
        let second = try await stratus.start("dev", "--port", "0", "--data", "d")
        let wrong = try await statusOfCaller(
            second, container: container, apiToken: token(second), account: "alice", password: "other")
        #expect(wrong == 401, "the account has its password")
        _ = try await second.stop()
        let third = try await stratus.start("dev", "--port", "0", "--data", "d", "--reset")
        let anew = try await statusOfCaller(
            third, container: container, apiToken: token(third), account: "alice", password: "other")
        #expect(anew == 200)
        _ = try await third.stop()
    }

    @Test("A real cloud's folder is neither opened to everybody nor emptied")
    func realCloud() async throws {
        _ = try await stratus("container", "create", container, "--data", "d")
        let outcome = try await stratus("dev", "--port", "0", "--data", "d", "--reset")
        #expect(outcome.code == 5)
        #expect(try await stratus("container", "list", "--data", "d").output.contains(container))
    }

    @Test("With --log each request is a line, without the tokens of its query")
    func requestLog() async throws {
        let log = stratus.path("log")
        try stratus.write("", to: "log")
        let server = try await stratus.start("dev", "--port", "0", "--log", logTo: log)
        let token = try token(server)
        _ = try await statusOfCaller(server, container: container, apiToken: token, account: "alice", password: "")
        _ = try await server.stop()
        let text = try String(contentsOfFile: log, encoding: .utf8)
        #expect(text.contains("GET /database/1/\(container)/development/private/users/caller 200"))
        #expect(!text.contains(token))
    }
}
