/// What is wrong with a schema file: every mistake that was found, in the order of the text.
package struct SchemaTextError: Error, Sendable, Hashable, CustomStringConvertible {
    package struct Problem: Error, Sendable, Hashable, CustomStringConvertible {
        /// Both count from 1; columns are characters, a tab is one.
        package var line: Int
        package var column: Int
        /// What is wrong, without a full stop.
        package var message: String
        /// What to do about it, without a full stop.
        package var remedy: String

        package var description: String { "line \(line), column \(column): \(message). \(remedy)." }
    }

    /// Never empty.
    package var problems: [Problem]

    package var description: String { problems.map(\.description).joined(separator: "\n") }
}

/// A place in a text.
struct SchemaTextPosition: Sendable, Hashable {
    var line = 1
    var column = 1

    func problem(_ message: String, _ remedy: String) -> SchemaTextError.Problem {
        SchemaTextError.Problem(line: line, column: column, message: message, remedy: remedy)
    }
}
