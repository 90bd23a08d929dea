import CloudStore
import WebServices

/// What changed in a database since a token, by comparing what the client was told with what is there.
///
/// Zones that went come first, then those that changed, both by identity; so a zone that was deleted and made again is
/// first gone and then new. The default zone keeps no history and is in neither.
struct DatabaseDifference {
    enum Change: Sendable {
        case deleted(DeletedZoneRow)
        case changed(ZoneRow)
    }

    let changes: [Change]
    let moreComing: Bool
    /// What the client will have been told with these changes.
    let token: DatabaseToken

    /// - Parameters:
    ///   - known: what the client was told; nil tells everything that is there now, and no deletions.
    ///   - deleted: finds what is left of a zone that is gone.
    /// - Throws: `CHANGE_TOKEN_EXPIRED` when a zone went so long ago that its name is forgotten.
    init(
        since known: DatabaseToken?, visible: [ZoneRow], deleted: [DeletedZoneRow], limit: Int
    ) throws(ServerError) {
        var token = known ?? DatabaseToken()
        var changes: [Change] = []
        let isVisible = Set(visible.map(\.id))
        let remains = Dictionary(deleted.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        let gone = token.zones.keys.filter { !isVisible.contains($0) }.sorted()
        let changed = visible.sorted { $0.id < $1.id }.filter { token.zones[$0.id] != DatabaseToken.Entry($0) }
        for id in gone.prefix(limit) {
            guard let row = remains[id] else {
                throw .changeTokenExpired("Zones deleted since the token are no longer known")
            }
            changes.append(.deleted(row))
            token.zones[id] = nil
        }
        for zone in changed.prefix(limit - changes.count) {
            changes.append(.changed(zone))
            token.zones[zone.id] = DatabaseToken.Entry(zone)
        }
        self.changes = changes
        self.token = token
        moreComing = changes.count < gone.count + changed.count
    }
}

extension DatabaseToken {
    /// What a client knows that was told of all of these zones.
    init(_ zones: [ZoneRow]) {
        self.init(zones: Dictionary(zones.map { ($0.id, Entry($0)) }, uniquingKeysWith: { first, _ in first }))
    }
}

extension DatabaseToken.Entry {
    init(_ zone: ZoneRow) {
        self.init(incarnation: zone.incarnation, sequence: zone.sequence)
    }
}
