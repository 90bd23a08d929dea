import Foundation
import WebServices

// Every way from what the wire or the transport says to the CKError that an app is given.

extension CKError {
    /// The error for what the server refused.
    ///
    /// The server's reason is the description, as Apple's framework shows it. The extension code, which only our servers
    /// send, is the finer one and wins.
    package init(_ error: ServerError) {
        var info: [String: Any] = ["ServerErrorDescription": error.reason]
        if let uuid = error.uuid { info["RequestUUID"] = uuid }
        if let url = error.redirectURL { info[Self.redirectURLKey] = url }
        if error.extensionCode == .userDidResetEncryptedData {
            info[CKErrorUserDidResetEncryptedDataKey] = NSNumber(value: true)
        }
        if error.code == .changeTokenExpired, error.extensionCode == .userDeletedZone {
            info[Self.zoneWasPurgedKey] = NSNumber(value: true)
        }
        self.init(
            Self.code(for: error), reason: error.reason.isEmpty ? nil : error.reason, retryAfter: error.retryAfter,
            userInfo: info)
    }

    /// Where a person signs in, as the server says.
    static let redirectURLKey = "RedirectURL"

    /// With an expired token: of a zone that its user purged.
    static let zoneWasPurgedKey = "ZoneWasPurged"

    package static func code(for error: ServerError) -> Code {
        // Beside it the extension code only says what became of the token's zone.
        if error.code == .changeTokenExpired { return .changeTokenExpired }
        switch error.extensionCode {
        case .limitExceeded: return .limitExceeded
        case .userDeletedZone: return .userDeletedZone
        case .userDidResetEncryptedData: return .zoneNotFound
        case .unknownItem: return .unknownItem
        case .invalidReference: return .referenceViolation
        case .duplicateRecord: return .invalidArguments
        case .badContainer: return .badContainer
        case .assetNotAvailable: return .assetNotAvailable
        case nil: break
        }
        switch error.code {
        case .accessDenied: return .permissionFailure
        case .atomicError: return .batchRequestFailed
        case .authenticationFailed, .authenticationRequired: return .notAuthenticated
        case .badRequest: return .invalidArguments
        case .conflict, .exists: return .serverRecordChanged
        case .notFound: return .unknownItem
        case .quotaExceeded: return .quotaExceeded
        case .throttled: return .requestRateLimited
        case .tryAgainLater: return .serviceUnavailable
        case .validatingReferenceError: return .referenceViolation
        case .zoneNotFound: return .zoneNotFound
        case .uniqueFieldError: return .constraintViolation
        case .zoneBusy: return .zoneBusy
        case .changeTokenExpired: return .changeTokenExpired
        case .internalError:
            // With a time to wait, the server says that waiting helps; without one, a client "should not retry"
            // [Apple:ErrorCodes], and `.serviceUnavailable` would have sync engines retry the same fault for ever.
            return error.retryAfter == nil ? .internalError : .serviceUnavailable
        case .other(let name):
            return name == "UNKNOWN_CONTAINER" ? .badContainer : .serverRejectedRequest
        }
    }

    /// The error for a request that brought no answer.
    ///
    /// - Parameter changesState: Whether it may have changed something on the server. Of a read whose answer is lost
    ///   nothing is uncertain, so it is an ordinary network failure.
    package init(_ error: TransportError, changesState: Bool) {
        switch error {
        case .unreachable(let reason):
            self.init(.networkUnavailable, reason: reason)
        case .interrupted(let reason):
            self.init(.networkFailure, reason: reason)
        case .answerLost(let reason):
            self.init(changesState ? .serverResponseLost : .networkFailure, reason: reason)
        case .timedOut:
            self.init(.networkFailure, reason: "The request timed out")
        case .cancelled:
            self.init(.operationCancelled, reason: "The operation was cancelled")
        case .notUnderstood(let status, let reason):
            self.init(Self.code(ofForeign: status, changesState: changesState), reason: reason)
        }
    }

    /// What was answered by a proxy, a load balancer or the sign-in page of a wireless network in front of the server, or
    /// broke off on its way, is no judgement of the server's: it passes, and sync engines keep what they sent.
    private static func code(ofForeign status: Int?, changesState: Bool) -> Code {
        switch status {
        case 413: .limitExceeded
        case 429: .requestRateLimited
        case let status? where (500..<600).contains(status): .serviceUnavailable
        case let status? where (400..<500).contains(status): .serverRejectedRequest
        case let status? where (200..<300).contains(status): changesState ? .serverResponseLost : .networkFailure
        default: .networkFailure
        }
    }

    /// A conflict with the three records that a merge needs.
    init(conflict error: ServerError, client: CKRecord, server: CKRecord) {
        self.init(
            .serverRecordChanged, reason: error.reason,
            userInfo: [
                "ServerErrorDescription": error.reason, CKRecordChangedErrorServerRecordKey: server,
                CKRecordChangedErrorClientRecordKey: client,
                CKRecordChangedErrorAncestorRecordKey: client.ancestor,
            ])
    }

    /// The server answered something else than it was asked.
    static var unexpectedAnswer: CKError {
        CKError(.internalError, reason: "The server's answer does not fit the request")
    }
    /// Paging would go on for ever.
    static var tokenStandsStill: CKError {
        CKError(.internalError, reason: "The server has more changes but its token does not move")
    }
    static var otherInBatchFailed: CKError {
        CKError(.batchRequestFailed, reason: "Not saved: another record of its batch cannot be sent")
    }
}
