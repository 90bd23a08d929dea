import Foundation
import Testing

@Suite("Accounts, containers and tokens")
struct AdministrationTests {
    let stratus: Stratus
    let container = "iCloud.com.example.fieldnotes"

    init() throws { stratus = try Stratus() }

    private struct Name: Decodable {
        var name: String
    }

    private struct Token: Decodable {
        var token: String?
        var prefix: String
    }

    @Test("An account is made once, listed, and deleted")
    func accounts() async throws {
        let made = try await stratus("account", "create", "alice", "--password-stdin", "--data", "d", input: "secret\n")
        #expect(made.code == 0)
        #expect(try await stratus("account", "create", "alice", "--password", "x", "--data", "d").code == 4)
        let list = try await stratus("account", "list", "--data", "d", "--json")
        #expect(try list.json([Name].self).map(\.name) == ["alice"])
        #expect(try await stratus("account", "delete", "alice", "--data", "d").code == 2, "not without --yes")
        #expect(try await stratus("account", "delete", "alice", "--data", "d", "--yes").code == 0)
        #expect(try await stratus("account", "delete", "alice", "--data", "d", "--yes").code == 3)
    }

    @Test("What is set up works at once, and what is revoked stops working, while the server runs")
    func whileRunning() async throws {
        let server = try await stratus.start("serve", "--data", "d", "--port", "0")
        _ = try await stratus("account", "create", "alice", "--password", "secret", "--data", "d")
        _ = try await stratus("container", "create", container, "--data", "d")
        let token = try #require(
            try await stratus("token", "create", container, "--data", "d", "--json").json(Token.self).token)
        #expect(token.count == 64)
        #expect(try await status(server, token, "secret") == 200)
        #expect(try await status(server, token, "wrong") == 401)

        #expect(try await stratus("account", "password", "alice", "--password", "other", "--data", "d").code == 0)
        #expect(try await status(server, token, "other") == 200)

        #expect(try await stratus("token", "delete", String(token.prefix(8)), "--data", "d").code == 0)
        #expect(try await stratus("token", "list", "--data", "d", "--json").json([Token].self).isEmpty)
        #expect(try await server.stop() == 0)
        let restarted = try await stratus.start("serve", "--data", "d", "--port", "0")
        #expect(try await status(restarted, token, "other") == 401)
        _ = try await restarted.stop()
    }

    private struct Usage: Decodable, Equatable {
        var container: String
        var environment: String
        var zones: Int
        var records: Int
    }

    private struct Erased: Decodable, Equatable {
        var container: String
        var environment: String
        var zones: [String]
        var records: Int
    }

    @Test("What an account stores is shown, and erased while the server runs")
    func erase() async throws {
        let server = try await stratus.start("serve", "--data", "d", "--port", "0")
        _ = try await stratus("account", "create", "alice", "--password", "secret", "--data", "d")
        _ = try await stratus("container", "create", container, "--data", "d")
        let token = try #require(
            try await stratus("token", "create", container, "--data", "d", "--json").json(Token.self).token)
        let signedIn = try await ask(
            "POST", "\(server.url)/stratus/session", #"{"account": "alice", "password": "secret"}"#)
        let webToken = try #require(
            signedIn.body["webAuthToken"]?.text?.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
        let base = "\(server.url)/database/1/\(container)/development/private/records"
        let query = "?ckAPIToken=\(token)&ckWebAuthToken=\(webToken)"
        let record = #"{"recordName": "oak", "recordType": "Tree"}"#
        let saved = try await ask(
            "POST", "\(base)/modify\(query)", #"{"operations": [{"operationType": "create", "record": \#(record)}]}"#)
        #expect(saved.status == 200)

        let show = ["account", "show", "alice", "--data", "d", "--json"]
        let expected = Usage(container: container, environment: "development", zones: 1, records: 1)
        #expect(try await stratus.run(show).json([Usage].self) == [expected])
        let erase = ["account", "erase", "alice", "--data", "d", "--json"]
        #expect(try await stratus.run(erase).code == 2, "not without --yes")
        #expect(try await stratus.run(erase + ["--yes", "--container", "iCloud.none"]).code == 3)
        #expect(try await stratus.run(erase + ["--yes", "--environment", "staging"]).code == 2)
        #expect(try await stratus.run(erase + ["--yes", "--environment", "production"]).json([Erased].self).isEmpty)
        #expect(try await stratus.run(erase + ["--yes", "--encrypted"]).json([Erased].self).isEmpty)
        let erased = Erased(
            container: container, environment: "development", zones: ["_defaultZone"], records: 1)
        #expect(try await stratus.run(erase + ["--yes", "--container", container]).json([Erased].self) == [erased])

        let found = try await ask("POST", "\(base)/lookup\(query)", #"{"records": [{"recordName": "oak"}]}"#)
        #expect(found.text.contains("NOT_FOUND"))
        #expect(try await stratus.run(show).json([Usage].self).isEmpty)
        #expect(try await stratus("account", "show", "bob", "--data", "d").code == 3)
        _ = try await server.stop()
    }

    @Test("A token needs a container that is registered, and a container an identifier that can be one")
    func containers() async throws {
        #expect(try await stratus("container", "create", "no container", "--data", "d").code == 2)
        #expect(try await stratus("token", "create", container, "--data", "d").code == 3)
        #expect(try await stratus("container", "create", container, "--data", "d").code == 0)
        #expect(try await stratus("container", "create", container, "--data", "d").code == 4)
        #expect(try await stratus("token", "create", container, "--environment", "staging", "--data", "d").code == 2)
        let token = try await stratus("token", "create", container, "--data", "d")
        #expect(token.output.count == 65, "the bare token and a line's end")
        #expect(try await stratus("container", "delete", container, "--yes", "--data", "d").code == 0)
        #expect(try await stratus("token", "list", "--data", "d", "--json").json([Token].self).isEmpty)
    }

    private func status(_ server: Server, _ token: String, _ password: String) async throws -> Int {
        try await statusOfCaller(server, container: container, apiToken: token, account: "alice", password: password)
    }
}
