import CloudStore
import WebServices

/// `POST changes/database` [Apple:FetchingDatabaseChanges], and `zones/changes` [Apple:GetZoneChanges], which is the same
/// under an older name.
///
/// It reads. Only a token of more than `DatabaseToken.inlineLimit` zones has to be written down, once for each state of
/// the database; then the call runs again on the writer (`NeedsWriter`).
struct ChangesDatabaseEndpoint: ReadingEndpoint, WritingEndpoint {
    private let request: ChangesDatabase.Request
    private let answer: @Sendable (ChangesDatabase.Response) -> Answer

    init(_ request: ChangesDatabase.Request, answer: @escaping @Sendable (ChangesDatabase.Response) -> Answer) {
        self.request = request
        self.answer = answer
    }

    func run(_ context: RequestContext, _ reader: ContainerReader) throws -> Answer {
        answer(
            try response(context, reader) { digest, _ in
                let state = try reader.tokenState(digest)
                guard let state, state.expires > context.now + Self.renewal else { throw NeedsWriter(endpoint: self) }
            })
    }

    func run(_ context: RequestContext, _ writer: ContainerWriter) throws -> Answer {
        answer(
            try response(context, writer) { digest, bytes in
                try writer.saveTokenState(digest, bytes, expires: context.now + Self.life)
            })
    }

    /// How long a stored token is good after it was last handed out, in milliseconds; written again when so much is left.
    private static let life: Int64 = 180 * 86_400_000
    private static let renewal: Int64 = 150 * 86_400_000

    /// - Parameter keep: makes sure that the content of a long token can be found by its digest.
    private func response(
        _ context: RequestContext, _ reader: ContainerReader, keep: ([UInt8], [UInt8]) throws -> Void
    ) throws -> ChangesDatabase.Response {
        try context.requireChangeFeed()
        let isPrivate = context.database == .private
        // Nothing is shared with anybody yet.
        let visible =
            isPrivate
            ? try reader.zones(scope: .private, owner: context.zoneOwner)
                .filter { $0.key.name != ZoneID.defaultZoneName } : []
        let known = try self.known(visible, context, reader)
        let deleted =
            known == nil || !isPrivate ? [] : try reader.deletedZones(scope: .private, owner: context.zoneOwner)
        let difference = try DatabaseDifference(
            since: known, visible: visible, deleted: deleted,
            limit: PageLimit.records(request.resultsLimit, most: context.limits.recordsPerPage))
        return ChangesDatabase.Response(
            zones: difference.changes.map { .zone(context.zone($0)) },
            syncToken: try text(of: difference.token, context, keep), moreComing: difference.moreComing,
            zonePages: try zonePages(difference, context, reader))
    }

    /// The pages that the request wants beside, of zones that changed. Read after the database's state, so that none is
    /// older than the token. A zone that fails is left out: asked for by itself, it says why.
    private func zonePages(
        _ difference: DatabaseDifference, _ context: RequestContext, _ reader: ContainerReader
    ) throws -> [ChangesZone.ZoneResult] {
        guard context.database == .private, !request.zonePages.isEmpty else { return [] }
        let changed = Set(
            difference.changes.compactMap { change in
                if case .changed(let zone) = change { zone.key.name } else { nil }
            })
        let wanted = request.zonePages.filter { changed.contains($0.zoneID.zoneName) }
        guard !wanted.isEmpty, wanted.count <= ChangesDatabase.zonePageLimit,
            case .changesZone(let response) = try ChangesZoneEndpoint(ChangesZone.Request(zones: wanted))
                .run(context, reader)
        else { return [] }
        return response.zones.filter { if case .page = $0 { true } else { false } }
    }

    private func known(
        _ visible: [ZoneRow], _ context: RequestContext, _ reader: ContainerReader
    ) throws -> DatabaseToken? {
        guard let text = request.syncToken else { return nil }
        // As with zones: empty means "caught up".
        if text.isEmpty { return DatabaseToken(visible) }
        switch try DatabaseToken.read(text, database: context.databaseRealm, context.tokenKey) {
        case .inline(let token): return token
        case .stored(let digest):
            guard let state = try reader.tokenState(digest), let token = DatabaseToken(bytes: state.content[...]) else {
                throw ServerError.changeTokenExpired("The token was not used for too long")
            }
            return token
        }
    }

    private func text(
        of token: DatabaseToken, _ context: RequestContext, _ keep: ([UInt8], [UInt8]) throws -> Void
    ) throws -> String {
        let key = context.tokenKey
        guard token.zones.count > DatabaseToken.inlineLimit else {
            return token.text(database: context.databaseRealm, key)
        }
        let bytes = token.bytes
        let digest = key.digest(bytes)
        try keep(digest, bytes)
        return DatabaseToken.storedText(digest: digest, database: context.databaseRealm, key)
    }
}

/// Thrown by a reading endpoint that turns out to have something to write: the call is run again on the writer.
struct NeedsWriter: Error {
    let endpoint: any WritingEndpoint
}

extension RequestContext {
    func zone(_ change: DatabaseDifference.Change) -> Zone {
        switch change {
        case .changed(let zone): self.zone(zone)
        case .deleted(let row):
            Zone(
                zoneID: zoneID(of: row.key), atomic: true, deleted: true,
                deletionReason: isNative ? (ZoneDeletionReason(rawValue: row.reason) ?? .deleted).wire : nil)
        }
    }
}
