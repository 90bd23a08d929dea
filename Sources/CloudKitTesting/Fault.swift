import CloudKit
import WebServices

/// What can happen to a request.
public enum Fault: Sendable, Hashable {
    /// It never reaches the server: `.networkFailure`.
    case requestLost
    /// The server carries it out, and the answer gets lost: `.serverResponseLost` for what changes something, else
    /// `.networkFailure`.
    case answerLost
    /// No network: `.networkUnavailable`.
    case offline
    /// No answer in time: `.networkFailure`. The server does not get it.
    case timedOut
    /// The server refuses it.
    case refused(Refusal, retryAfter: Double? = nil)

    /// Why a server refuses a request as a whole.
    public enum Refusal: Sendable, Hashable, CaseIterable {
        case accessDenied, badRequest, changeTokenExpired, internalError, limitExceeded, notAuthenticated, quotaExceeded
        case throttled, unavailable, zoneBusy

        var code: ServerError.Code {
            switch self {
            case .accessDenied: .accessDenied
            case .badRequest, .limitExceeded: .badRequest
            case .changeTokenExpired: .changeTokenExpired
            case .internalError: .internalError
            case .notAuthenticated: .authenticationFailed
            case .quotaExceeded: .quotaExceeded
            case .throttled: .throttled
            case .unavailable: .tryAgainLater
            case .zoneBusy: .zoneBusy
            }
        }
    }
}

/// A request, as a test that injects faults sees it.
public struct Request: Sendable, Hashable {
    /// `records/modify`, `changes/zone` …; for a file that travels, `assets/upload/file` or `assets/download/file`.
    public let operation: String
    public let container: String
    public let database: CKDatabase.Scope
    /// Counts the device's requests from 1.
    public let number: Int
}
