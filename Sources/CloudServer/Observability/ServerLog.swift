import Foundation

/// Where the server says what its operator should know. Requests are not told here: they are rows (`RequestLog`).
package struct ServerLog: Sendable {
    package enum Level: String, Sendable, Hashable {
        case information, warning, error
    }

    package let write: @Sendable (_ level: Level, _ message: String) -> Void

    package init(write: @escaping @Sendable (_ level: Level, _ message: String) -> Void) {
        self.write = write
    }

    package static let standardError = ServerLog { level, message in
        FileHandle.standardError.write(Data("stratus: \(level.rawValue): \(message)\n".utf8))
    }

    package static let silent = ServerLog { _, _ in }
}
