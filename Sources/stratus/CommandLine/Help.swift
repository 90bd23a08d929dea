/// The help texts, made from what the commands say of themselves.
enum Help {
    private static let width = 100

    static func program(_ commands: [Command]) -> String {
        var text = """
            Stratus: a cloud of your own that speaks CloudKit.

            Usage: stratus COMMAND [OPTIONS]

            """
        let widest = commands.map(\.name.count).max() ?? 0
        for (heading, names) in sections {
            text += "\n\(heading)\n"
            for command in commands where names.contains(command.group ?? command.name) {
                text += "  \(command.name.padded(to: widest))  \(command.summary)\n"
            }
        }
        text += "\nExit codes\n"
        for code in ExitCode.allCases { text += "  \(code.rawValue)  \(code.meaning)\n" }
        text += """

            Every option can also be given as an environment variable; `stratus COMMAND --help` names it.
            Start with:  stratus dev

            """
        return text
    }

    private static let sections: [(String, [String])] = [
        ("Run a cloud", ["dev", "serve"]),
        ("Look after one (works on its data folder, also while it runs)", ["account", "container", "token"]),
        ("Its schemas (also while it runs)", ["schema", "role"]),
        ("Keep it safe", ["backup", "restore", "doctor"]),
        ("Use one", ["login", "logout", "whoami"]),
    ]

    /// The commands of a group, for `stratus account`.
    static func group(_ name: String, _ commands: [Command]) -> String {
        let members = commands.filter { $0.group == name }
        let widest = members.map(\.name.count).max() ?? 0
        return "Usage: stratus \(name) COMMAND [OPTIONS]\n\n"
            + members.map { "  \($0.name.padded(to: widest))  \($0.summary)\n" }.joined()
            + "\nMore: stratus \(name) COMMAND --help\n"
    }

    static func command(_ command: Command) -> String {
        var usage = "Usage: stratus \(command.name)"
        if !command.options.isEmpty { usage += " [OPTIONS]" }
        if !command.arguments.isEmpty { usage += " \(command.arguments)" }
        var text = "\(command.summary)\n\n\(usage)\n"
        if !command.discussion.isEmpty {
            for paragraph in command.discussion.split(separator: "\n\n") {
                text += "\n" + paragraph.description.wrapped(at: width) + "\n"
            }
        }
        text += "\nOptions\n"
        for option in command.allOptions { text += describe(option) }
        if !command.examples.isEmpty {
            text += "\nExamples\n"
            for example in command.examples {
                text += "  \(example.line)\n" + "      \(example.meaning)\n"
            }
        }
        return text
    }

    private static func describe(_ option: Option) -> String {
        var help = option.help
        if let fallback = option.fallback { help += " Default: \(fallback)." }
        if let environment = option.environment { help += " [\(environment)]" }
        let indent = String(repeating: " ", count: 26)
        let lines = help.wrapped(at: width - indent.count).split(separator: "\n")
        let head = "  \(option.signature)"
        let body = lines.map { indent + $0 }.joined(separator: "\n")
        if head.count < indent.count - 1 {
            return head.padded(to: indent.count) + body.dropFirst(indent.count) + "\n"
        }
        return head + "\n" + body + "\n"
    }
}

extension String {
    func padded(to width: Int) -> String {
        self + String(repeating: " ", count: Swift.max(0, width - count))
    }

    /// The text with its lines filled up to `width` characters; lines that begin with a blank stay as they are.
    func wrapped(at width: Int) -> String {
        var lines: [String] = []
        var isOpen = false
        for line in split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix(" ") {
                lines.append(String(line))
                isOpen = false
                continue
            }
            for word in line.split(separator: " ") {
                if isOpen, let last = lines.last, last.count + 1 + word.count <= width {
                    lines[lines.count - 1] = last + " " + word
                } else {
                    lines.append(String(word))
                    isOpen = true
                }
            }
        }
        return lines.joined(separator: "\n")
    }
}
