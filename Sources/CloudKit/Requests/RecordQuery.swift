import WebServices

/// Runs a query, or goes on with one. [Apple:QueryingRecords]
struct RecordQuery: DatabaseRequest {
    struct Event: Sendable {
        var recordID: CKRecord.ID
        var result: Result<CKRecord, CKError>
    }

    let query: CKQuery
    /// nil asks all zones of a private database.
    let zoneID: CKRecordZone.ID?
    let marker: String?
    let desiredKeys: [CKRecord.FieldKey]?
    /// `CKQueryOperation.maximumResults` leaves it to the server: one page.
    let resultsLimit: Int

    init(
        _ query: CKQuery, zoneID: CKRecordZone.ID?, marker: String? = nil, desiredKeys: [CKRecord.FieldKey]?,
        resultsLimit: Int
    ) {
        self.query = query
        self.zoneID = zoneID
        self.marker = marker
        self.desiredKeys = desiredKeys
        self.resultsLimit = resultsLimit
    }

    init(continuing cursor: CKQueryOperation.Cursor, desiredKeys: [CKRecord.FieldKey]?, resultsLimit: Int) {
        self.init(
            cursor.query, zoneID: cursor.zoneID, marker: cursor.marker, desiredKeys: desiredKeys,
            resultsLimit: resultsLimit)
    }

    /// - Returns: Where to go on, nil at the end.
    func perform(
        in session: DatabaseSession, report: @Sendable (Event) -> Void
    ) async throws(CKError) -> CKQueryOperation.Cursor? {
        guard zoneID != nil || session.scope != .shared else {
            throw CKError(.invalidArguments, reason: "A query of the shared database needs a zone")
        }
        let translated: RecordsQuery.Query
        switch try await QueryTranslation(query).outcome(currentUser: { () throws(CKError) in
            try await session.userRecordName()
        }) {
        case .query(let query): translated = query
        case .nothing: return nil
        }
        var marker = self.marker
        var remaining = resultsLimit > 0 ? resultsLimit : Int.max
        repeat {
            var request = RecordsQuery.Request(query: translated, zoneID: zoneID.map { ZoneID($0) })
            request.zoneWide = zoneID == nil && session.scope == .private
            request.resultsLimit = remaining == .max ? nil : min(remaining, RecordsQuery.pageLimit)
            request.continuationMarker = marker
            request.desiredKeys = desiredKeys
            guard case .recordsQuery(let response) = try await session.answer(to: .recordsQuery(request)) else {
                throw CKError.unexpectedAnswer
            }
            let user = await session.currentUser(in: response.records)
            let zone = zoneID ?? .default
            let records = try await session.records(
                from: response.records, in: response.records.map { _ in zone }, currentUser: user)
            for (result, record) in zip(response.records, records) {
                let name = CKRecord.ID(recordName: result.recordName, zoneID: zone)
                report(Event(recordID: (try? record.get().recordID) ?? name, result: record))
            }
            // A marker that stands still would ask for the same page for ever.
            guard response.continuationMarker == nil || response.continuationMarker != marker else {
                throw CKError(.internalError, reason: "The server's continuation marker does not move")
            }
            marker = response.continuationMarker
            remaining = remaining == .max ? 0 : remaining - response.records.count
        } while marker != nil && remaining > 0
        return marker.map { CKQueryOperation.Cursor(query: query, zoneID: zoneID, marker: $0) }
    }
}

extension RecordsQuery {
    /// The most records that a page holds. [Apple:PropertyMetrics]
    fileprivate static let pageLimit = 200
}
