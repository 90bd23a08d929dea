import Foundation

extension CKDatabase {
    /// The records that match a query, in its order.
    ///
    /// - Parameters:
    ///   - zoneID: The zone to search; nil all zones, which the shared database does not allow.
    ///   - desiredKeys: The fields to fetch; nil all, empty none.
    ///   - resultsLimit: The most records to give back; `CKQueryOperation.maximumResults` leaves it to the server.
    /// - Returns: The matches, and where to go on if there are more.
    /// - Throws: `CKError`; `.invalidArguments` for a predicate that CloudKit cannot answer.
    public func records(
        matching query: CKQuery, inZoneWith zoneID: CKRecordZone.ID? = nil, desiredKeys: [CKRecord.FieldKey]? = nil,
        resultsLimit: Int = CKQueryOperation.maximumResults
    ) async throws -> (
        matchResults: [(CKRecord.ID, Result<CKRecord, any Error>)], queryCursor: CKQueryOperation.Cursor?
    ) {
        try await perform(
            RecordQuery(query, zoneID: zoneID, desiredKeys: desiredKeys, resultsLimit: resultsLimit))
    }

    public func fetch(
        withQuery query: CKQuery, inZoneWith zoneID: CKRecordZone.ID? = nil, desiredKeys: [CKRecord.FieldKey]? = nil,
        resultsLimit: Int = CKQueryOperation.maximumResults,
        completionHandler:
            @escaping @Sendable (
                Result<
                    (
                        matchResults: [(CKRecord.ID, Result<CKRecord, any Error>)],
                        queryCursor: CKQueryOperation.Cursor?
                    ), any Error
                >
            ) -> Void
    ) {
        let request = RecordQuery(query, zoneID: zoneID, desiredKeys: desiredKeys, resultsLimit: resultsLimit)
        Callback.run({ try await self.perform(request) }, result: completionHandler)
    }

    /// More records of a query.
    public func records(
        continuingMatchFrom queryCursor: CKQueryOperation.Cursor, desiredKeys: [CKRecord.FieldKey]? = nil,
        resultsLimit: Int = CKQueryOperation.maximumResults
    ) async throws -> (
        matchResults: [(CKRecord.ID, Result<CKRecord, any Error>)], queryCursor: CKQueryOperation.Cursor?
    ) {
        try await perform(
            RecordQuery(continuing: queryCursor, desiredKeys: desiredKeys, resultsLimit: resultsLimit))
    }

    public func fetch(
        withCursor queryCursor: CKQueryOperation.Cursor, desiredKeys: [CKRecord.FieldKey]? = nil,
        resultsLimit: Int = CKQueryOperation.maximumResults,
        completionHandler:
            @escaping @Sendable (
                Result<
                    (
                        matchResults: [(CKRecord.ID, Result<CKRecord, any Error>)],
                        queryCursor: CKQueryOperation.Cursor?
                    ), any Error
                >
            ) -> Void
    ) {
        let request = RecordQuery(continuing: queryCursor, desiredKeys: desiredKeys, resultsLimit: resultsLimit)
        Callback.run({ try await self.perform(request) }, result: completionHandler)
    }

    /// The first batch of a query's records; the rest cannot be reached.
    @available(*, deprecated, message: "Use records(matching:inZoneWith:desiredKeys:resultsLimit:)")
    @_disfavoredOverload
    @discardableResult
    public func records(
        matching query: CKQuery, inZoneWith zoneID: CKRecordZone.ID?
    ) async throws -> [CKRecord] {
        try await firstBatch(query, zoneID)
    }

    @available(*, deprecated, message: "Use fetch(withQuery:inZoneWith:desiredKeys:resultsLimit:completionHandler:)")
    public func perform(
        _ query: CKQuery, inZoneWith zoneID: CKRecordZone.ID?,
        completionHandler: @escaping @Sendable ([CKRecord]?, (any Error)?) -> Void
    ) {
        Callback.run({ try await self.firstBatch(query, zoneID) }, completionHandler)
    }

    private func firstBatch(_ query: CKQuery, _ zoneID: CKRecordZone.ID?) async throws -> [CKRecord] {
        try await records(matching: query, inZoneWith: zoneID, desiredKeys: nil).matchResults.map { try $0.1.get() }
    }

    private func perform(
        _ request: RecordQuery
    ) async throws -> (
        matchResults: [(CKRecord.ID, Result<CKRecord, any Error>)], queryCursor: CKQueryOperation.Cursor?
    ) {
        let (events, cursor) = try await request.collect(in: session())
        return (events.map { ($0.recordID, $0.result.erased) }, cursor)
    }
}
