import SQL

extension ContainerWriter {
    /// Adds a record.
    ///
    /// - Parameter record: its `id` is not read.
    /// - Returns: the id it got.
    /// - Throws: `.constraint` when the zone has a record, or a tombstone, of this name.
    package func insertRecord(_ record: RecordRow) throws(StoreError) -> Int64 {
        do {
            let id = try nextRecordID()
            let statement = try writing.insertRecord.take()
            statement.bind(1, id)
            statement.bind(2, record.zone)
            statement.bind(3, record.name)
            statement.bind(4, record.type)
            statement.bind(5, record.sequence)
            statement.bind(6, record.tag)
            statement.bind(7, record.createdSequence)
            bindState(of: record, to: statement, from: 8)
            try statement.run()
            bytesWritten += record.byteCount
            return id
        } catch { throw failed(error) }
    }

    /// Replaces a record's state; also how it becomes a tombstone, or lives again. `id`, `zone` and `name` are fixed.
    package func updateRecord(_ record: RecordRow) throws(StoreError) {
        do {
            let statement = try writing.updateRecord.take()
            statement.bind(1, record.id)
            statement.bind(2, record.zone)
            statement.bind(3, record.type)
            statement.bind(4, record.sequence)
            statement.bind(5, record.tag)
            statement.bind(6, record.createdSequence)
            bindState(of: record, to: statement, from: 7)
            try statement.run()
            bytesWritten += record.byteCount
        } catch { throw failed(error) }
    }

    /// Removes a record without a tombstone: for the public database, which has no change feed.
    package func removeRecord(zone: Int64, id: Int64) throws(StoreError) {
        do {
            let statement = try writing.removeRecord.take()
            statement.bind(1, zone)
            statement.bind(2, id)
            try statement.run()
        } catch { throw failed(error) }
    }

    private func bindState(of record: RecordRow, to statement: any Statement, from first: Int) {
        statement.bind(first, record.created)
        statement.bind(first + 1, record.creator)
        statement.bind(first + 2, record.createdDevice)
        statement.bind(first + 3, record.modified)
        statement.bind(first + 4, record.modifier)
        statement.bind(first + 5, record.modifiedDevice)
        statement.bind(first + 6, record.parent)
        statement.bind(first + 7, record.deleted)
        statement.bind(first + 8, record.body)
        statement.bind(first + 9, record.sealed)
    }

    private func nextRecordID() throws(SQLError) -> Int64 {
        if connection.dialect == .postgres { return makeID() }
        let last: Int64
        if let lastRecordID {
            last = lastRecordID
        } else {
            let statement = try writing.lastRecordID.take()
            defer { statement.reset() }
            last = try statement.step() ? statement.int64(0) : 0
        }
        // A rolled-back request leaves a gap, which is harmless.
        lastRecordID = last &+ 1
        return last &+ 1
    }

    // MARK: - Index entries

    /// Adds a record's entries; one that is there already is left alone.
    package func insertIndexEntries(zone: Int64, record: Int64, _ keys: [IndexKey]) throws(StoreError) {
        guard connection.dialect == .postgres, keys.count > 1 else {
            return try runEach(writing.insertEntry, zone, record, keys)
        }
        // A statement is a round trip there, so that one for several entries is worth its text.
        do {
            var rest = keys[...]
            while !rest.isEmpty {
                let some = rest.prefix(Self.entriesTogether)
                rest = rest.dropFirst(some.count)
                try insertTogether(zone, record, some)
            }
        } catch { throw failed(error) }
    }

    private static let entriesTogether = 16

    private func insertTogether(_ zone: Int64, _ record: Int64, _ keys: ArraySlice<IndexKey>) throws(SQLError) {
        let statement = try insertEntriesQuery(keys.count).take()
        statement.bind(1, zone)
        statement.bind(2, record)
        for (index, key) in keys.enumerated() {
            statement.bind(3 + index * 2, key.field)
            statement.bind(4 + index * 2, key.value)
            bytesWritten += key.value.count
        }
        try statement.run()
    }

    private func insertEntriesQuery(_ count: Int) -> PreparedQuery {
        if let query = insertEntriesQueries[count] { return query }
        let rows = (0..<count).map { "(?1, ?\(3 + $0 * 2), ?\(4 + $0 * 2), ?2)" }
        let made = query(
            """
            INSERT INTO index_entry (zone, field, value, record) VALUES \(rows.joined(separator: ", "))
            ON CONFLICT (zone, field, value, record) DO NOTHING
            """)
        insertEntriesQueries[count] = made
        return made
    }

    /// Removes a record's entries; one that is not there is left alone.
    package func deleteIndexEntries(zone: Int64, record: Int64, _ keys: [IndexKey]) throws(StoreError) {
        try runEach(writing.deleteEntry, zone, record, keys)
    }

    private func runEach(_ query: PreparedQuery, _ zone: Int64, _ record: Int64, _ keys: [IndexKey]) throws(StoreError)
    {
        if keys.isEmpty { return }
        do {
            let statement = try query.take()
            for key in keys {
                statement.bind(1, zone)
                statement.bind(2, key.field)
                statement.bind(3, key.value)
                statement.bind(4, record)
                try statement.run()
                bytesWritten += key.value.count
            }
        } catch { throw failed(error) }
    }

    // MARK: - References

    /// Adds references of a record; the rows' own `source` is not read.
    package func insertReferences(zone: Int64, source: Int64, _ references: [ReferenceRow]) throws(StoreError) {
        try runEach(writing.insertReference, zone, source, references)
    }

    /// Removes references of a record; the rows' own `source` is not read.
    package func deleteReferences(zone: Int64, source: Int64, _ references: [ReferenceRow]) throws(StoreError) {
        try runEach(writing.deleteReference, zone, source, references)
    }

    private func runEach(
        _ query: PreparedQuery, _ zone: Int64, _ source: Int64, _ references: [ReferenceRow]
    ) throws(StoreError) {
        if references.isEmpty { return }
        do {
            let statement = try query.take()
            for reference in references {
                statement.bind(1, zone)
                statement.bind(2, reference.target)
                statement.bind(3, reference.action)
                statement.bind(4, source)
                try statement.run()
            }
        } catch { throw failed(error) }
    }
}
