import Foundation

/// Where a password comes from: an option or variable, standard input, or a person at the terminal.
enum PasswordPrompt {
    static let options: [Option] = [
        .value("password", "TEXT", "The password. The variable keeps it out of the list of processes."),
        .flag("password-stdin", "Read the password from standard input, up to the first line's end.")
            .withoutEnvironment,
    ]

    /// - Parameter confirming: Ask twice, where a person types a new one.
    static func read(_ arguments: Arguments, _ question: String, confirming: Bool = false) throws -> String {
        if try arguments.flag("password-stdin") {
            guard let line = readLine(strippingNewline: true), !line.isEmpty else {
                throw Failure(.usage, "Standard input holds no password.")
            }
            return line
        }
        // An empty variable is a password too: the emulator's accounts have that.
        if let password = arguments.value("password") ?? arguments.variables["STRATUS_PASSWORD"] { return password }
        guard isatty(0) == 1 else {
            throw Failure(
                .usage, "There is no password and no terminal to ask at.",
                remedy: "Set STRATUS_PASSWORD, or pipe it in with --password-stdin.")
        }
        let password = try ask("\(question): ")
        if confirming, try ask("Once more: ") != password { throw Failure(.usage, "The passwords differ.") }
        return password
    }

    private static func ask(_ question: String) throws -> String {
        var usual = termios()
        guard tcgetattr(0, &usual) == 0 else { throw Failure(.failure, "The terminal cannot be read.") }
        var silent = usual
        silent.c_lflag &= ~tcflag_t(ECHO)
        Terminal.prompt(question)
        tcsetattr(0, TCSAFLUSH, &silent)
        let line = readLine(strippingNewline: true)
        tcsetattr(0, TCSAFLUSH, &usual)
        Terminal.prompt("\n")
        guard let line, !line.isEmpty else { throw Failure(.usage, "No password was given.") }
        return line
    }
}
