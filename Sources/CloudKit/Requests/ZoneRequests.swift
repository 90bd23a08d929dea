import WebServices

/// Saves and deletes zones. [Apple:ModifyZones]
struct ZoneModification: DatabaseRequest {
    enum Event: Sendable {
        case saved(CKRecordZone.ID, Result<CKRecordZone, CKError>)
        case deleted(CKRecordZone.ID, Result<Void, CKError>)
    }

    let saves: [CKRecordZone.ID]
    let deletions: [CKRecordZone.ID]

    init(saving zones: [CKRecordZone], deleting zoneIDs: [CKRecordZone.ID]) {
        saves = zones.map(\.zoneID)
        deletions = zoneIDs
    }

    func perform(in session: DatabaseSession, report: @Sendable (Event) -> Void) async throws(CKError) {
        guard !saves.isEmpty || !deletions.isEmpty else { return }
        if session.scope == .public {
            throw CKError(.badDatabase, reason: "The public database has no zones but its default zone")
        }
        if session.scope == .shared && !saves.isEmpty {
            throw CKError(.badDatabase, reason: "Zones cannot be made in the shared database")
        }
        var seen: Set<CKRecordZone.ID> = []
        for zoneID in saves + deletions where !seen.insert(zoneID).inserted {
            throw CKError(.invalidArguments, reason: "You can't save or delete the same zone twice: \(zoneID)")
        }
        let operations =
            saves.map { ZonesModify.Operation(.create, ZoneID($0)) }
            + deletions.map { ZonesModify.Operation(.delete, ZoneID($0)) }
        let answer = try await session.answer(to: .zonesModify(ZonesModify.Request(operations: operations)))
        guard case .zones(let response) = answer, response.zones.count == operations.count else {
            throw CKError.unexpectedAnswer
        }
        for (zoneID, result) in zip(saves, response.zones) {
            report(.saved(zoneID, result.zone(asked: zoneID)))
        }
        for (zoneID, result) in zip(deletions, response.zones.dropFirst(saves.count)) {
            report(.deleted(zoneID, result.zone(asked: zoneID).map { _ in }))
        }
    }
}

/// Fetches zones by identifier. [Apple:GettingZonesbyIdentifier]
struct ZoneLookup: DatabaseRequest {
    struct Event: Sendable {
        var zoneID: CKRecordZone.ID
        var result: Result<CKRecordZone, CKError>
    }

    let zoneIDs: [CKRecordZone.ID]

    init(zoneIDs: [CKRecordZone.ID]) {
        self.zoneIDs = zoneIDs.distinct { $0 }
    }

    func perform(in session: DatabaseSession, report: @Sendable (Event) -> Void) async throws(CKError) {
        guard !zoneIDs.isEmpty else { return }
        let request = ZonesLookup.Request(zones: zoneIDs.map { ZoneID($0) })
        guard case .zones(let response) = try await session.answer(to: .zonesLookup(request)),
            response.zones.count == zoneIDs.count
        else { throw CKError.unexpectedAnswer }
        for (zoneID, result) in zip(zoneIDs, response.zones) {
            report(Event(zoneID: zoneID, result: result.zone(asked: zoneID)))
        }
    }
}

/// Fetches all zones of a database, the default zone among them. [Apple:ListingAllZones]
struct ZoneList: DatabaseRequest {
    typealias Event = ZoneLookup.Event

    func perform(in session: DatabaseSession, report: @Sendable (Event) -> Void) async throws(CKError) {
        guard case .zones(let response) = try await session.answer(to: .zonesList) else {
            throw CKError.unexpectedAnswer
        }
        for result in response.zones {
            let zoneID = result.zoneID.recordZoneID(in: session.scope)
            report(Event(zoneID: zoneID, result: result.zone(asked: zoneID)))
        }
    }
}

extension ZoneResult {
    var zoneID: ZoneID {
        switch self {
        case .zone(let zone): zone.zoneID
        case .failure(let zoneID, _): zoneID
        }
    }

    /// The zone under the identifier that it was asked by, which spells the current user as the app does.
    func zone(asked zoneID: CKRecordZone.ID) -> Result<CKRecordZone, CKError> {
        switch self {
        case .failure(_, let error):
            return .failure(CKError(error))
        case .zone(let zone):
            // What a custom zone of a private database can do. The default zone keeps no changes and no atomic batches.
            let custom: CKRecordZone.Capabilities = [.fetchChanges, .atomic, .sharing, .zoneWideSharing]
            return .success(CKRecordZone(zoneID: zoneID, capabilities: zone.zoneID.isDefault ? [] : custom))
        }
    }
}

extension ZoneID {
    /// As the app spells it: in its own databases the owner is always the current user.
    func recordZoneID(in scope: CKDatabase.Scope) -> CKRecordZone.ID {
        guard scope == .shared, let ownerRecordName else { return CKRecordZone.ID(zoneName: zoneName) }
        return CKRecordZone.ID(zoneName: zoneName, ownerName: ownerRecordName)
    }
}
