import CCommandLine
import Foundation

/// What was said to a command: on its line, else in the environment, else in a configuration file, else its default.
struct Arguments: Sendable {
    let command: Command
    private(set) var words: [String] = []
    private var line: [String: String] = [:]
    let variables: [String: String]
    /// Values of a configuration file by option name; `serve` fills it.
    var file: [String: String] = [:]

    /// - Throws: `Failure` with exit code 2 for an unknown option, a missing value or a wrong number of words.
    init(_ raw: [String], for command: Command, environment: [String: String]) throws {
        self.command = command
        variables = environment
        try read(raw)
        guard !isHelp else { return }
        if words.count > command.argumentCount.upperBound {
            throw Failure(
                .usage, "`stratus \(command.name)` does not take “\(words[command.argumentCount.upperBound])”.",
                remedy: usageHint)
        }
        if words.count < command.argumentCount.lowerBound {
            throw Failure(
                .usage, "`stratus \(command.name)` needs \(command.arguments).", remedy: usageHint)
        }
    }

    var isHelp: Bool { line["help"] != nil }
    private var usageHint: String { "stratus \(command.name) --help" }

    /// The value of an option; nil when nothing was said and it has no default. An empty variable counts as unset.
    func value(_ name: String) -> String? {
        if let said = said(name) { return said }
        return command.options.first { $0.name == name }?.fallback
    }

    /// The value of an option where somebody said it, without the default.
    func said(_ name: String) -> String? {
        if let value = line[name] { return value }
        if let variable = command.options.first(where: { $0.name == name })?.environment,
            let value = variables[variable], !value.isEmpty
        {
            return value
        }
        return file[name]
    }

    /// Whether a flag is set. From the environment or a file, `1`, `true`, `yes` and `on` set it.
    func flag(_ name: String) throws -> Bool {
        if line[name] != nil { return true }
        guard let said = said(name) else { return false }
        switch said.lowercased() {
        case "1", "true", "yes", "on": return true
        case "0", "false", "no", "off": return false
        default:
            throw Failure(.usage, "“\(said)” is no answer for \(origin(name)).", remedy: "Use true or false.")
        }
    }

    /// A whole number within `range`.
    func integer(_ name: String, in range: ClosedRange<Int>) throws -> Int? {
        guard let text = value(name) else { return nil }
        guard let number = Int(text), range.contains(number) else {
            throw Failure(
                .usage, "“\(text)” is no value for \(origin(name)).",
                remedy: "Give a whole number from \(range.lowerBound) to \(range.upperBound).")
        }
        return number
    }

    /// A number of bytes: digits, or digits followed by KB, MB or GB (1,000 each) or KiB, MiB, GiB (1,024 each).
    func bytes(_ name: String, in range: ClosedRange<Int>) throws -> Int? {
        guard let text = value(name) else { return nil }
        guard let number = ByteCount.parse(text), range.contains(number) else {
            throw Failure(
                .usage, "“\(text)” is no value for \(origin(name)).",
                remedy: "Give bytes such as 200000000, 200MB or 2GiB, "
                    + "from \(ByteCount.describe(range.lowerBound)) to \(ByteCount.describe(range.upperBound)).")
        }
        return number
    }

    /// Where a value came from, to name it in a message.
    func origin(_ name: String) -> String {
        if line[name] != nil { return "--\(name)" }
        if let variable = command.options.first(where: { $0.name == name })?.environment,
            let value = variables[variable], !value.isEmpty
        {
            return "the environment variable \(variable)"
        }
        return file[name] != nil ? "“\(name)” in the configuration file" : "--\(name)"
    }

    // MARK: Reading the line

    private mutating func read(_ raw: [String]) throws {
        let options = command.allOptions
        let names = options.map { strdup($0.name) }
        var vector: [UnsafeMutablePointer<CChar>?] = (["stratus"] + raw).map { strdup($0) } + [nil]
        defer {
            names.forEach { free($0) }
            vector.forEach { free($0) }
        }
        let table = zip(options, names).map { option, name in
            command_line_option(name: name, takes_value: option.takesValue ? 1 : 0)
        }
        let count = Int32(raw.count + 1)
        var position: Int32 = 1
        while true {
            let item = vector.withUnsafeMutableBufferPointer { vector in
                command_line_next(count, vector.baseAddress, position, table, Int32(table.count))
            }
            position = item.next
            let text = item.value.map { String(cString: $0) }
            switch Int(item.kind) {
            case COMMAND_LINE_OPTION:
                line[options[Int(item.option)].name] = text ?? "true"
            case COMMAND_LINE_ARGUMENT:
                words.append(text ?? "")
            case COMMAND_LINE_MISSING_VALUE:
                let option = options[Int(item.option)]
                throw Failure(.usage, "--\(option.name) needs a value: \(option.signature).", remedy: usageHint)
            case COMMAND_LINE_UNKNOWN:
                throw unknownOption(text ?? "", among: options)
            default:
                words += raw.dropFirst(Int(position) - 1)
                return
            }
        }
    }

    private func unknownOption(_ word: String, among options: [Option]) -> Failure {
        let name = word.drop { $0 == "-" }.prefix { $0 != "=" }
        if let option = options.first(where: { $0.name == name }), !option.takesValue {
            return Failure(.usage, "--\(option.name) takes no value.", remedy: usageHint)
        }
        let close = Suggestion.closest(to: String(name), among: options.map(\.name))
        let question = close.map { " Did you mean --\($0)?" } ?? ""
        return Failure(.usage, "`stratus \(command.name)` has no option \(word).\(question)", remedy: usageHint)
    }
}
