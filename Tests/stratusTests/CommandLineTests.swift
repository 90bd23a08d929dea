import Testing

@Suite("The command line")
struct CommandLineTests {
    let stratus: Stratus

    init() throws { stratus = try Stratus() }

    static let commands = [
        "dev", "serve", "account create", "account list", "account password", "account delete", "container create",
        "container list", "container delete", "token create", "token list", "token delete", "backup", "restore",
        "doctor",
        "login", "logout", "whoami",
    ]

    @Test("The program's help names every command")
    func programHelp() async throws {
        let help = try await stratus("--help")
        #expect(help.code == 0)
        for command in Self.commands { #expect(help.output.contains("  \(command) ")) }
    }

    @Test("Every command has help with usage and options", arguments: commands)
    func commandHelp(command: String) async throws {
        let words = command.split(separator: " ").map(String.init)
        let help =
            words.count == 1
            ? try await stratus(words[0], "--help") : try await stratus(words[0], words[1], "--help")
        #expect(help.code == 0)
        #expect(help.output.contains("Usage: stratus \(command)"))
        #expect(help.output.contains("--help"))
        #expect(help.error.isEmpty)
    }

    @Test("What is mistyped is a usage error that names what is close")
    func mistyped() async throws {
        for (words, hint) in [
            (["srve"], "stratus serve"), (["account", "creat", "x"], "stratus account create"),
            (["serve", "--prot", "1"], "--port"),
        ] {
            let outcome =
                switch words.count {
                case 1: try await stratus(words[0])
                default: try await stratus(words[0], words[1], words[2])
                }
            #expect(outcome.code == 2)
            #expect(outcome.error.contains(hint))
            #expect(outcome.output.isEmpty)
        }
    }

    @Test("A missing value, a value too many and a word too many are usage errors")
    func malformed() async throws {
        #expect(try await stratus("serve", "--port").code == 2)
        #expect(try await stratus("doctor", "--json=1").code == 2)
        #expect(try await stratus("account", "list", "x").code == 2)
        #expect(try await stratus("token", "create").code == 2)
        #expect(try await stratus("account").code == 2)
        #expect(try await stratus().code == 2)
        #expect(try await stratus("serve", "--port", "eighty").code == 2)
        #expect(try await stratus("serve", "--account-quota", "much").code == 2)
    }

    @Test("An error is JSON for a script that asked for JSON")
    func errorAsJSON() async throws {
        struct Report: Decodable {
            var code: Int
            var error: String
        }
        let outcome = try await stratus("account", "list", "--json")
        #expect(outcome.code == 3)
        let report = try Stratus.Outcome(code: 0, output: outcome.error, error: "").json(Report.self)
        #expect(report.code == 3)
        #expect(report.error.contains("no cloud"))
    }

    @Test("An option of the line wins over its variable")
    func precedence() async throws {
        _ = try await stratus("account", "create", "alice", "--data", "one", "--password", "secret")
        let variable = try await stratus("account", "list", environment: ["STRATUS_DATA": "one"])
        #expect(variable.output.contains("alice"))
        let line = try await stratus("account", "list", "--data", "two", environment: ["STRATUS_DATA": "one"])
        #expect(line.code == 3)
    }
}
