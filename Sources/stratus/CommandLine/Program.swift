import Foundation

/// Finds the command that a line names and runs it.
struct Program: Sendable {
    var commands: [Command]
    var version: String
    var environment: [String: String]

    func run(_ raw: [String]) -> ExitCode {
        do {
            return try dispatch(raw)
        } catch {
            let failure = Failure(error)
            Terminal.report(failure, asJSON: raw.contains("--json"))
            return failure.code
        }
    }

    private func dispatch(_ raw: [String]) throws -> ExitCode {
        guard let first = raw.first else {
            Terminal.error(Help.program(commands))
            return .usage
        }
        switch first {
        case "--help", "-h": return printed(Help.program(commands))
        case "--version": return printed("stratus \(version)\n")
        case "help": return try help(Array(raw.dropFirst()))
        default: break
        }
        if first.hasPrefix("-") {
            throw Failure(
                .usage, "\(first) stands before the command.", remedy: "stratus COMMAND [OPTIONS]; see stratus --help")
        }
        let (command, rest) = try find(raw)
        guard let command else { return printed(Help.group(first, commands)) }
        let arguments = try Arguments(rest, for: command, environment: environment)
        if arguments.isHelp { return printed(Help.command(command)) }
        return try command.run(arguments)
    }

    private func printed(_ text: String) -> ExitCode {
        Terminal.print(text, terminator: "")
        return .success
    }

    private func help(_ words: [String]) throws -> ExitCode {
        guard !words.isEmpty else { return printed(Help.program(commands)) }
        let (command, _) = try find(words)
        guard let command else { return printed(Help.group(words[0], commands)) }
        return printed(Help.command(command))
    }

    /// The command that the first words name and what follows them; no command for a group that asks for its help.
    private func find(_ raw: [String]) throws -> (Command?, rest: [String]) {
        let first = raw[0]
        if let command = commands.first(where: { $0.name == first }) { return (command, Array(raw.dropFirst())) }
        let members = commands.filter { $0.group == first }
        guard !members.isEmpty else {
            let names = Array(Set(commands.map { $0.group ?? $0.name })).sorted()
            let close = Suggestion.closest(to: first, among: names).map { " Did you mean `stratus \($0)`?" } ?? ""
            throw Failure(.usage, "There is no command “\(first)”.\(close)", remedy: "stratus --help")
        }
        guard raw.count > 1, raw[1] != "--help", raw[1] != "-h" else {
            if raw.count > 1 { return (nil, []) }
            throw Failure(
                .usage, "`stratus \(first)` needs one of: \(members.map(Self.verb).joined(separator: ", ")).",
                remedy: "stratus \(first) --help")
        }
        if let command = members.first(where: { $0.name == "\(first) \(raw[1])" }) {
            return (command, Array(raw.dropFirst(2)))
        }
        let close = Suggestion.closest(to: raw[1], among: members.map(Self.verb))
        throw Failure(
            .usage,
            "There is no command “\(first) \(raw[1])”."
                + (close.map { " Did you mean `stratus \(first) \($0)`?" } ?? ""),
            remedy: "stratus \(first) --help")
    }

    private static func verb(_ command: Command) -> String {
        command.name.split(separator: " ").last.map(String.init) ?? command.name
    }
}
