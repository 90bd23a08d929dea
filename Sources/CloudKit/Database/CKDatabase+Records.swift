import Foundation

extension CKDatabase {
    // MARK: One record

    /// Fetches a record.
    ///
    /// - Throws: `CKError`; `.unknownItem` where there is no such record, `.zoneNotFound` where there is no such zone.
    @discardableResult
    public func record(for recordID: CKRecord.ID) async throws -> CKRecord {
        let results = try await records(for: [recordID])
        guard let result = results[recordID] else { throw CKError.unexpectedAnswer }
        return try result.get()
    }

    public func fetch(
        withRecordID recordID: CKRecord.ID, completionHandler: @escaping @Sendable (CKRecord?, (any Error)?) -> Void
    ) {
        Callback.run({ try await self.record(for: recordID) }, completionHandler)
    }

    /// Saves a record if nobody changed it on the server meanwhile.
    ///
    /// The instance passed in stays as it is; go on with the one returned, which carries the new change tag.
    /// - Throws: `CKError`; `.serverRecordChanged` with the server's record where its change tag differs.
    @discardableResult
    public func save(_ record: CKRecord) async throws -> CKRecord {
        let (saved, _) = try await modifyRecords(saving: [record], deleting: [])
        guard let result = saved[record.recordID] else { throw CKError.unexpectedAnswer }
        return try result.get()
    }

    public func save(
        _ record: CKRecord, completionHandler: @escaping @Sendable (CKRecord?, (any Error)?) -> Void
    ) {
        modifyRecords(saving: [record], deleting: []) { result in
            do {
                guard let saved = try result.get().saveResults[record.recordID] else { throw CKError.unexpectedAnswer }
                completionHandler(try saved.get(), nil)
            } catch {
                completionHandler(nil, error)
            }
        }
    }

    /// Deletes a record. One that does not exist counts as deleted.
    @discardableResult
    public func deleteRecord(withID recordID: CKRecord.ID) async throws -> CKRecord.ID {
        let (_, deleted) = try await modifyRecords(saving: [], deleting: [recordID])
        guard let result = deleted[recordID] else { throw CKError.unexpectedAnswer }
        try result.get()
        return recordID
    }

    public func delete(
        withRecordID recordID: CKRecord.ID,
        completionHandler: @escaping @Sendable (CKRecord.ID?, (any Error)?) -> Void
    ) {
        Callback.run({ try await self.deleteRecord(withID: recordID) }, completionHandler)
    }

    // MARK: Many records

    /// Fetches records of any number of zones.
    ///
    /// - Parameter desiredKeys: The fields to fetch; nil all, empty none.
    public func records(
        for ids: [CKRecord.ID], desiredKeys: [CKRecord.FieldKey]? = nil
    ) async throws -> [CKRecord.ID: Result<CKRecord, any Error>] {
        let request = RecordLookup(recordIDs: ids, desiredKeys: desiredKeys)
        let (events, _) = try await request.collect(in: session())
        return Dictionary(events.map { ($0.recordID, $0.result.erased) }, uniquingKeysWith: { $1 })
    }

    public func fetch(
        withRecordIDs recordIDs: [CKRecord.ID], desiredKeys: [CKRecord.FieldKey]? = nil,
        completionHandler:
            @escaping @Sendable (
                Result<[CKRecord.ID: Result<CKRecord, any Error>], any Error>
            ) -> Void
    ) {
        Callback.run({ try await self.records(for: recordIDs, desiredKeys: desiredKeys) }, result: completionHandler)
    }

    /// Saves and deletes records in one operation, zone by zone.
    ///
    /// - Parameter atomically: Whether in a custom zone everything is saved or nothing. Where one item fails, the others
    ///   of its zone are then `.batchRequestFailed`.
    /// - Returns: What became of each item. What fails as a whole is thrown.
    public func modifyRecords(
        saving recordsToSave: [CKRecord], deleting recordIDsToDelete: [CKRecord.ID],
        savePolicy: CKModifyRecordsOperation.RecordSavePolicy = .ifServerRecordUnchanged, atomically: Bool = true
    ) async throws -> (
        saveResults: [CKRecord.ID: Result<CKRecord, any Error>], deleteResults: [CKRecord.ID: Result<Void, any Error>]
    ) {
        try await perform(
            RecordModification(
                saving: recordsToSave, deleting: recordIDsToDelete, policy: savePolicy, isAtomic: atomically))
    }

    public func modifyRecords(
        saving recordsToSave: [CKRecord], deleting recordIDsToDelete: [CKRecord.ID],
        savePolicy: CKModifyRecordsOperation.RecordSavePolicy = .ifServerRecordUnchanged, atomically: Bool = true,
        completionHandler:
            @escaping @Sendable (
                Result<
                    (
                        saveResults: [CKRecord.ID: Result<CKRecord, any Error>],
                        deleteResults: [CKRecord.ID: Result<Void, any Error>]
                    ), any Error
                >
            ) -> Void
    ) {
        let request = RecordModification(
            saving: recordsToSave, deleting: recordIDsToDelete, policy: savePolicy, isAtomic: atomically)
        Callback.run({ try await self.perform(request) }, result: completionHandler)
    }

    private func perform(
        _ request: RecordModification
    ) async throws -> (
        saveResults: [CKRecord.ID: Result<CKRecord, any Error>], deleteResults: [CKRecord.ID: Result<Void, any Error>]
    ) {
        var saved: [CKRecord.ID: Result<CKRecord, any Error>] = [:]
        var deleted: [CKRecord.ID: Result<Void, any Error>] = [:]
        for event in try await request.collect(in: session()).events {
            switch event {
            case .saved(let original, let result): saved[original.recordID] = result.erased
            case .deleted(let recordID, let result): deleted[recordID] = result.erased
            }
        }
        return (saved, deleted)
    }
}

extension Result where Failure == CKError {
    /// The same with any error, as the public functions give it.
    var erased: Result<Success, any Error> { mapError { $0 } }
}
