import Foundation

extension CKSyncEngine {
    /// Why the engine syncs.
    public enum SyncReason: Sendable, Hashable, CustomStringConvertible {
        /// The engine decided to.
        case scheduled
        /// The app called `fetchChanges` or `sendChanges`.
        case manual

        public var description: String { self == .scheduled ? "scheduled" : "manual" }
    }

    /// What to fetch.
    public struct FetchChangesOptions: Sendable, CustomStringConvertible {
        /// The zones whose changes are fetched.
        public enum Scope: Sendable, Equatable, CustomStringConvertible {
            case all
            case allExcluding([CKRecordZone.ID])
            case zoneIDs([CKRecordZone.ID])

            public func contains(_ zoneID: CKRecordZone.ID) -> Bool {
                switch self {
                case .all: true
                case .allExcluding(let zoneIDs): !zoneIDs.contains(zoneID)
                case .zoneIDs(let zoneIDs): zoneIDs.contains(zoneID)
                }
            }

            public var description: String {
                switch self {
                case .all: "all"
                case .allExcluding(let zoneIDs): "allExcluding(\(zoneIDs.map(\.shortDescription)))"
                case .zoneIDs(let zoneIDs): "zoneIDs(\(zoneIDs.map(\.shortDescription)))"
                }
            }
        }

        public var scope: Scope
        public var operationGroup: CKOperationGroup
        /// These zones come first, in this order. One without changes is passed over.
        public var prioritizedZoneIDs: [CKRecordZone.ID] = []

        public init(scope: Scope = .all, operationGroup: CKOperationGroup? = nil) {
            self.scope = scope
            self.operationGroup = operationGroup ?? CKOperationGroup()
        }

        public var description: String {
            "FetchChangesOptions(scope: \(scope), prioritizedZoneIDs: \(prioritizedZoneIDs.map(\.shortDescription)))"
        }
    }

    /// What to send.
    public struct SendChangesOptions: Sendable, CustomStringConvertible {
        /// The records that are sent.
        public enum Scope: Sendable, Equatable, CustomStringConvertible {
            case all
            case allExcluding([CKRecordZone.ID])
            case zoneIDs([CKRecordZone.ID])
            case recordIDs([CKRecord.ID])

            public func contains(_ recordID: CKRecord.ID) -> Bool {
                switch self {
                case .all: true
                case .allExcluding(let zoneIDs): !zoneIDs.contains(recordID.zoneID)
                case .zoneIDs(let zoneIDs): zoneIDs.contains(recordID.zoneID)
                case .recordIDs(let recordIDs): recordIDs.contains(recordID)
                }
            }

            public func contains(_ pendingRecordZoneChange: PendingRecordZoneChange) -> Bool {
                contains(pendingRecordZoneChange.recordID)
            }

            /// Whether the zone itself is sent: with single records, the zones that they lie in.
            package func contains(zone zoneID: CKRecordZone.ID) -> Bool {
                switch self {
                case .all: true
                case .allExcluding(let zoneIDs): !zoneIDs.contains(zoneID)
                case .zoneIDs(let zoneIDs): zoneIDs.contains(zoneID)
                case .recordIDs(let recordIDs): recordIDs.contains { $0.zoneID == zoneID }
                }
            }

            /// The scope without some zones.
            package func excluding(_ held: Set<CKRecordZone.ID>) -> Scope {
                guard !held.isEmpty else { return self }
                switch self {
                case .all: return .allExcluding(held.sorted { $0.shortDescription < $1.shortDescription })
                case .allExcluding(let zoneIDs):
                    let more = held.subtracting(zoneIDs).sorted { $0.shortDescription < $1.shortDescription }
                    return .allExcluding(zoneIDs + more)
                case .zoneIDs(let zoneIDs): return .zoneIDs(zoneIDs.filter { !held.contains($0) })
                case .recordIDs(let recordIDs): return .recordIDs(recordIDs.filter { !held.contains($0.zoneID) })
                }
            }

            public var description: String {
                switch self {
                case .all: "all"
                case .allExcluding(let zoneIDs): "allExcluding(\(zoneIDs.map(\.shortDescription)))"
                case .zoneIDs(let zoneIDs): "zoneIDs(\(zoneIDs.map(\.shortDescription)))"
                case .recordIDs(let recordIDs): "recordIDs(\(recordIDs.map(\.shortDescription)))"
                }
            }
        }

        public var scope: Scope
        public var operationGroup: CKOperationGroup

        public init(scope: Scope = .all, operationGroup: CKOperationGroup? = nil) {
            self.scope = scope
            self.operationGroup = operationGroup ?? CKOperationGroup()
        }

        public var description: String { "SendChangesOptions(scope: \(scope))" }
    }

    /// A fetch that is going on.
    public struct FetchChangesContext: Sendable, CustomStringConvertible {
        public let reason: SyncReason
        public let options: FetchChangesOptions

        package init(reason: SyncReason, options: FetchChangesOptions) {
            self.reason = reason
            self.options = options
        }

        public var description: String { "FetchChangesContext(reason: \(reason), options: \(options))" }
    }

    /// A send that is going on.
    public struct SendChangesContext: Sendable, CustomStringConvertible {
        public let reason: SyncReason
        /// What is left to send: after a zone proved busy, without that zone.
        public let options: SendChangesOptions

        package init(reason: SyncReason, options: SendChangesOptions) {
            self.reason = reason
            self.options = options
        }

        public var description: String { "SendChangesContext(reason: \(reason), options: \(options))" }
    }
}
