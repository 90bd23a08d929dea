import Foundation
import Testing
import WebServices

@testable import CloudKit

@Suite("What the wire says, as a CKError") struct ErrorMappingTests {
    static let codes: [(ServerError.Code, CKError.Code)] = [
        (.accessDenied, .permissionFailure), (.atomicError, .batchRequestFailed),
        (.authenticationFailed, .notAuthenticated), (.authenticationRequired, .notAuthenticated),
        (.badRequest, .invalidArguments), (.conflict, .serverRecordChanged), (.exists, .serverRecordChanged),
        (.internalError, .internalError), (.notFound, .unknownItem), (.quotaExceeded, .quotaExceeded),
        (.throttled, .requestRateLimited), (.tryAgainLater, .serviceUnavailable),
        (.validatingReferenceError, .referenceViolation), (.zoneNotFound, .zoneNotFound),
        (.uniqueFieldError, .constraintViolation), (.zoneBusy, .zoneBusy),
        (.changeTokenExpired, .changeTokenExpired), (.other("SOMETHING_NEW"), .serverRejectedRequest),
    ]

    @Test("Each server code has its CKError code, with the server's reason", arguments: codes)
    func serverCode(_ code: ServerError.Code, _ expected: CKError.Code) {
        let error = CKError(ServerError(code, "The reason", uuid: "U-1"))
        #expect(error.code == expected)
        #expect(error.localizedDescription == "The reason")
        #expect(error.userInfo["RequestUUID"] as? String == "U-1")
        #expect(error.retryAfterSeconds == nil)
    }

    @Test(
        "An extension code is finer and wins",
        arguments: [
            (ServerError.ExtensionCode.limitExceeded, CKError.Code.limitExceeded),
            (.userDeletedZone, .userDeletedZone), (.unknownItem, .unknownItem),
            (.invalidReference, .referenceViolation), (.duplicateRecord, .invalidArguments),
            (.badContainer, .badContainer),
        ])
    func extensionCode(_ code: ServerError.ExtensionCode, _ expected: CKError.Code) {
        #expect(CKError(ServerError(.badRequest, "", extensionCode: code)).code == expected)
    }

    @Test("A server's fault is worth a retry only when the server says how long to wait")
    func internalError() {
        let error = CKError(ServerError(.internalError, "", retryAfter: 2.5))
        #expect(error.code == .serviceUnavailable)
        #expect(error.retryAfterSeconds == 2.5)
    }

    static let failures: [(TransportError, read: CKError.Code, write: CKError.Code)] = [
        (.unreachable(""), .networkUnavailable, .networkUnavailable),
        (.interrupted(""), .networkFailure, .networkFailure),
        (.answerLost(""), .networkFailure, .serverResponseLost),
        (.timedOut, .networkFailure, .networkFailure),
        (.cancelled, .operationCancelled, .operationCancelled),
        (.notUnderstood(status: 503, ""), .serviceUnavailable, .serviceUnavailable),
        (.notUnderstood(status: 429, ""), .requestRateLimited, .requestRateLimited),
        (.notUnderstood(status: 413, ""), .limitExceeded, .limitExceeded),
        (.notUnderstood(status: 500, ""), .serviceUnavailable, .serviceUnavailable),
        (.notUnderstood(status: 404, ""), .serverRejectedRequest, .serverRejectedRequest),
        (.notUnderstood(status: 302, ""), .networkFailure, .networkFailure),
        (.notUnderstood(status: nil, ""), .networkFailure, .networkFailure),
        // Cut off on its way, or the sign-in page of a wireless network.
        (.notUnderstood(status: 200, ""), .networkFailure, .serverResponseLost),
    ]

    @Test("A request without an answer", arguments: failures)
    func transport(_ error: TransportError, _ read: CKError.Code, _ write: CKError.Code) {
        #expect(CKError(error, changesState: false).code == read)
        #expect(CKError(error, changesState: true).code == write)
    }
}
