import CloudStore
import SchemaLanguage
import WebServices

/// `POST records/lookup`. [Apple:LookupRecords]
///
/// It reads, but where somebody asks for their own user record for the first time: then it makes that one.
struct RecordsLookupEndpoint: ReadingEndpoint, WritingEndpoint {
    private let request: RecordsLookup.Request

    init(_ request: RecordsLookup.Request) {
        self.request = request
    }

    func run(_ context: RequestContext, _ reader: ContainerReader) throws -> Answer {
        if namesOwnUserRecord(context), try !UserRecord.isThere(context, reader) { throw NeedsWriter(endpoint: self) }
        return try answer(context, reader)
    }

    func run(_ context: RequestContext, _ writer: ContainerWriter) throws -> Answer {
        try UserRecord.make(context, writer)
        return try answer(context, writer)
    }

    private func namesOwnUserRecord(_ context: RequestContext) -> Bool {
        guard context.database == .public, let user = context.caller.user else { return false }
        return request.records.contains { $0.recordName == user.recordName }
    }

    private func answer(_ context: RequestContext, _ reader: ContainerReader) throws -> Answer {
        guard request.records.count <= context.limits.items else {
            throw ServerError.tooManyItems(request.records.count, limit: context.limits.items)
        }
        let schema = try context.schemas.schema(reader)
        let access = context.database == .public ? try PublicAccess(context, schema, reader) : nil
        var zones = ZoneLookups()
        let results = try request.records.map { item in
            try result(item, context, reader, schema, access, &zones)
        }
        var syncToken: String?
        if context.wantsSyncToken, let zone = try? zones.zone(request.zoneID, context, reader) {
            syncToken = try context.currentToken(zone.key, reader)
        }
        return .recordsLookup(
            RecordsLookup.Response(records: results, syncToken: syncToken, numbersAsStrings: request.numbersAsStrings))
    }

    private func result(
        _ item: RecordsLookup.Item, _ context: RequestContext, _ reader: ContainerReader, _ schema: Schema,
        _ access: PublicAccess?, _ zones: inout ZoneLookups
    ) throws -> RecordResult {
        let zone: ZoneRow?
        do {
            zone = try zones.zone(item.zoneID ?? request.zoneID, context, reader)
        } catch let error as ServerError {
            return failure(item, error, context)
        }
        guard let zone, let row = try reader.record(zone: zone.id, name: item.recordName), !row.deleted else {
            return failure(item, .recordNotFound, context)
        }
        if let access, !access.permissions(for: row, schema).contains(.read) {
            return failure(item, .notPermitted("READ"), context)
        }
        return .record(
            try context.record(row, zone.key, schema, reader, desiredKeys: item.desiredKeys ?? request.desiredKeys))
    }

    private func failure(_ item: RecordsLookup.Item, _ error: ServerError, _ context: RequestContext) -> RecordResult {
        var error = error
        error.uuid = context.random.uuid()
        return .failure(recordName: item.recordName, error, conflict: .absent)
    }
}

/// The zones that a request of several zones names, each looked up once.
struct ZoneLookups {
    private var known: [ZoneKey: Result<ZoneRow?, ServerError>] = [:]

    /// The zone; nil for a default zone that nothing has been written to yet.
    ///
    /// Throws `ZONE_NOT_FOUND` for any other that is missing.
    mutating func zone(_ zoneID: ZoneID?, _ context: RequestContext, _ reader: ContainerReader) throws -> ZoneRow? {
        let key = try context.zoneKey(for: zoneID)
        if let found = known[key] { return try found.get() }
        let found: Result<ZoneRow?, ServerError>
        if let zone = try reader.zone(key) {
            found = .success(zone)
        } else if key.name == ZoneID.defaultZoneName {
            found = .success(nil)
        } else {
            found = .failure(try context.missingZone(key, reader))
        }
        known[key] = found
        return try found.get()
    }
}
