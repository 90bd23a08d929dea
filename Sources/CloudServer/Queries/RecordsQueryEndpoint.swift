import CloudStore
import WebServices

/// `POST records/query`. [Apple:QueryingRecords]
///
/// Consistent: a record that was saved before is found. (Apple's index lags by seconds.)
struct RecordsQueryEndpoint: ReadingEndpoint {
    private let request: RecordsQuery.Request

    init(_ request: RecordsQuery.Request) {
        self.request = request
    }

    func run(_ context: RequestContext, _ reader: ContainerReader) throws -> Answer {
        let zones = try self.zones(context, reader)
        let schema = try context.schemas.schema(reader)
        let access = context.database == .public ? try PublicAccess(context, schema, reader) : nil
        let query = try CompiledQuery(request.query, zones: zonesText(context), schema, access, context)
        let key = context.tokenKey
        let marker = try request.continuationMarker.map { text throws(ServerError) in
            try QueryMarker(text, query: query.digest, key)
        }
        let run = QueryRun(
            query, in: zones, reader, from: marker,
            limit: PageLimit.records(request.resultsLimit, most: context.limits.recordsPerPage), bounds: context.limits)
        let (items, next) = try run.run()
        let records = try items.map { item in
            RecordResult.record(
                try context.record(item.row, item.zone, schema, reader, desiredKeys: request.desiredKeys))
        }
        var response = RecordsQuery.Response(
            records: records, continuationMarker: next?.text(query: query.digest, key),
            numbersAsStrings: request.numbersAsStrings)
        if context.wantsSyncToken, let zone = zones.first, zones.count == 1 {
            response.syncToken = context.syncToken(of: zone)
        }
        return .recordsQuery(response)
    }

    /// The zones to search, by identity. A default zone that nothing was written to has no row and no records.
    private func zones(_ context: RequestContext, _ reader: ContainerReader) throws -> [ZoneRow] {
        guard searchesAllZones(context) else {
            var lookups = ZoneLookups()
            return try lookups.zone(request.zoneID, context, reader).map { [$0] } ?? []
        }
        // Nothing is shared with anybody yet.
        guard context.database == .private else { return [] }
        return try reader.zones(scope: context.scope, owner: context.zoneOwner).sorted { $0.id < $1.id }
    }

    private func searchesAllZones(_ context: RequestContext) -> Bool {
        request.zoneWide && request.zoneID == nil && context.database != .public
    }

    private func zonesText(_ context: RequestContext) -> String {
        let zone = searchesAllZones(context) ? "*" : "=\(request.zoneID?.zoneName ?? ZoneID.defaultZoneName)"
        return "\(context.database.rawValue)/\(context.zoneOwner)/\(zone)"
    }
}
