import CloudStore
import WebServices

/// `POST changes/zone`. [Apple:FetchingRecordZoneChanges]
///
/// The zones of one request share a budget of records, bytes and rows, so that a request is bounded however many it
/// names: those that come too late get an empty page, their token back and `moreComing`. A zone that fails does not stop
/// the others.
struct ChangesZoneEndpoint: ReadingEndpoint {
    private let request: ChangesZone.Request

    init(_ request: ChangesZone.Request) {
        self.request = request
    }

    func run(_ context: RequestContext, _ reader: ContainerReader) throws -> Answer {
        try context.requireChangeFeed()
        guard request.zones.count <= context.limits.items else {
            throw ServerError.tooManyItems(request.zones.count, limit: context.limits.items)
        }
        let schema = try context.schemas.schema(reader)
        var lookups = ZoneLookups()
        var budget = PageBudget.changes(context.limits)
        var results: [ChangesZone.ZoneResult] = []
        for zone in request.zones {
            let numbersAsStrings = zone.numbersAsStrings ?? request.numbersAsStrings
            do {
                let page = try ZonePage(ask(zone), schema, context, reader, &lookups, &budget)
                results.append(
                    .page(
                        ChangesZone.Page(
                            zoneID: answered(zone.zoneID, context), records: page.records, syncToken: page.syncToken,
                            moreComing: page.moreComing, numbersAsStrings: numbersAsStrings)))
            } catch let error as ServerError {
                results.append(.failure(zone.zoneID, error))
            }
        }
        return .changesZone(ChangesZone.Response(zones: results))
    }

    private func ask(_ zone: ChangesZone.ZoneRequest) -> ZonePage.Ask {
        ZonePage.Ask(
            zoneID: zone.zoneID, syncToken: zone.syncToken, reverse: zone.reverse ?? request.reverse ?? false,
            desiredKeys: zone.desiredKeys ?? request.desiredKeys,
            desiredRecordTypes: zone.desiredRecordTypes ?? request.desiredRecordTypes,
            resultsLimit: zone.resultsLimit ?? request.resultsLimit)
    }

    private func answered(_ zoneID: ZoneID, _ context: RequestContext) -> ZoneID {
        ZoneID(zoneName: zoneID.zoneName, ownerRecordName: context.zoneOwner)
    }
}

/// `POST records/changes`, deprecated in favour of `changes/zone`. [Apple:ChangeRecords]
struct RecordsChangesEndpoint: ReadingEndpoint {
    private let request: RecordsChanges.Request

    init(_ request: RecordsChanges.Request) {
        self.request = request
    }

    func run(_ context: RequestContext, _ reader: ContainerReader) throws -> Answer {
        try context.requireChangeFeed()
        let schema = try context.schemas.schema(reader)
        var lookups = ZoneLookups()
        var budget = PageBudget.changes(context.limits)
        let ask = ZonePage.Ask(
            zoneID: request.zoneID, syncToken: request.syncToken, reverse: false, desiredKeys: request.desiredKeys,
            desiredRecordTypes: request.desiredRecordTypes, resultsLimit: request.resultsLimit)
        let page = try ZonePage(ask, schema, context, reader, &lookups, &budget)
        return .recordsChanges(
            RecordsChanges.Response(
                records: page.records, syncToken: page.syncToken, moreComing: page.moreComing,
                numbersAsStrings: request.numbersAsStrings))
    }
}

extension RequestContext {
    /// The public database keeps no history: its endpoints of changes do not exist.
    func requireChangeFeed() throws(ServerError) {
        guard database != .public else {
            throw .badRequest("endpoint not applicable in the database type '\(databaseTypeName)'")
        }
    }

    /// As Apple's error texts call the database.
    var databaseTypeName: String { "\(database.rawValue)db" }
}
