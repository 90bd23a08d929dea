import WebServices

/// Fetches which zones changed since a token. [Apple:FetchingDatabaseChanges]
struct DatabaseChanges: DatabaseRequest {
    enum Event: Sendable {
        case changed(CKRecordZone.ID)
        case deleted(CKRecordZone.ID, CKDatabase.DatabaseChange.Deletion.Reason)
        /// After a page that is not the last.
        case tokenUpdated(CKServerChangeToken)
        /// The first page of one of `zonePages`, given beside.
        case page(ZoneChanges.Zone, [ZoneChanges.Event])
    }
    typealias Outcome = (token: CKServerChangeToken, moreComing: Bool)

    let token: CKServerChangeToken?
    /// 0 leaves the size of a page to the server.
    let resultsLimit: Int
    /// Whether to go on until no more is coming.
    let fetchesAll: Bool
    /// Zones whose first page may come with the answer.
    var zonePages: [ZoneChanges.Zone] = []

    func perform(
        in session: DatabaseSession, report: @Sendable (Event) -> Void
    ) async throws(CKError) -> (token: CKServerChangeToken, moreComing: Bool) {
        guard session.scope != .public else {
            throw CKError(.badDatabase, reason: "The public database keeps no changes; query it by modification date")
        }
        var token = self.token?.syncToken
        while true {
            let request = ChangesDatabase.Request(
                syncToken: token, resultsLimit: resultsLimit > 0 ? resultsLimit : nil,
                zonePages: zonePages.map(\.request))
            guard case .changesDatabase(let page) = try await session.answer(to: .changesDatabase(request)) else {
                throw CKError.unexpectedAnswer
            }
            for result in page.zones {
                guard case .zone(let zone) = result else { continue }
                let zoneID = zone.zoneID.recordZoneID(in: session.scope)
                report(zone.deleted ? .deleted(zoneID, zone.deletionReason.reason) : .changed(zoneID))
            }
            for result in page.zonePages {
                guard case .page(let answered) = result,
                    let zone = zonePages.first(where: { $0.zoneID.zoneName == answered.zoneID.zoneName })
                else { continue }
                let changes = ZoneChanges(zones: [zone], fetchesAll: false)
                report(.page(zone, try await changes.events(of: result, in: session)))
            }
            let next = CKServerChangeToken(syncToken: page.syncToken)
            guard page.moreComing && fetchesAll else { return (next, page.moreComing) }
            guard page.syncToken != token || !page.zones.isEmpty else { throw CKError.tokenStandsStill }
            token = page.syncToken
            report(.tokenUpdated(next))
        }
    }
}

extension Zone.DeletionReason? {
    fileprivate var reason: CKDatabase.DatabaseChange.Deletion.Reason {
        switch self {
        case .purged: .purged
        case .encryptedDataReset: .encryptedDataReset
        case .deleted, nil: .deleted
        }
    }
}
