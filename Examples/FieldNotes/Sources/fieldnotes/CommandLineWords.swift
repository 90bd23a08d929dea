/// The words and options of a command line.
struct CommandLineWords {
    private static let flags: Set<String> = ["help", "pin", "cloud", "json", "watch"]

    private(set) var words: [String] = []
    private var options: [String: [String]] = [:]

    init(_ arguments: [String]) throws {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            guard argument.hasPrefix("--"), argument.count > 2 else {
                if argument == "-h" { options["help"] = [""] } else { words.append(argument) }
                continue
            }
            let parts = argument.dropFirst(2).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(parts[0])
            if Self.flags.contains(name) {
                options[name] = [""]
            } else if parts.count == 2 {
                options[name, default: []].append(String(parts[1]))
            } else if let value = rest.popFirst() {
                options[name, default: []].append(value)
            } else {
                throw Complaint("--\(name) needs a value.", code: 2)
            }
        }
    }

    func has(_ name: String) -> Bool { options[name] != nil }
    func value(_ name: String) -> String? { options[name]?.last }
    func values(_ name: String) -> [String] { options[name] ?? [] }

    /// The words after the command, as one text.
    func text(_ what: String) throws -> String {
        guard words.count > 1 else { throw Complaint("Say \(what).", code: 2) }
        return words.dropFirst().joined(separator: " ")
    }

    func checkOptions(_ command: String, allowed: Set<String>) throws {
        let unknown = options.keys.filter { !allowed.contains($0) && $0 != "store" && $0 != "help" }
        if let first = unknown.sorted().first { throw Complaint("`\(command)` has no option --\(first).", code: 2) }
    }
}
