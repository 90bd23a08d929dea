/// An error dictionary of the protocol: the whole answer, or one item of it. [Apple:ErrorCodes]
package struct ServerError: Error, Sendable, Hashable {
    package var code: Code
    package var reason: String
    /// Seconds; absent means that the client should not retry.
    package var retryAfter: Double?
    package var redirectURL: String?
    /// A finer code for our own client where the protocol's table has none, such as `LIMIT_EXCEEDED`.
    package var extensionCode: ExtensionCode?
    package var uuid: String?

    package init(
        _ code: Code, _ reason: String, retryAfter: Double? = nil, redirectURL: String? = nil,
        extensionCode: ExtensionCode? = nil, uuid: String? = nil
    ) {
        self.code = code
        self.reason = reason
        self.retryAfter = retryAfter
        self.redirectURL = redirectURL
        self.extensionCode = extensionCode
        self.uuid = uuid
    }

    /// `serverErrorCode`. A code that this version does not know is kept as text.
    package enum Code: Sendable, Hashable {
        case accessDenied, atomicError, authenticationFailed, authenticationRequired, badRequest, conflict, exists
        case internalError, notFound, quotaExceeded, throttled, tryAgainLater, validatingReferenceError, zoneNotFound
        case uniqueFieldError, zoneBusy
        /// Apple documents no wire code for an expired token; this name is the one met in public code.
        case changeTokenExpired
        case other(String)
    }

    /// `extensionErrorCode`.
    package enum ExtensionCode: String, Sendable, Hashable {
        case limitExceeded = "LIMIT_EXCEEDED"
        case userDeletedZone = "USER_DELETED_ZONE"
        /// The zone went because its encrypted data could no longer be read.
        case userDidResetEncryptedData = "USER_DID_RESET_ENCRYPTED_DATA"
        case unknownItem = "UNKNOWN_ITEM"
        case invalidReference = "INVALID_REFERENCE"
        case duplicateRecord = "DUPLICATE_RECORD"
        /// There is no such container on this server.
        case badContainer = "BAD_CONTAINER"
        /// The file of an asset is not there: its upload was not used in time, or its address is good no more.
        case assetNotAvailable = "ASSET_NOT_AVAILABLE"
    }
}

extension ServerError.Code {
    private static let table: [(code: ServerError.Code, name: String, status: Int)] = [
        (.accessDenied, "ACCESS_DENIED", 403),
        (.atomicError, "ATOMIC_ERROR", 400),
        (.authenticationFailed, "AUTHENTICATION_FAILED", 401),
        (.authenticationRequired, "AUTHENTICATION_REQUIRED", 421),
        (.badRequest, "BAD_REQUEST", 400),
        (.conflict, "CONFLICT", 409),
        (.exists, "EXISTS", 409),
        (.internalError, "INTERNAL_ERROR", 500),
        (.notFound, "NOT_FOUND", 404),
        (.quotaExceeded, "QUOTA_EXCEEDED", 413),
        (.throttled, "THROTTLED", 429),
        (.tryAgainLater, "TRY_AGAIN_LATER", 503),
        (.validatingReferenceError, "VALIDATING_REFERENCE_ERROR", 412),
        (.zoneNotFound, "ZONE_NOT_FOUND", 404),
        (.uniqueFieldError, "UNIQUE_FIELD_ERROR", 409),
        (.zoneBusy, "ZONE_BUSY", 503),
        (.changeTokenExpired, "CHANGE_TOKEN_EXPIRED", 400),
    ]

    /// The text of `serverErrorCode`.
    package var name: String {
        if case .other(let name) = self { return name }
        return Self.table.first { $0.code == self }?.name ?? "INTERNAL_ERROR"
    }

    /// The HTTP status when the error is the whole answer; as an item it sits in a 200.
    package var status: Int {
        Self.table.first { $0.code == self }?.status ?? 500
    }

    package init(name: String) {
        self = Self.table.first { $0.name == name }?.code ?? .other(name)
    }
}
