/// A command of the program: what it is called, what its help says, and what it does.
struct Command: Sendable {
    struct Example: Sendable {
        var line: String
        var meaning: String
    }

    /// One word, or two for a command of a group: `serve`, `account create`.
    var name: String
    var summary: String
    /// The words that are no options, as usage shows them: `NAME`, `[DIR]`.
    var arguments = ""
    /// How many such words are taken.
    var argumentCount: ClosedRange<Int> = 0...0
    /// Paragraphs below the usage line.
    var discussion = ""
    var options: [Option] = []
    var examples: [Example] = []
    var run: @Sendable (Arguments) throws -> ExitCode

    /// The options with `--help`, which every command has.
    var allOptions: [Option] { options + [.help] }

    /// `account` of `account create`; nil for a command that stands alone.
    var group: String? {
        name.contains(" ") ? name.split(separator: " ").first.map(String.init) : nil
    }
}
