import Foundation

extension CKSyncEngine {
    /// What the engine tells its delegate, one after the other.
    public enum Event: Sendable, CustomStringConvertible {
        case stateUpdate(StateUpdate)
        case accountChange(AccountChange)
        case fetchedDatabaseChanges(FetchedDatabaseChanges)
        case fetchedRecordZoneChanges(FetchedRecordZoneChanges)
        case sentDatabaseChanges(SentDatabaseChanges)
        case sentRecordZoneChanges(SentRecordZoneChanges)
        case willFetchChanges(WillFetchChanges)
        case willFetchRecordZoneChanges(WillFetchRecordZoneChanges)
        case didFetchRecordZoneChanges(DidFetchRecordZoneChanges)
        case didFetchChanges(DidFetchChanges)
        case willSendChanges(WillSendChanges)
        case didSendChanges(DidSendChanges)

        public var description: String {
            switch self {
            case .stateUpdate(let event): "stateUpdate(\(event))"
            case .accountChange(let event): "accountChange(\(event))"
            case .fetchedDatabaseChanges(let event): "fetchedDatabaseChanges(\(event))"
            case .fetchedRecordZoneChanges(let event): "fetchedRecordZoneChanges(\(event))"
            case .sentDatabaseChanges(let event): "sentDatabaseChanges(\(event))"
            case .sentRecordZoneChanges(let event): "sentRecordZoneChanges(\(event))"
            case .willFetchChanges(let event): "willFetchChanges(\(event))"
            case .willFetchRecordZoneChanges(let event): "willFetchRecordZoneChanges(\(event))"
            case .didFetchRecordZoneChanges(let event): "didFetchRecordZoneChanges(\(event))"
            case .didFetchChanges(let event): "didFetchChanges(\(event))"
            case .willSendChanges(let event): "willSendChanges(\(event))"
            case .didSendChanges(let event): "didSendChanges(\(event))"
            }
        }
    }
}

extension CKSyncEngine.Event {
    /// The engine's state changed. Store it with the data of the events before.
    public struct StateUpdate: Sendable, CustomStringConvertible {
        public let stateSerialization: CKSyncEngine.State.Serialization
        public var description: String { "StateUpdate" }
    }

    /// Somebody else is signed in. All pending changes and tokens of the account before are gone already.
    public struct AccountChange: Sendable, CustomStringConvertible {
        public enum ChangeType: Sendable, Equatable, CustomStringConvertible {
            case signIn(currentUser: CKRecord.ID)
            case signOut(previousUser: CKRecord.ID)
            case switchAccounts(previousUser: CKRecord.ID, currentUser: CKRecord.ID)

            public var description: String {
                switch self {
                case .signIn(let user): "signIn(\(user.recordName))"
                case .signOut(let user): "signOut(\(user.recordName))"
                case .switchAccounts(let previous, let current):
                    "switchAccounts(\(previous.recordName), \(current.recordName))"
                }
            }
        }

        public let changeType: ChangeType
        public var description: String { "AccountChange(\(changeType))" }
    }

    /// Zones are new, changed or gone.
    public struct FetchedDatabaseChanges: Sendable, CustomStringConvertible {
        public let modifications: [CKDatabase.DatabaseChange.Modification]
        public let deletions: [CKDatabase.DatabaseChange.Deletion]
        public var description: String {
            "FetchedDatabaseChanges(modifications: \(modifications.map(\.zoneID.shortDescription)), "
                + "deletions: \(deletions.map(\.zoneID.shortDescription)))"
        }
    }

    /// Records of one zone changed.
    public struct FetchedRecordZoneChanges: Sendable, CustomStringConvertible {
        public let modifications: [CKDatabase.RecordZoneChange.Modification]
        public let deletions: [CKDatabase.RecordZoneChange.Deletion]
        public var description: String {
            "FetchedRecordZoneChanges(modifications: \(modifications.map(\.record.recordID.shortDescription)), "
                + "deletions: \(deletions.map(\.recordID.shortDescription)))"
        }
    }

    /// What became of zones that were sent.
    public struct SentDatabaseChanges: Sendable, CustomStringConvertible {
        public struct FailedZoneSave: Sendable, CustomStringConvertible {
            public let zone: CKRecordZone
            public let error: CKError
            public var description: String { "FailedZoneSave(\(zone.zoneID.shortDescription), \(error))" }
        }

        public let savedZones: [CKRecordZone]
        public let failedZoneSaves: [FailedZoneSave]
        public let deletedZoneIDs: [CKRecordZone.ID]
        public let failedZoneDeletes: [CKRecordZone.ID: CKError]
        public var description: String {
            "SentDatabaseChanges(savedZones: \(savedZones.map(\.zoneID.shortDescription)), "
                + "failedZoneSaves: \(failedZoneSaves), deletedZoneIDs: \(deletedZoneIDs.map(\.shortDescription)), "
                + "failedZoneDeletes: \(failedZoneDeletes))"
        }
    }

    /// What became of records that were sent.
    ///
    /// Of the failed ones, the engine keeps those pending that can be expected to succeed later: after errors of network,
    /// account, load and quota, and those that failed only beside another one of their atomic batch. All other changes are
    /// no longer pending; add what should be sent again.
    public struct SentRecordZoneChanges: Sendable, CustomStringConvertible {
        public struct FailedRecordSave: Sendable, CustomStringConvertible {
            public let record: CKRecord
            public let error: CKError
            public var description: String { "FailedRecordSave(\(record.recordID.shortDescription), \(error))" }
        }

        public let savedRecords: [CKRecord]
        public let failedRecordSaves: [FailedRecordSave]
        public let deletedRecordIDs: [CKRecord.ID]
        public let failedRecordDeletes: [CKRecord.ID: CKError]
        public var description: String {
            "SentRecordZoneChanges(savedRecords: \(savedRecords.map(\.recordID.shortDescription)), "
                + "failedRecordSaves: \(failedRecordSaves), "
                + "deletedRecordIDs: \(deletedRecordIDs.map(\.shortDescription)), "
                + "failedRecordDeletes: \(failedRecordDeletes))"
        }
    }

    /// A fetch begins.
    public struct WillFetchChanges: Sendable, CustomStringConvertible {
        public let context: CKSyncEngine.FetchChangesContext
        public var description: String { "WillFetchChanges(\(context))" }
    }

    /// The changes of a zone are about to come.
    public struct WillFetchRecordZoneChanges: Sendable, CustomStringConvertible {
        public let zoneID: CKRecordZone.ID
        public var description: String { "WillFetchRecordZoneChanges(\(zoneID.shortDescription))" }
    }

    /// All changes of a zone have come, or what kept them from it.
    ///
    /// `.changeTokenExpired` says that the server no longer knows what went since the last fetch. The engine reads the zone
    /// from its beginning right after it; what is not among those changes, until the zone's next end without an error, is
    /// gone. Apple's documentation is silent on this.
    public struct DidFetchRecordZoneChanges: Sendable, CustomStringConvertible {
        public let zoneID: CKRecordZone.ID
        public let error: CKError?
        public var description: String {
            "DidFetchRecordZoneChanges(\(zoneID.shortDescription)\(error.map { ", \($0)" } ?? ""))"
        }
    }

    /// A fetch has ended.
    public struct DidFetchChanges: Sendable, CustomStringConvertible {
        public let context: CKSyncEngine.FetchChangesContext
        public var description: String { "DidFetchChanges(\(context))" }
    }

    /// A send begins.
    public struct WillSendChanges: Sendable, CustomStringConvertible {
        public let context: CKSyncEngine.SendChangesContext
        public var description: String { "WillSendChanges(\(context))" }
    }

    /// A send has ended.
    public struct DidSendChanges: Sendable, CustomStringConvertible {
        public let context: CKSyncEngine.SendChangesContext
        public var description: String { "DidSendChanges(\(context))" }
    }
}
