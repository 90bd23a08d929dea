import CloudStore
import WebServices

extension ZoneBatchAttempt {
    /// How the files that a record refers to change.
    struct AssetChanges {
        var added: [[UInt8]] = []
        var removed: [[UInt8]] = []

        static let none = AssetChanges()

        init() {}

        init(from old: Fields, to new: Fields) {
            guard old.holdAssets || new.holdAssets else { return }
            let (before, after) = (Set(old.assets.map(\.id)), Set(new.assets.map(\.id)))
            // In one order for all requests, so that two of them do not wait for each other.
            added = after.subtracting(before).sorted { $0.lexicographicallyPrecedes($1) }
            removed = before.subtracting(after).sorted { $0.lexicographicallyPrecedes($1) }
        }
    }

    /// Throws where a file is gone by now: nobody saved it in time.
    mutating func check(_ changes: AssetChanges, _ operation: PreparedOperation) throws {
        spent.addedReferences += changes.added.count
        guard spent.addedReferences <= Limits.referencesPerRequest, changes.added.count <= Limits.assetsPerRecord else {
            throw ServerError.badRequest(
                "A record may hold at most \(Limits.assetsPerRecord) files, and a request add "
                    + "\(Limits.referencesPerRequest)", .limitExceeded)
        }
        for id in changes.added {
            guard let row = try writer.asset(id), row.scope == zone.key.scope, row.owner == zone.key.owner else {
                throw ServerError.missingAsset(operation.name)
            }
        }
    }

    func write(_ changes: AssetChanges, of row: RecordRow) throws {
        try writer.referToAssets(zone: zone.id, record: row.id, changes.added)
        try letGo(of: changes.removed, row)
    }

    /// A file outlives its last record for as long as somebody may have just read where it is.
    func letGo(of ids: [[UInt8]], _ row: RecordRow) throws {
        try writer.letGoOfAssets(
            zone: zone.id, record: row.id, ids, keptUntil: context.now + context.configuration.assets.unusedLife)
    }
}
