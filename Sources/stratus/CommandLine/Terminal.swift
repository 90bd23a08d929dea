import Foundation

/// Standard output and standard error. Everything is written at once, so that a reader on a pipe sees a line when it is
/// printed.
enum Terminal {
    static func print(_ text: String, terminator: String = "\n") {
        write(text + terminator, to: 1)
    }

    static func error(_ text: String) {
        write(text.hasSuffix("\n") ? text : text + "\n", to: 2)
    }

    /// Prints a result: as JSON for a script, else as text.
    static func show(_ arguments: Arguments, _ document: some Encodable, _ text: String) throws -> ExitCode {
        print(try arguments.flag("json") ? JSON.text(document) : text)
        return .success
    }

    /// Asks before something that cannot be undone. `--yes` answers; without a terminal it is required.
    static func confirm(_ arguments: Arguments, _ question: String) throws {
        if try arguments.flag("yes") { return }
        guard isatty(0) == 1 else {
            throw Failure(.usage, "This cannot be undone and there is no terminal to ask at.", remedy: "Add --yes.")
        }
        prompt("\(question) [y/N] ")
        guard let answer = readLine()?.lowercased(), answer == "y" || answer == "yes" else {
            throw Failure(.refused, "Nothing was done.")
        }
    }

    /// A question to the person at the terminal: never part of what a script reads.
    static func prompt(_ text: String) {
        write(text, to: 2)
    }

    static func report(_ failure: Failure, asJSON: Bool) {
        if asJSON {
            error(JSON.text(ErrorDocument(error: failure.message, remedy: failure.remedy, code: failure.code.rawValue)))
        } else {
            error("stratus: \(failure.message)" + (failure.remedy.map { "\n         \($0)" } ?? ""))
        }
    }

    private struct ErrorDocument: Encodable {
        var error: String
        var remedy: String?
        var code: Int32
    }

    private static func write(_ text: String, to descriptor: Int32) {
        var text = text
        text.withUTF8 { bytes in
            var rest = bytes[...]
            while let start = UnsafeBufferPointer(rebasing: rest).baseAddress, !rest.isEmpty {
                let count = Foundation.write(descriptor, start, rest.count)
                if count < 0 {
                    if errno == EINTR { continue }
                    return  // nobody reads any more
                }
                rest = rest.dropFirst(count)
            }
        }
    }
}

/// One JSON document for a script.
enum JSON {
    static func text(_ value: some Encodable) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .iso8601
        guard let data = try? encoder.encode(value) else { return "null" }
        return String(decoding: data, as: UTF8.self)
    }
}
