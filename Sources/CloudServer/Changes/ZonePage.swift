import CloudStore
import WebServices

/// Reads one page of a zone's changes: what `changes/zone` does for each zone, and `records/changes` for its one.
struct ZonePage {
    /// One zone's part of a request, with the request's defaults filled in.
    struct Ask {
        var zoneID: ZoneID
        var syncToken: String?
        var reverse: Bool
        var desiredKeys: [String]?
        var desiredRecordTypes: [String]?
        var resultsLimit: Int?
    }

    let records: [Record]
    let syncToken: String
    let moreComing: Bool

    /// - Throws: the zone's error: `ZONE_NOT_FOUND`, `CHANGE_TOKEN_EXPIRED`, or `BAD_REQUEST` for its token and for the
    ///   default zone, which keeps no history.
    init(
        _ ask: Ask, _ schema: Schema, _ context: RequestContext, _ reader: ContainerReader,
        _ lookups: inout ZoneLookups, _ budget: inout PageBudget
    ) throws {
        if ask.zoneID.isDefault, context.isCaller(ask.zoneID.ownerRecordName) {
            throw ServerError.badRequest("cannot get changes in default zone")
        }
        guard let zone = try lookups.zone(ask.zoneID, context, reader) else { throw ServerError.zoneNotFound }
        let key = context.tokenKey
        let history = ZoneHistory(zone)
        let token: ZoneToken
        do {
            token = try ZoneToken(request: ask.syncToken, history, key)
        } catch {
            throw try Self.explained(error, ask.syncToken, zone, context, reader)
        }
        let limit = PageLimit.records(ask.resultsLimit, most: context.limits.changesPerPage)
        var sweep = ZoneSweep(from: token, reverse: ask.reverse, in: history, limit: limit)
        let types = ask.desiredRecordTypes.map { names in Set(names.compactMap { schema.type(named: $0)?.id }) }
        var records: [Record] = []
        records.reserveCapacity(min(limit, 256))
        while !sweep.isFinished {
            var rows = 0
            let chunk = max(sweep.chunk, 64)
            func take(_ row: RecordRow) throws -> Bool {
                rows += 1
                let step = sweep.offer(Self.meaning(of: row, types, context), budget: &budget)
                if step == .send {
                    records.append(try Self.record(row, zone.key, schema, ask.desiredKeys, context, reader))
                }
                return step != .stop
            }
            if sweep.isReverse {
                try reader.changesReversed(zone: zone.id, before: sweep.cursor, limit: chunk) { try take($0) }
            } else {
                try reader.changes(zone: zone.id, after: sweep.cursor, limit: chunk) { try take($0) }
            }
            if rows < chunk, !sweep.isFinished { sweep.finish() }
        }
        self.records = records
        syncToken = sweep.token.text(key)
        moreComing = sweep.moreComing
    }

    /// The error of a token; one of a zone in whose place this one was made says why that went, as far as it is no plain
    /// deletion.
    private static func explained(
        _ error: ServerError, _ text: String?, _ zone: ZoneRow, _ context: RequestContext, _ reader: ContainerReader
    ) throws -> ServerError {
        guard error.code == .changeTokenExpired, let text, let token = try? ZoneToken(text, context.tokenKey),
            token.zone != zone.id
        else { return error }
        let gone = try reader.deletedZones(scope: zone.key.scope, owner: zone.key.owner).first { $0.id == token.zone }
        var explained = error
        explained.extensionCode = gone.flatMap { ZoneDeletionReason(rawValue: $0.reason)?.extensionCode }
        return explained
    }

    private static func meaning(of row: RecordRow, _ types: Set<Int64>?, _ context: RequestContext) -> ZoneSweep.Row {
        var known = false
        if case .native(let device) = context.client {
            known = row.createdDevice == device || row.modifiedDevice == device
        }
        return ZoneSweep.Row(
            sequence: row.sequence, deleted: row.deleted, knownToDevice: known,
            wanted: types?.contains(row.type) ?? true, bytes: row.byteCount)
    }

    private static func record(
        _ row: RecordRow, _ zone: ZoneKey, _ schema: Schema, _ desiredKeys: [String]?, _ context: RequestContext,
        _ reader: ContainerReader
    ) throws -> Record {
        var record = try context.record(row, zone, schema, reader, desiredKeys: desiredKeys)
        // Apple's feed names no type of a deleted record; the native framework hands one to the app.
        if row.deleted, !context.isNative { record.recordType = nil }
        return record
    }
}
