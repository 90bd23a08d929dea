import SQL

/// What distinguishes the texts of index scans; their values are bound.
struct IndexScanShape: Hashable {
    var from: Bound
    var to: Bound
    var descending: Bool
    var continues: Bool
    var probes: Int

    enum Bound: Hashable { case none, inclusive, exclusive }

    /// Positions: 1 zone, 2 field, 3 from, 4 to, 5 and 6 the continuation, 7 limit, then two for each probe.
    var sql: String {
        var sql = """
            SELECT e.value, \(RecordQueries.joinedColumns) FROM index_entry e
            JOIN record r ON r.zone = e.zone AND r.id = e.record
            WHERE e.zone = ?1 AND e.field = ?2 AND r.deleted = 0
            """
        switch from {
        case .none: break
        case .inclusive: sql += " AND e.value >= ?3"
        case .exclusive: sql += " AND e.value > ?3"
        }
        switch to {
        case .none: break
        case .inclusive: sql += " AND e.value <= ?4"
        case .exclusive: sql += " AND e.value < ?4"
        }
        if continues { sql += " AND (e.value, e.record) \(descending ? "<" : ">") (?5, ?6)" }
        for probe in 0..<probes {
            sql += """
                 AND EXISTS (SELECT 1 FROM index_entry p WHERE p.zone = ?1 AND p.field = ?\(8 + probe * 2)
                    AND p.value = ?\(9 + probe * 2) AND p.record = e.record)
                """
        }
        let order = descending ? " DESC" : ""
        return sql + " ORDER BY e.value\(order), e.record\(order) LIMIT ?7"
    }
}

extension ContainerReader {
    /// The live records of a zone that have an index entry of a field between two bounds, in the order of (value, record id).
    ///
    /// - Parameters:
    ///   - after: where the page before ended.
    ///   - probes: entries that a record must have as well, each an exact look-up.
    ///   - body: false stops. A record with several entries in the range is visited once for each.
    package func scanIndex(
        zone: Int64, field: Int64, from: [UInt8]? = nil, fromInclusive: Bool = true, to: [UInt8]? = nil,
        toInclusive: Bool = true, descending: Bool = false, after: IndexPosition? = nil, having probes: [IndexKey] = [],
        _ body: (_ value: [UInt8], _ record: RecordRow) throws -> Bool
    ) throws {
        // PostgreSQL hands over whole results, so a scan that may be stopped at any row asks for growing pages.
        let isPaged = connection.dialect == .postgres
        var limit = isPaged ? 64 : Int.max
        var position = after
        while true {
            // The bound that a continuation replaces would only be checked in vain.
            let fromBound = position != nil && !descending ? nil : from
            let toBound = position != nil && descending ? nil : to
            let shape = IndexScanShape(
                from: fromBound == nil ? .none : fromInclusive ? .inclusive : .exclusive,
                to: toBound == nil ? .none : toInclusive ? .inclusive : .exclusive,
                descending: descending, continues: position != nil, probes: probes.count)
            let statement: any Statement
            do { statement = try scanQuery(shape).take() } catch { throw failed(error) }
            defer { statement.reset() }
            statement.bind(1, zone)
            statement.bind(2, field)
            if let fromBound { statement.bind(3, fromBound) }
            if let toBound { statement.bind(4, toBound) }
            if let position {
                statement.bind(5, position.value)
                statement.bind(6, position.record)
            }
            statement.bind(7, Int64(limit))
            for (index, probe) in probes.enumerated() {
                statement.bind(8 + index * 2, probe.field)
                statement.bind(9 + index * 2, probe.value)
            }
            var count = 0
            while try next(statement) {
                count += 1
                let value = statement.blob(0)
                let record = RecordRow(statement, from: 1)
                if count == limit { position = IndexPosition(value: value, record: record.id) }
                guard try body(value, record) else { return }
            }
            if count < limit { return }
            limit = min(limit * 4, 1024)
        }
    }

    private func scanQuery(_ shape: IndexScanShape) -> PreparedQuery {
        if let query = scanQueries[shape] { return query }
        // Shapes are few; a stranger's query with ever more probes must not make them many.
        if scanQueries.count >= 64 { scanQueries.removeAll() }
        let made = query(shape.sql)
        scanQueries[shape] = made
        return made
    }
}
