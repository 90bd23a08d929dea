import CloudStore
import WebServices

/// The index entries of records: one for each value of each indexed field, one for each word of each searched field, and
/// those of the system's fields.
enum RecordIndex {
    /// What has to be added and removed when a record changes from one state to another.
    struct Changes: Sendable, Hashable {
        var added: [IndexKey] = []
        var removed: [IndexKey] = []
    }

    /// One state of a record, as far as it is indexed; nil stands for "no record".
    struct State {
        var row: RecordRow
        var fields: Fields
        var type: Schema.RecordType
    }

    /// The entries between two states. What both have is not touched, and a field whose bytes are the same is not read.
    static func changes(from old: State?, to new: State?, _ scope: StoreScope) -> Changes {
        var changes = Changes()
        let sameType = old?.type.id == new?.type.id
        // Two or three of each: not worth a set.
        let (oldKeys, newKeys) = (old.map { systemKeys($0, scope) } ?? [], new.map { systemKeys($0, scope) } ?? [])
        if let old {
            changes.removed = newKeys.isEmpty ? oldKeys : oldKeys.filter { !newKeys.contains($0) }
            for entry in old.fields {
                let name = old.fields.name(of: entry)
                if sameType, let new, isUnchanged(entry, of: old.fields, in: new.fields, name) { continue }
                changes.removed += keys(entry, of: old.fields, name, old.type)
            }
        }
        if let new {
            changes.added = oldKeys.isEmpty ? newKeys : newKeys.filter { !oldKeys.contains($0) }
            for entry in new.fields {
                let name = new.fields.name(of: entry)
                if sameType, let old, isUnchanged(entry, of: new.fields, in: old.fields, name) { continue }
                changes.added += keys(entry, of: new.fields, name, new.type)
            }
        }
        guard old != nil, new != nil else { return changes }
        // Elements that a changed list still has.
        let both = Set(changes.added).intersection(changes.removed)
        if !both.isEmpty {
            changes.added.removeAll(where: both.contains)
            changes.removed.removeAll(where: both.contains)
        }
        return changes
    }

    private static func isUnchanged(_ entry: Fields.Entry, of fields: Fields, in others: Fields, _ name: String) -> Bool
    {
        guard let other = others.entry(named: name) else { return false }
        return other.kind == entry.kind && fields.json(of: entry) == others.json(of: other)
    }

    /// The entries of one field of a record.
    private static func keys(
        _ entry: Fields.Entry, of fields: Fields, _ name: String, _ type: Schema.RecordType
    ) -> [IndexKey] {
        guard let field = type.field(named: name) else { return [] }
        let values = field.hasEntries ? valueKeys(entry, of: fields, field) : []
        return field.hasWords ? values + wordKeys(entry, of: fields, field) : values
    }

    static func valueKeys(_ entry: Fields.Entry, of fields: Fields, _ field: Schema.Field) -> [IndexKey] {
        // Most texts are indexed by bytes that the record's JSON holds as they are.
        if let text = fields.plainText(of: entry) {
            return [IndexKey(field: field.id, value: Array(text.prefix(IndexValue.maximumLength)))]
        }
        guard let value = fields.value(of: entry) else { return [] }
        if case .list = value { return IndexValue.entries(value).map { IndexKey(field: field.id, value: $0) } }
        return IndexValue.bytes(value).map { [IndexKey(field: field.id, value: $0)] } ?? []
    }

    static func wordKeys(_ entry: Fields.Entry, of fields: Fields, _ field: Schema.Field) -> [IndexKey] {
        let words = fields.value(of: entry).map(SearchWords.words(of:)) ?? []
        return SearchWords.entries(words).map { IndexKey(field: field.wordIndex, value: $0) }
    }

    private static func systemKeys(_ state: State, _ scope: StoreScope) -> [IndexKey] {
        let row = state.row
        let type = state.type.id
        var keys = [
            IndexKey(
                field: IndexedSystemField.createdTimestamp.id(type: type), value: IndexValue.integer(row.created)),
            IndexKey(
                field: IndexedSystemField.modifiedTimestamp.id(type: type), value: IndexValue.integer(row.modified)),
        ]
        if scope == .public {
            keys.append(
                IndexKey(
                    field: IndexedSystemField.createdUserRecordName.id(type: type),
                    value: IndexValue.string(row.creator)))
        }
        return keys
    }
}
