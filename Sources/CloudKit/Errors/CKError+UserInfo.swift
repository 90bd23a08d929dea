import Foundation

/// The errors of single items, by the item's identifier, in the user info of a `partialFailure`.
public let CKPartialErrorsByItemIDKey = "CKPartialErrors"
/// The record as it was before the app's changes, in the user info of a `serverRecordChanged`.
public let CKRecordChangedErrorAncestorRecordKey = "AncestorRecord"
/// The record as the server has it, in the user info of a `serverRecordChanged`.
public let CKRecordChangedErrorServerRecordKey = "ServerRecord"
/// The record as it was to be saved, in the user info of a `serverRecordChanged`.
public let CKRecordChangedErrorClientRecordKey = "ClientRecord"
/// Seconds (NSNumber) to wait before trying again.
public let CKErrorRetryAfterKey = "CKRetryAfter"
/// Whether a `zoneNotFound` comes from the user's having reset the encrypted data.
public let CKErrorUserDidResetEncryptedDataKey = "CKUserDidResetEncryptedData"

extension CKError {
    /// The error of each item that failed. The keys are record identifiers, zone identifiers, subscription identifiers
    /// or share URLs.
    public var partialErrorsByItemID: [AnyHashable: any Error]? {
        userInfo[CKPartialErrorsByItemIDKey] as? [AnyHashable: any Error]
    }

    /// The record from which the app began to make its changes.
    public var ancestorRecord: CKRecord? { userInfo[CKRecordChangedErrorAncestorRecordKey] as? CKRecord }
    /// The record as the server has it: merge the changes into this one and save it.
    public var serverRecord: CKRecord? { userInfo[CKRecordChangedErrorServerRecordKey] as? CKRecord }
    /// The record that was to be saved.
    public var clientRecord: CKRecord? { userInfo[CKRecordChangedErrorClientRecordKey] as? CKRecord }

    /// How long to wait before trying again, in seconds; nil when trying again will not help.
    public var retryAfterSeconds: Double? { (userInfo[CKErrorRetryAfterKey] as? NSNumber)?.doubleValue }
}

extension CKError {
    /// An error as the framework makes it: with the server's reason, or the code's own text, as its description.
    package init(
        _ code: Code, reason: String?, retryAfter: Double? = nil, underlying: (any Error)? = nil,
        userInfo: [String: Any] = [:]
    ) {
        var info = userInfo
        if let reason { info[NSLocalizedDescriptionKey] = reason }
        if let retryAfter { info[CKErrorRetryAfterKey] = NSNumber(value: retryAfter) }
        if let underlying { info[NSUnderlyingErrorKey] = underlying }
        self.init(code, userInfo: info)
    }
}
