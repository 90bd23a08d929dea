import SQL

/// What distinguishes the texts of index scans; their values are bound.
struct IndexScanShape: Hashable {
    var from: Bound
    var to: Bound
    var descending: Bool
    var continues: Bool
    var probes: Int

    enum Bound: Hashable { case none, inclusive, exclusive }

    /// Positions: zone, field, limit, then what the shape has of from, to, the continuation's two, and two for each probe.
    /// PostgreSQL wants them without a gap.
    var sql: String {
        var sql = """
            SELECT e.value, \(RecordQueries.joinedColumns) FROM index_entry e
            JOIN record r ON r.zone = e.zone AND r.id = e.record
            WHERE e.zone = ?1 AND e.field = ?2 AND r.deleted = 0
            """
        var position = 3
        func next() -> String {
            position += 1
            return "?\(position)"
        }
        if from != .none { sql += " AND e.value \(from == .inclusive ? ">=" : ">") \(next())" }
        if to != .none { sql += " AND e.value \(to == .inclusive ? "<=" : "<") \(next())" }
        if continues { sql += " AND (e.value, e.record) \(descending ? "<" : ">") (\(next()), \(next()))" }
        for _ in 0..<probes {
            sql += """
                 AND EXISTS (SELECT 1 FROM index_entry p WHERE p.zone = ?1 AND p.field = \(next())
                    AND p.value = \(next()) AND p.record = e.record)
                """
        }
        let order = descending ? " DESC" : ""
        return sql + " ORDER BY e.value\(order), e.record\(order) LIMIT ?3"
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
            bind(zone, field, limit, fromBound, toBound, position, probes, to: statement)
            var count = 0
            var people = RecordRow.People()
            while try next(statement) {
                count += 1
                let value = statement.blob(0)
                let record = RecordRow(statement, from: 1, knowing: &people)
                if count == limit { position = IndexPosition(value: value, record: record.id) }
                guard try body(value, record) else { return }
            }
            if count < limit { return }
            limit = min(limit * 4, 1024)
        }
    }

    private func bind(
        _ zone: Int64, _ field: Int64, _ limit: Int, _ from: [UInt8]?, _ to: [UInt8]?, _ after: IndexPosition?,
        _ probes: [IndexKey], to statement: any Statement
    ) {
        statement.bind(1, zone)
        statement.bind(2, field)
        statement.bind(3, Int64(limit))
        var position = 3
        func next() -> Int {
            position += 1
            return position
        }
        if let from { statement.bind(next(), from) }
        if let to { statement.bind(next(), to) }
        if let after {
            statement.bind(next(), after.value)
            statement.bind(next(), after.record)
        }
        for probe in probes {
            statement.bind(next(), probe.field)
            statement.bind(next(), probe.value)
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
