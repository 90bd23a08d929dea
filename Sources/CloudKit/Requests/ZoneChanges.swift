import WebServices

/// Fetches the records that changed in zones since their tokens. [Apple:FetchingRecordZoneChanges]
struct ZoneChanges: DatabaseRequest {
    enum Event: Sendable {
        case changed(CKRecord.ID, Result<CKRecord, CKError>)
        case deleted(CKRecord.ID, CKRecord.RecordType)
        /// After a page of a zone that is not its last.
        case tokenUpdated(CKRecordZone.ID, CKServerChangeToken)
        /// The zone is done.
        case zone(CKRecordZone.ID, Result<(token: CKServerChangeToken, moreComing: Bool), CKError>)
    }

    struct Zone: Sendable {
        var zoneID: CKRecordZone.ID
        var token: CKServerChangeToken?
        var desiredKeys: [CKRecord.FieldKey]?
        /// 0 leaves the size of a page to the server.
        var resultsLimit = 0

        var request: ChangesZone.ZoneRequest { Reading(self, fetchesAll: false).request }
    }

    let zones: [Zone]
    /// Whether to go on until no zone has more coming.
    let fetchesAll: Bool
    /// Called with each page before its records are made: what comes after it may be asked for meanwhile.
    let pageCame: (@Sendable (ChangesZone.Page) -> Void)?

    init(zones: [Zone], fetchesAll: Bool, pageCame: (@Sendable (ChangesZone.Page) -> Void)? = nil) {
        self.zones = zones.distinct { $0.zoneID }
        self.fetchesAll = fetchesAll
        self.pageCame = pageCame
    }

    /// Where the reading of one zone stands.
    private struct Reading {
        var zone: Zone
        var token: String?
        /// How many records the caller still wants, where it set a limit and does not fetch all.
        var remaining: Int?

        init(_ zone: Zone, fetchesAll: Bool) {
            self.zone = zone
            token = zone.token?.syncToken
            remaining = zone.resultsLimit > 0 && !fetchesAll ? zone.resultsLimit : nil
        }

        var request: ChangesZone.ZoneRequest {
            let limit = remaining ?? zone.resultsLimit
            return ChangesZone.ZoneRequest(
                zoneID: ZoneID(zone.zoneID), syncToken: token, desiredKeys: zone.desiredKeys,
                resultsLimit: limit > 0 ? min(limit, ChangesZone.pageLimit) : nil)
        }
    }

    func perform(in session: DatabaseSession, report: @Sendable (Event) -> Void) async throws(CKError) {
        guard session.scope != .public else {
            throw CKError(.badDatabase, reason: "The public database keeps no changes; query it by modification date")
        }
        var readings = zones.map { Reading($0, fetchesAll: fetchesAll) }
        while !readings.isEmpty {
            let request = ChangesZone.Request(zones: readings.map(\.request))
            guard case .changesZone(let response) = try await session.answer(to: .changesZone(request)),
                response.zones.count == readings.count
            else { throw CKError.unexpectedAnswer }
            if let pageCame {
                for case .page(let page) in response.zones { pageCame(page) }
            }
            var unfinished: [Reading] = []
            let user = await session.currentUser(in: response.zones.lazy.flatMap(\.records))
            for (reading, result) in zip(readings, response.zones) {
                let records = try await Self.records(of: result, in: reading.zone.zoneID, user, session)
                if let next = advance(reading, with: result, records, report) { unfinished.append(next) }
            }
            readings = unfinished
        }
    }

    /// What a page says that came beside another answer, of the one zone that is asked for.
    func events(
        of result: ChangesZone.ZoneResult, in session: DatabaseSession
    ) async throws(CKError) -> [Event] {
        guard let zone = zones.first else { return [] }
        let log = EventLog<Event>()
        let user = await session.currentUser(in: result.records)
        let records = try await Self.records(of: result, in: zone.zoneID, user, session)
        _ = advance(Reading(zone, fetchesAll: fetchesAll), with: result, records) { log.append($0) }
        return log.events
    }

    /// The records of a page, in its order; deleted ones too, as nothing but their names.
    private static func records(
        of result: ChangesZone.ZoneResult, in zoneID: CKRecordZone.ID, _ user: String?, _ session: DatabaseSession
    ) async throws(CKError) -> [Result<CKRecord, CKError>] {
        let records = result.records
        return try await session.records(
            from: records, in: records.map { _ in zoneID }, currentUser: user)
    }

    /// Reports one zone's page.
    ///
    /// - Returns: How to go on with the zone; nil when it is done.
    private func advance(
        _ reading: Reading, with result: ChangesZone.ZoneResult, _ records: [Result<CKRecord, CKError>],
        _ report: @Sendable (Event) -> Void
    ) -> Reading? {
        let zoneID = reading.zone.zoneID
        let page: ChangesZone.Page
        switch result {
        case .failure(_, let error):
            report(.zone(zoneID, .failure(CKError(error))))
            return nil
        case .page(let answered):
            page = answered
        }
        for (record, made) in zip(page.records, records) {
            let recordID = CKRecord.ID(recordName: record.recordName, zoneID: zoneID)
            if record.deleted {
                report(.deleted(recordID, record.recordType ?? ""))
            } else {
                report(.changed(recordID, made))
            }
        }
        let token = CKServerChangeToken(syncToken: page.syncToken)
        var next = reading
        next.token = page.syncToken
        if let remaining = reading.remaining { next.remaining = remaining - page.records.count }
        let wantsMore = fetchesAll || (next.remaining ?? 0) > 0
        guard page.moreComing && wantsMore else {
            report(.zone(zoneID, .success((token, page.moreComing))))
            return nil
        }
        // A token that stands still beside an empty page would ask for the same page for ever.
        guard page.syncToken != reading.token || !page.records.isEmpty else {
            report(.zone(zoneID, .failure(.tokenStandsStill)))
            return nil
        }
        if fetchesAll { report(.tokenUpdated(zoneID, token)) }
        return next
    }
}

extension ChangesZone.ZoneResult {
    fileprivate var records: [RecordResult] {
        guard case .page(let page) = self else { return [] }
        return page.records.map { .record($0) }
    }
}

extension ChangesZone {
    /// The most records that a page holds, whatever is asked for. [Apple:PropertyMetrics]
    fileprivate static let pageLimit = 200
}
