import Foundation
import Testing

@Suite("Schemas on the command line")
struct SchemaTests {
    let stratus: Stratus
    let container = "iCloud.com.example.fieldnotes"

    init() throws { stratus = try Stratus() }

    private struct Difference: Decodable {
        var changes: [String]
        var losses: [String]
        var applied: Bool
    }

    private struct Validation: Decodable {
        struct Problem: Decodable {
            var line: Int?
            var column: Int?
            var message: String
        }

        var valid: Bool
        var problems: [Problem]
    }

    private struct ErrorDocument: Decodable {
        var error: String
        var remedy: String?
    }

    private struct Role: Decodable {
        var name: String
        var accounts: [String]
    }

    private static let schema = """
        DEFINE SCHEMA
        CREATE ROLE Editor;
        RECORD TYPE Guide (
            "___recordID" REFERENCE QUERYABLE, title STRING QUERYABLE, pages INT64,
            GRANT READ TO "_world", GRANT CREATE TO "_icloud", GRANT WRITE TO Editor
        );
        """

    @Test("A file is imported, compared, deployed and exported")
    func workflow() async throws {
        try stratus.write(Self.schema, to: "s.ckdb")
        #expect(try await stratus("schema", "import", container, "s.ckdb", "--data", "d").code == 3, "no cloud yet")
        _ = try await stratus("container", "create", container, "--data", "d")
        #expect(
            try await stratus("schema", "diff", container, "s.ckdb", "--exit-code", "--data", "d").code == 1)
        let trial = try await stratus("schema", "import", container, "s.ckdb", "--dry-run", "--json", "--data", "d")
        #expect(try trial.json(Difference.self).applied == false)
        let imported = try await stratus("schema", "import", container, "s.ckdb", "--json", "--data", "d")
        #expect(try imported.json(Difference.self).changes == ["+ role Editor", "+ Guide (2 fields)"])
        #expect(
            try await stratus("schema", "diff", container, "s.ckdb", "--exit-code", "--data", "d").code == 0)
        #expect(try await stratus("schema", "deploy", container, "--data", "d").code == 2, "not without --yes")
        #expect(try await stratus("schema", "deploy", container, "--data", "d", "--yes").code == 0)
        let exported = try await stratus(
            "schema", "export", container, "--environment", "production", "--data", "d")
        try stratus.write(exported.output, to: "exported.ckdb")
        let same = try await stratus("schema", "diff", container, "exported.ckdb", "--exit-code", "--data", "d")
        #expect(same.code == 0, "\(same.output)")
        #expect(
            try await stratus("schema", "import", container, "-", "--data", "d", input: Self.schema).output
                == "There are no differences.\n")
    }

    @Test("Mistakes are told with file, line and column, and what would be lost with every reason")
    func refusals() async throws {
        try stratus.write("DEFINE SCHEMA\nRECORD TYPE A (b BAD);", to: "bad.ckdb")
        let invalid = try await stratus("schema", "validate", "bad.ckdb")
        #expect(invalid.code == 1)
        #expect(invalid.output.hasPrefix("bad.ckdb:2:18: "))
        let document = try await stratus("schema", "validate", "bad.ckdb", "--json").json(Validation.self)
        #expect(!document.valid)
        #expect(document.problems.map(\.column) == [18])
        #expect(try await stratus("schema", "validate", "none.ckdb").code == 3)

        try stratus.write(Self.schema, to: "s.ckdb")
        #expect(try await stratus("schema", "validate", "s.ckdb").code == 0)
        _ = try await stratus("container", "create", container, "--data", "d")
        #expect(try await stratus("schema", "import", container, "bad.ckdb", "--data", "d").code == 2)
        _ = try await stratus("schema", "import", container, "s.ckdb", "--data", "d")
        try stratus.write("DEFINE SCHEMA RECORD TYPE Guide (title STRING QUERYABLE);", to: "small.ckdb")
        let refused = try await stratus("schema", "import", container, "small.ckdb", "--json", "--data", "d")
        #expect(refused.code == 5)
        let error = try JSONDecoder().decode(ErrorDocument.self, from: Data(refused.error.utf8))
        #expect(error.error.contains("Field “pages” of “Guide” is removed, with its values."))
        #expect(error.remedy?.contains("--allow-data-loss") == true)
        #expect(
            try await stratus("schema", "import", container, "small.ckdb", "--allow-data-loss", "--data", "d").code == 0
        )
        _ = try await stratus("schema", "deploy", container, "--yes", "--data", "d")
        try stratus.write("DEFINE SCHEMA", to: "empty.ckdb")
        #expect(try await stratus("schema", "validate", "empty.ckdb", container, "--data", "d").code == 1)
        #expect(
            try await stratus("schema", "import", container, "empty.ckdb", "--allow-data-loss", "--data", "d").code == 5
        )
        #expect(try await stratus("schema", "reset", container, "--data", "d").code == 2, "not without --yes")
        #expect(try await stratus("schema", "reset", container, "--yes", "--data", "d").code == 0)
    }

    @Test("A running server follows: its next request has the new schema, index and role")
    func whileRunning() async throws {
        let server = try await stratus.start("serve", "--data", "d", "--port", "0")
        for name in ["alice", "bob"] {
            _ = try await stratus("account", "create", name, "--password", "secret", "--data", "d")
        }
        _ = try await stratus("container", "create", container, "--data", "d")
        let cloud = try await Production(stratus, server, container)
        let (alice, bob) = (try await cloud.signIn("alice"), try await cloud.signIn("bob"))

        #expect(try await alice.create("a", pages: 1).contains("Cannot create new type Guide in production schema"))
        try stratus.write(Self.schema, to: "s.ckdb")
        _ = try await stratus("schema", "import", container, "s.ckdb", "--data", "d")
        _ = try await stratus("schema", "deploy", container, "--yes", "--data", "d")
        #expect(try await alice.create("a", pages: 1).contains("recordChangeTag"))
        #expect(try await alice.find(pages: 1).contains("Field 'pages' is not marked queryable"))
        try stratus.write(Self.schema.replacing("pages INT64", with: "pages INT64 QUERYABLE"), to: "s.ckdb")
        _ = try await stratus("schema", "import", container, "s.ckdb", "--data", "d")
        _ = try await stratus("schema", "deploy", container, "--yes", "--data", "d")
        #expect(try await alice.find(pages: 1).contains("recordChangeTag"))

        #expect(try await bob.delete("a").contains("WRITE operation not permitted"))
        let granted = try await stratus(
            "role", "grant", container, "Editor", "bob", "--environment", "production", "--data", "d")
        #expect(granted.code == 0, "\(granted.error)")
        let roles = try await stratus(
            "role", "list", container, "--environment", "production", "--json", "--data", "d")
        #expect(try roles.json([Role].self).map(\.accounts) == [["bob"]])
        #expect(try await bob.delete("a").contains("\"deleted\":true"))
        _ = try await stratus(
            "role", "revoke", container, "Editor", "bob", "--environment", "production", "--data", "d")
        #expect(try await alice.create("b", pages: 2).contains("recordChangeTag"))
        #expect(try await bob.delete("b").contains("WRITE operation not permitted"))
        #expect(
            try await stratus("role", "grant", container, "Author", "bob", "--data", "d").code == 3, "no such role")
        #expect(try await server.stop() == 0)
    }
}

/// The public database of a running server's production environment.
private struct Production {
    private let server: Server
    private let container: String
    private let apiToken: String

    init(_ stratus: Stratus, _ server: Server, _ container: String) async throws {
        self.server = server
        self.container = container
        let token = try await stratus(
            "token", "create", container, "--environment", "production", "--data", "d")
        apiToken = token.output.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    func signIn(_ account: String) async throws -> Person {
        let session = try await ask(
            "POST", "\(server.url)/stratus/session", #"{"account":"\#(account)","password":"secret"}"#)
        let token = try #require(session.body["webAuthToken"]?.text)
            .addingPercentEncoding(withAllowedCharacters: .alphanumerics)
        return Person(
            records: "\(server.url)/database/1/\(container)/production/public/records/",
            credentials: "?ckAPIToken=\(apiToken)&ckWebAuthToken=\(token ?? "")")
    }

    struct Person {
        var records: String
        var credentials: String

        private func call(_ action: String, _ body: String) async throws -> String {
            try await ask("POST", records + action + credentials, body).text
        }

        func create(_ name: String, pages: Int) async throws -> String {
            try await call(
                "modify",
                #"{"operations":[{"operationType":"create","record":{"recordName":"\#(name)","recordType":"Guide","fields":{"pages":{"value":\#(pages)}}}}]}"#
            )
        }

        func delete(_ name: String) async throws -> String {
            try await call(
                "modify", #"{"operations":[{"operationType":"forceDelete","record":{"recordName":"\#(name)"}}]}"#)
        }

        func find(pages: Int) async throws -> String {
            try await call(
                "query",
                #"{"query":{"recordType":"Guide","filterBy":[{"fieldName":"pages","comparator":"EQUALS","fieldValue":{"value":\#(pages)}}]}}"#
            )
        }
    }
}
