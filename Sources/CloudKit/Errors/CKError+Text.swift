import Foundation

extension CKError {
    /// The text under `NSLocalizedDescriptionKey`, or one for the code.
    public var localizedDescription: String {
        userInfo[NSLocalizedDescriptionKey] as? String ?? code.text
    }

    /// What Foundation shows of the error: the user info, with a text when it has none.
    public var errorUserInfo: [String: Any] {
        userInfo.merging([NSLocalizedDescriptionKey: localizedDescription]) { given, _ in given }
    }

    /// With the errors of single items, the first few of them.
    public var description: String {
        var items = ""
        if code == .partialFailure, let errors = partialErrorsByItemID {
            let lines = errors.map { item, error in
                "\t\(Self.name(of: item)): \((error as? CKError)?.brief ?? String(describing: error))"
            }
            .sorted()
            items = "; partial errors: {\n" + lines.prefix(Self.describedItems).joined(separator: "\n")
            if lines.count > Self.describedItems { items += "\n\tand \(lines.count - Self.describedItems) more" }
            items += "\n}"
        }
        return "<CKError: \(addressText(of: _nsError)); \(brief)\(items)>"
    }

    private var brief: String { "\"\(code.name)\" (\(errorCode)); \"\(localizedDescription)\"" }

    private static let describedItems = 10

    private static func name(of item: AnyHashable) -> String {
        switch item.base {
        case let recordID as CKRecord.ID: recordID.recordName
        case let zoneID as CKRecordZone.ID: zoneID.zoneName
        case let other: String(describing: other)
        }
    }
}

extension CKError.Code {
    /// What a person is told when the server gives no reason.
    package var text: String {
        switch self {
        case .internalError: "CloudKit met an internal error."
        case .partialFailure: "Some items failed; their errors are in the user info."
        case .networkUnavailable: "The network is not available."
        case .networkFailure: "The network was available, but the request failed."
        case .badContainer: "The container is unknown, or this app may not use it."
        case .serviceUnavailable: "The service is not available."
        case .requestRateLimited: "Requests came too fast; wait as long as the error says."
        case .missingEntitlement: "The app is missing a required entitlement."
        case .notAuthenticated: "No account is signed in."
        case .permissionFailure: "The account is not allowed to do this."
        case .unknownItem: "The item does not exist."
        case .invalidArguments: "The request is not valid."
        case .resultsTruncated: "The results were cut off by the server."
        case .serverRecordChanged: "The record on the server is newer than the one that was changed."
        case .serverRejectedRequest: "The server refused the request; trying again will not help."
        case .assetFileNotFound: "The asset's file was not found."
        case .assetFileModified: "The asset's file changed while it was being saved."
        case .incompatibleVersion: "This version of the app is older than the oldest one allowed."
        case .constraintViolation: "A field that must be unique has a value that another record has."
        case .operationCancelled: "The operation was cancelled."
        case .changeTokenExpired: "The change token is too old; fetch all changes again without one."
        case .batchRequestFailed: "The item was not saved because another one in its batch failed."
        case .zoneBusy: "The zone is busy; wait and try again."
        case .badDatabase: "The operation is not possible in this database."
        case .quotaExceeded: "There is not enough storage left."
        case .zoneNotFound: "The zone does not exist."
        case .limitExceeded: "The request is too large; send it in smaller parts."
        case .userDeletedZone: "The user has erased the zone."
        case .tooManyParticipants: "The share has as many participants as it can have."
        case .alreadyShared: "The record belongs to a share already."
        case .referenceViolation: "The target of a parent or share reference was not found."
        case .managedAccountRestricted: "A restriction of the managed account forbids this."
        case .participantMayNeedVerification: "The user takes no part in the share, or has to verify an address first."
        case .serverResponseLost: "The connection was lost before the answer; the request may have been carried out."
        case .assetNotAvailable: "The asset's file cannot be read now."
        case .accountTemporarilyUnavailable: "The account is not ready; the user may have to verify it."
        case .participantAlreadyInvited: "The participant has been invited already."
        }
    }

    /// "Unknown Item" for `unknownItem`.
    fileprivate var name: String {
        "\(self)".reduce(into: "") { name, letter in
            if letter.isUppercase { name += " " }
            name += name.isEmpty ? letter.uppercased() : String(letter)
        }
    }
}
