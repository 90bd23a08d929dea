import CloudStore
import WebServices

extension ZoneBatchAttempt {
    /// Deletes a record, and what refers to it with DELETE_SELF, and what refers to that.
    ///
    /// - Returns: the record's tombstone.
    mutating func delete(_ row: RecordRow, _ index: Int) throws -> RecordRow {
        let sources = try cascade(from: row)
        let tombstone = try bury(row, index)
        for source in sources { _ = try bury(source, index) }
        return tombstone
    }

    /// The records that go with this one, each once, nearest first.
    private mutating func cascade(from row: RecordRow) throws -> [RecordRow] {
        var found: [RecordRow] = []
        var seen: Set<Int64> = [row.id]
        var waiting = [row.name]
        while let name = waiting.popLast() {
            for reference in try writer.references(to: name, zone: zone.id, limit: Limits.cascadedDeletions + 1)
            where reference.action == StoredReferenceAction.deleteSelf.rawValue {
                guard seen.insert(reference.source).inserted,
                    let source = try writer.record(zone: zone.id, id: reference.source), !source.deleted
                else { continue }
                found.append(source)
                waiting.append(source.name)
                guard spent.cascadedDeletions + found.count <= Limits.cascadedDeletions else {
                    throw ServerError.badRequest(
                        "Deleting '\(row.name)' would delete more than \(Limits.cascadedDeletions) records that refer to it",
                        .limitExceeded)
                }
            }
        }
        spent.cascadedDeletions += found.count
        return found
    }

    /// Makes a tombstone of a record, which the change feed needs; the public database has no feed and keeps none.
    private mutating func bury(_ row: RecordRow, _ index: Int) throws -> RecordRow {
        let fields = Fields(stored: row.body) ?? Fields()
        if let type = schema.schema.type(row.type) {
            let state = RecordIndex.State(row: row, fields: fields, type: type)
            let changes = RecordIndex.changes(from: state, to: nil, zone.key.scope)
            try writer.deleteIndexEntries(zone: zone.id, record: row.id, changes.removed)
        }
        let references = KeptReference.all(fields, parent: row.parent)
        try writer.deleteReferences(zone: zone.id, source: row.id, references.map { $0.row(source: row.id) })
        for reference in references { referenceCounts[reference]? -= 1 }

        try letGo(of: AssetChanges(from: fields, to: Fields()).removed, row)

        var tombstone = row
        tombstone.deleted = true
        tombstone.body = []
        tombstone.sealed = []
        tombstone.parent = nil
        stamp(&tombstone)
        if zone.key.scope == .public {
            try writer.removeRecord(zone: zone.id, id: row.id)
        } else {
            try writer.updateRecord(tombstone)
        }
        deleted.append((index, row))
        count(records: -1, bytes: -Self.size(row))
        return tombstone
    }
}
