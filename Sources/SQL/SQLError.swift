/// What an SQL engine refused, with a code that a caller can act on and the engine's own words.
package struct SQLError: Error, Equatable, CustomStringConvertible {
    package enum Code: Sendable, Equatable {
        /// Another connection holds what is needed, or the engine chose this transaction to give way: the same work may succeed again.
        case busy
        /// No room on the disk, or the file may not grow further.
        case full
        /// A uniqueness or other rule of a table.
        case constraint
        /// The file is damaged or is no database.
        case corrupt
        /// The server or file cannot be reached or opened.
        case unavailable
        /// A value is longer than the engine takes.
        case tooLarge
        /// Anything else: most likely an error in the SQL text.
        case other
    }

    package let code: Code
    package let message: String
    /// The engine's own code: SQLite's extended result code as a number, or PostgreSQL's SQLSTATE.
    package let engineCode: String

    package init(_ code: Code, _ message: String, engineCode: String = "") {
        self.code = code
        self.message = message
        self.engineCode = engineCode
    }

    package var description: String {
        engineCode.isEmpty ? message : "\(message) (\(engineCode))"
    }
}
