/// What the program tells the shell. The numbers are part of its interface and are printed by `stratus --help`.
enum ExitCode: Int32, CaseIterable, Sendable {
    case success = 0
    case failure = 1
    case usage = 2
    case notFound = 3
    case exists = 4
    case refused = 5
    case unreachable = 6

    var meaning: String {
        switch self {
        case .success: "it worked"
        case .failure: "it failed; the message says why (doctor: something is wrong)"
        case .usage: "the command line, the environment or the configuration file is wrong"
        case .notFound: "what was named does not exist"
        case .exists: "what was to be made exists already"
        case .refused: "not allowed: wrong password, not signed in, folder in use by a running server"
        case .unreachable: "the server does not answer"
        }
    }
}

/// Why a command stops: one sentence, and what to do about it.
struct Failure: Error, Sendable {
    var code: ExitCode
    var message: String
    var remedy: String?

    init(_ code: ExitCode = .failure, _ message: String, remedy: String? = nil) {
        self.code = code
        self.message = message
        self.remedy = remedy
    }
}
