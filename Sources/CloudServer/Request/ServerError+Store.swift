import CloudStore
import WebServices

extension ServerError {
    /// What a failure of the store means for a client. Its own words are for the operator, who finds them in the log
    /// under the same uuid.
    init(_ error: StoreError, uuid: String) {
        switch error.kind {
        case .busy, .constraint:
            // Somebody else's request came in between: the same one succeeds in a moment.
            self.init(.tryAgainLater, "The server is busy.", retryAfter: 1, uuid: uuid)
        case .unavailable, .full:
            self.init(.tryAgainLater, "The server cannot reach its store just now.", retryAfter: 10, uuid: uuid)
        case .tooLarge:
            self.init(.badRequest, "A value is too large.", extensionCode: .limitExceeded, uuid: uuid)
        case .corrupt, .invalid:
            self.init(.internalError, "An internal error occurred.", uuid: uuid)
        }
    }
}
