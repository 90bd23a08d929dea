/// What the engine does about a change that was not saved.
package enum SyncErrorTreatment: Sendable, Equatable {
    /// The change stays pending and is tried again later: the cause passes by itself.
    case retry
    /// The change stays pending for the next send; nothing is wrong with it.
    case keep
    /// The change stays pending, and sending stops: more of it would meet the same end.
    case stop
    /// The request was too large and goes again in parts.
    case split
    /// The app decides: the change is no longer pending.
    case drop
}

extension CKError {
    /// [Apple:CKSyncEngine.Event.SentRecordZoneChanges] names the errors that the engine retries itself. Beyond those the
    /// engine keeps what a lost answer or a full account left undone, where Apple's sources are silent: a change is never
    /// lost to a cause that passes.
    package var syncTreatment: SyncErrorTreatment {
        switch code {
        case .notAuthenticated, .accountTemporarilyUnavailable, .networkFailure, .networkUnavailable,
            .requestRateLimited, .serviceUnavailable, .zoneBusy, .serverResponseLost, .operationCancelled:
            .retry
        case .batchRequestFailed: .keep
        case .quotaExceeded: .stop
        case .limitExceeded: .split
        default: .drop
        }
    }
}

extension CKError {
    /// Why the zone that an error tells of is gone; nil for an error that tells of none. [Apple:CKError.Code]
    var zoneDeletionReason: CKDatabase.DatabaseChange.Deletion.Reason? {
        let isReset = userInfo[CKErrorUserDidResetEncryptedDataKey] as? Bool == true
        return switch code {
        case .userDeletedZone: .purged
        case .zoneNotFound: isReset ? .encryptedDataReset : .deleted
        // A token of a zone in whose place another one is.
        case .changeTokenExpired where isReset: .encryptedDataReset
        case .changeTokenExpired where userInfo[Self.zoneWasPurgedKey] as? Bool == true: .purged
        default: nil
        }
    }
}
