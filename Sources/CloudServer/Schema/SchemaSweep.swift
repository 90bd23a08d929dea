import CloudStore
import WebServices

/// Takes out of the stored records what a smaller schema has no place for: records of removed types, values of removed
/// fields. Each is a change like any other, so that every device hears of it. What refers to a removed record keeps its
/// reference.
struct SchemaSweep: Sendable {
    /// What becomes of the records of a type.
    enum Fate: Sendable {
        /// They go.
        case all
        /// Values of these fields go.
        case fields([String: FieldFate])
    }

    struct FieldFate: Sendable {
        /// Values of this type stay, if they lie on the side (encrypted or not) that the field is on now; nil for none.
        var keptType: FieldType?
        var isEncrypted: Bool
        /// The side that values to be removed may lie on.
        var wasEncrypted: Bool

        func keeps(_ kind: Fields.Kind, onEncryptedSide: Bool) -> Bool {
            keptType != nil && keptType == kind.type && isEncrypted == onEncryptedSide
        }
    }

    var fates: [Int64: Fate]

    /// - Parameter keys: opens encrypted values, where some of them go and others stay.
    func run(_ container: ContainerStore, now: Int64, _ keys: EncryptionKeys?, _ random: RandomSource) throws {
        guard !fates.isEmpty else { return }
        let fates = fates
        try RecordWalk(container: container).run(now: now) { step, row in
            switch fates[row.type] {
            case .all?: try Self.remove(row, &step)
            case .fields(let names)?: try Self.strip(names, from: row, &step, ZoneKeyring(keys, random))
            case nil: break
            }
        }
    }

    private static func remove(_ row: RecordRow, _ step: inout RecordWalk.Step) throws {
        let fields = Fields(stored: row.body) ?? Fields()
        if let type = step.schema.type(row.type) {
            let changes = RecordIndex.changes(
                from: .init(row: row, fields: fields, type: type), to: nil, step.zone.key.scope)
            try step.writer.deleteIndexEntries(zone: step.zone.id, record: row.id, changes.removed)
        }
        try step.writer.deleteReferences(
            zone: step.zone.id, source: row.id,
            KeptReference.all(fields, parent: row.parent).map { $0.row(source: row.id) })
        step.addedRecords -= 1
        step.addedBytes -= ZoneBatchAttempt.size(row)
        if step.zone.key.scope == .public {
            return try step.writer.removeRecord(zone: step.zone.id, id: row.id)
        }
        var tombstone = row
        tombstone.deleted = true
        tombstone.body = []
        tombstone.sealed = []
        tombstone.parent = nil
        step.stamp(&tombstone)
        try step.writer.updateRecord(tombstone)
    }

    private static func strip(
        _ names: [String: FieldFate], from row: RecordRow, _ step: inout RecordWalk.Step, _ keyring: ZoneKeyring
    ) throws {
        let fields = Fields(stored: row.body) ?? Fields()
        let left = fields.without(names, onEncryptedSide: false)
        var changed = row
        changed.body = left.storedBytes
        if !row.sealed.isEmpty, names.values.contains(where: \.wasEncrypted) {
            let secrets = try keyring.open(row, step.writer)
            let kept = secrets.without(names, onEncryptedSide: true)
            if kept.count != secrets.count {
                changed.sealed =
                    kept.isEmpty ? [] : try keyring.seal(kept, of: row.name, in: row.zone, step.writer)
            }
        }
        guard left.count != fields.count || changed.sealed != row.sealed else { return }
        step.stamp(&changed)
        try step.writer.updateRecord(changed)
        if let type = step.schema.type(row.type) {
            let changes = RecordIndex.changes(
                from: .init(row: row, fields: fields, type: type), to: .init(row: changed, fields: left, type: type),
                step.zone.key.scope)
            try step.writer.deleteIndexEntries(zone: step.zone.id, record: row.id, changes.removed)
            try step.writer.insertIndexEntries(zone: step.zone.id, record: row.id, changes.added)
        }
        let gone = KeptReference.all(fields, parent: row.parent).subtracting(
            KeptReference.all(left, parent: row.parent))
        try step.writer.deleteReferences(
            zone: step.zone.id, source: row.id, gone.map { $0.row(source: row.id) })
        step.addedBytes += ZoneBatchAttempt.size(changed) - ZoneBatchAttempt.size(row)
    }
}

extension Fields {
    fileprivate func without(_ fates: [String: SchemaSweep.FieldFate], onEncryptedSide: Bool) -> Fields {
        var builder = FieldsBuilder(capacity: jsonLength)
        for entry in self {
            if let fate = fates[name(of: entry)], !fate.keeps(entry.kind, onEncryptedSide: onEncryptedSide) { continue }
            builder.append(copying: entry, of: self)
        }
        return builder.finish()
    }
}
