/// What a write did to each row, in the order of the first change: one entry a row.
struct ChangeLog {
    struct Entry {
        var kind: HistoryChange.Kind
        var row: RowID
        var properties = PropertySet()
        var tombstone: [String: StoreValue] = [:]
        /// False: the row came and went in the same write.
        var counts = true
    }

    private(set) var entries: [Entry] = []
    /// Where a row's entry is. Not kept while there are only inserts, which are all of different rows.
    private var positions: [RowID: Int]?

    var isEmpty: Bool { !entries.contains { $0.counts } }

    mutating func insert(_ row: RowID) {
        positions?[row] = entries.count
        entries.append(Entry(kind: .insert, row: row))
    }

    mutating func update(_ row: RowID, _ properties: PropertySet) {
        guard let position = position(of: row) else {
            append(Entry(kind: .update, row: row, properties: properties))
            return
        }
        if entries[position].kind == .update { entries[position].properties.formUnion(properties) }
    }

    mutating func delete(_ row: RowID, _ tombstone: [String: StoreValue]) {
        guard let position = position(of: row) else {
            append(Entry(kind: .delete, row: row, tombstone: tombstone))
            return
        }
        switch entries[position].kind {
        case .insert: entries[position].counts = false
        case .update, .delete:
            entries[position] = Entry(kind: .delete, row: row, tombstone: tombstone)
        }
    }

    private mutating func append(_ entry: Entry) {
        positions?[entry.row] = entries.count
        entries.append(entry)
    }

    private mutating func position(of row: RowID) -> Int? {
        if positions == nil {
            positions = Dictionary(
                entries.enumerated().map { ($1.row, $0) }, uniquingKeysWith: { _, newest in newest })
        }
        return positions?[row]
    }

    /// What observers hear.
    func commit() -> Commit {
        var commit = Commit()
        for entry in entries where entry.counts {
            switch entry.kind {
            case .insert: commit.inserted.append(entry.row)
            case .update:
                commit.updated.append(entry.row)
                commit.updatedProperties.append(entry.properties)
            case .delete: commit.deleted.append(entry.row)
            }
        }
        return commit
    }
}
