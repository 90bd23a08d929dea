import Foundation

extension CKDatabase {
    /// What `databaseChanges` gives back.
    public enum DatabaseChange {
        /// A zone in which records changed, or which is new.
        public struct Modification: Sendable {
            public let zoneID: CKRecordZone.ID
        }

        public struct Deletion: Sendable {
            public let zoneID: CKRecordZone.ID
            /// Why the zone went, and so what to do with its local data.
            public let reason: Reason

            public enum Reason: Sendable, Equatable, Hashable {
                case deleted
                /// The user erased it in the settings: forget the data, do not upload it again.
                case purged
                /// The user reset encrypted data: upload the local data again.
                case encryptedDataReset
            }

            @available(*, deprecated, message: "Use reason")
            public var purged: Bool { reason == .purged }
        }
    }

    /// What `recordZoneChanges` gives back.
    public enum RecordZoneChange {
        public struct Modification: Sendable {
            public let record: CKRecord
        }

        public struct Deletion: Sendable {
            public let recordID: CKRecord.ID
            public let recordType: CKRecord.RecordType
        }
    }

    /// The zones that changed since a token; nil since the beginning.
    ///
    /// - Throws: `CKError`; `.changeTokenExpired` for a token too old, or of another database: start again with nil.
    public func databaseChanges(
        since changeToken: CKServerChangeToken?, resultsLimit: Int? = nil
    ) async throws -> (
        modifications: [DatabaseChange.Modification], deletions: [DatabaseChange.Deletion],
        changeToken: CKServerChangeToken, moreComing: Bool
    ) {
        let request = DatabaseChanges(token: changeToken, resultsLimit: resultsLimit ?? 0, fetchesAll: false)
        let (events, outcome) = try await request.collect(in: session())
        var modifications: [DatabaseChange.Modification] = []
        var deletions: [DatabaseChange.Deletion] = []
        for event in events {
            switch event {
            case .changed(let zoneID): modifications.append(DatabaseChange.Modification(zoneID: zoneID))
            case .deleted(let zoneID, let reason):
                deletions.append(DatabaseChange.Deletion(zoneID: zoneID, reason: reason))
            case .tokenUpdated, .page: break
            }
        }
        return (modifications, deletions, outcome.token, outcome.moreComing)
    }

    public func fetchDatabaseChanges(
        since changeToken: CKServerChangeToken?, resultsLimit: Int? = nil,
        completionHandler:
            @escaping @Sendable (
                Result<
                    (
                        modifications: [DatabaseChange.Modification], deletions: [DatabaseChange.Deletion],
                        changeToken: CKServerChangeToken, moreComing: Bool
                    ), any Error
                >
            ) -> Void
    ) {
        Callback.run(
            { try await self.databaseChanges(since: changeToken, resultsLimit: resultsLimit) },
            result: completionHandler)
    }

    /// The records of a zone that changed since a token; nil since the beginning. Each comes once, in its newest state.
    ///
    /// - Parameter resultsLimit: The most changes to give back; nil leaves it to the server.
    /// - Throws: `CKError`; `.changeTokenExpired` for a token too old, or of another zone; `.zoneNotFound`.
    public func recordZoneChanges(
        inZoneWith zoneID: CKRecordZone.ID, since changeToken: CKServerChangeToken?,
        desiredKeys: [CKRecord.FieldKey]? = nil, resultsLimit: Int? = nil
    ) async throws -> (
        modificationResultsByID: [CKRecord.ID: Result<RecordZoneChange.Modification, any Error>],
        deletions: [RecordZoneChange.Deletion], changeToken: CKServerChangeToken, moreComing: Bool
    ) {
        let zone = ZoneChanges.Zone(
            zoneID: zoneID, token: changeToken, desiredKeys: desiredKeys, resultsLimit: resultsLimit ?? 0)
        let request = ZoneChanges(zones: [zone], fetchesAll: false)
        var modifications: [CKRecord.ID: Result<RecordZoneChange.Modification, any Error>] = [:]
        var deletions: [RecordZoneChange.Deletion] = []
        var end: (token: CKServerChangeToken, moreComing: Bool)?
        for event in try await request.collect(in: session()).events {
            switch event {
            case .changed(let recordID, let result):
                modifications[recordID] = result.map { RecordZoneChange.Modification(record: $0) }.erased
            case .deleted(let recordID, let recordType):
                // On a later page than its last change, or the other way round: the last word counts.
                modifications[recordID] = nil
                deletions.append(RecordZoneChange.Deletion(recordID: recordID, recordType: recordType))
            case .tokenUpdated: break
            case .zone(_, let result): end = try result.get()
            }
        }
        guard let end else { throw CKError.unexpectedAnswer }
        return (modifications, deletions, end.token, end.moreComing)
    }

    public func fetchRecordZoneChanges(
        inZoneWith zoneID: CKRecordZone.ID, since changeToken: CKServerChangeToken?,
        desiredKeys: [CKRecord.FieldKey]? = nil, resultsLimit: Int? = nil,
        completionHandler:
            @escaping @Sendable (
                Result<
                    (
                        modificationResultsByID: [CKRecord.ID: Result<RecordZoneChange.Modification, any Error>],
                        deletions: [RecordZoneChange.Deletion], changeToken: CKServerChangeToken, moreComing: Bool
                    ), any Error
                >
            ) -> Void
    ) {
        Callback.run(
            {
                try await self.recordZoneChanges(
                    inZoneWith: zoneID, since: changeToken, desiredKeys: desiredKeys, resultsLimit: resultsLimit)
            }, result: completionHandler)
    }
}
