/// The database of a container that a zone belongs to. A shared database is a view on other people's private ones.
package enum StoreScope: Int64, Sendable, Hashable, CaseIterable {
    case `public` = 1
    case `private` = 2
}

/// What names a zone inside a container's environment.
package struct ZoneKey: Hashable, Sendable {
    package var scope: StoreScope
    /// The record name of the user who owns the zone; empty in the public database.
    package var owner: String
    package var name: String

    package init(scope: StoreScope, owner: String, name: String) {
        self.scope = scope
        self.owner = owner
        self.name = name
    }
}

/// A zone: the unit of order and atomicity.
package struct ZoneRow: Sendable, Equatable {
    /// Unique for ever in its container: a zone that is deleted and made again has another.
    package var id: Int64
    package var key: ZoneKey
    /// Raised by every restore. Together with `sequence` it makes a point of the zone's history unambiguous.
    package var incarnation: Int64
    /// The sequence at which this incarnation began: what came before, the restored backup had.
    package var incarnationStart: Int64
    /// The newest change's sequence; 0 in a new zone. After a restore it continues from `incarnation << 32`, so that
    /// no sequence is ever used by two timelines.
    package var sequence: Int64
    /// Tombstones up to here are gone: a token below (and above 0) is expired.
    package var horizon: Int64
    /// Milliseconds since 1970.
    package var created: Int64
    package var recordCount: Int64
    package var byteCount: Int64

    package init(
        id: Int64, key: ZoneKey, incarnation: Int64 = 1, incarnationStart: Int64 = 0, sequence: Int64 = 0,
        horizon: Int64 = 0, created: Int64 = 0, recordCount: Int64 = 0, byteCount: Int64 = 0
    ) {
        self.id = id
        self.key = key
        self.incarnation = incarnation
        self.incarnationStart = incarnationStart
        self.sequence = sequence
        self.horizon = horizon
        self.created = created
        self.recordCount = recordCount
        self.byteCount = byteCount
    }
}

/// What is left of a deleted zone, so that a device's token of it can be answered with the reason.
package struct DeletedZoneRow: Sendable, Equatable {
    package var id: Int64
    package var key: ZoneKey
    /// Why it was deleted; the store does not read it.
    package var reason: Int64
    /// Milliseconds since 1970.
    package var deletedAt: Int64

    package init(id: Int64, key: ZoneKey, reason: Int64, deletedAt: Int64) {
        self.id = id
        self.key = key
        self.reason = reason
        self.deletedAt = deletedAt
    }
}
