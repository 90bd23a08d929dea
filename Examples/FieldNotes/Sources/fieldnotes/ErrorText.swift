import CloudKit
import FieldNotesCloud
import Foundation

/// What an error means to the person at the terminal.
func describe(_ error: any Error) -> String {
    if error as? SyncError == .noAccount { return "\(error.localizedDescription) \(signInAdvice)" }
    if let error = error as? SyncError { return error.errorDescription ?? "\(error)" }
    guard let error = error as? CKError else { return error.localizedDescription }
    switch error.code {
    case .notAuthenticated: return "\(error.localizedDescription). \(signInAdvice)"
    case .networkUnavailable, .networkFailure: return "The cloud cannot be reached. \(error.localizedDescription)"
    case .quotaExceeded: return "The cloud is full."
    case .requestRateLimited, .zoneBusy:
        return "The cloud is busy; try again in \(Int(error.retryAfterSeconds ?? 1)) seconds."
    default: return error.localizedDescription
    }
}

#if canImport(Darwin)
    private let signInAdvice = "Sign in to iCloud in the system's settings."
#else
    private let signInAdvice = "`stratus login` signs in; `stratus doctor` says what is wrong."
#endif
