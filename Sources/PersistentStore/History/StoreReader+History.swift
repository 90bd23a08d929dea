import Foundation
import SQL

extension StoreReader {
    /// The number of the newest transaction; 0 before the first.
    package func newestTransaction() throws(PersistentStoreError) -> Int64 {
        guard try hasHistory() else { return 0 }
        let counted = try session.integer(
            "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = ?1", .integer(HistoryEntity.transaction))
        return max(counted ?? 0, try session.integer("SELECT MAX(Z_PK) FROM ATRANSACTION") ?? 0)
    }

    /// The number of the oldest transaction that the history still has.
    package func oldestTransaction() throws(PersistentStoreError) -> Int64? {
        guard try hasHistory() else { return nil }
        return try session.integer("SELECT MIN(Z_PK) FROM ATRANSACTION")
    }

    /// Committed writes with their changes.
    ///
    /// - Throws: `historyExpired` when transactions after `query.after` were trimmed.
    package func history(_ query: HistoryQuery) throws(PersistentStoreError) -> [HistoryTransaction] {
        guard try hasHistory() else { return [] }
        if let after = query.after, query.failsWhenExpired {
            let oldest = try oldestTransaction()
            let newest = try newestTransaction()
            if after < newest, oldest.map({ after &+ 1 < $0 }) ?? true { throw .historyExpired(oldest: oldest) }
        }
        var transactions = try self.transactions(query)
        guard query.includesChanges, !transactions.isEmpty else { return transactions }
        let positions = Dictionary(
            transactions.enumerated().map { ($1.number, $0) }, uniquingKeysWith: { first, _ in first })
        let numbers = transactions.map(\.number)
        let adopted = try session.adoptedChanges()
        // Another program's history may keep nothing of deleted rows.
        let tombstone = try columns(of: "ACHANGE").contains("ZTOMBSTONE0") ? "ZTOMBSTONE0" : "NULL"
        let range = try changes(of: (numbers.min() ?? 0)...(numbers.max() ?? 0))
        try session.rows(
            """
            SELECT Z_PK, ZTRANSACTIONID, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZCOLUMNS, \(tombstone) FROM ACHANGE
            WHERE Z_PK BETWEEN ?1 AND ?2 AND ZTRANSACTIONID BETWEEN ?3 AND ?4 ORDER BY Z_PK
            """,
            [
                .integer(range.lowerBound), .integer(range.upperBound), .integer(numbers.min() ?? 0),
                .integer(numbers.max() ?? 0),
            ]
        ) { row in
            guard let position = positions[row.int64(1)],
                let kind = HistoryChange.Kind(rawValue: Int(row.int64(2)))
            else { return }
            let isOurs = row.int64(0) > adopted
            transactions[position].changes.append(
                HistoryChange(
                    number: row.int64(0), transaction: row.int64(1), kind: kind,
                    row: RowID(entity: Int32(truncatingIfNeeded: row.int64(3)), key: row.int64(4)),
                    updatedProperties: kind != .update || !isOurs ? nil : PropertySet(bytes: row.blob(5)),
                    tombstone: row.isNull(6) || !isOurs ? [:] : Tombstone.decode(Data(row.blob(6)))))
        }
        return transactions
    }

    private func transactions(_ query: HistoryQuery) throws(PersistentStoreError) -> [HistoryTransaction] {
        var conditions: [String] = []
        var values: [StoreValue] = []
        func add(_ condition: String, _ value: StoreValue) {
            values.append(value)
            conditions.append(condition + " ?\(values.count)")
        }
        if let after = query.after { add("t.Z_PK >", .integer(after)) }
        if let through = query.through { add("t.Z_PK <=", .integer(through)) }
        if let since = query.since { add("t.ZTIMESTAMP >=", .date(since)) }
        if let authors = query.authors,
            let list = try? String(data: JSONEncoder().encode(authors.sorted()), encoding: .utf8)
        {
            values.append(.string(list))
            conditions.append("COALESCE(a.ZNAME, t.ZAUTHOR, '') IN (SELECT value FROM json_each(?\(values.count)))")
        }
        let known = try columns(of: "ATRANSACTION")
        guard known.contains("ZAUTHORTS") else { return [] }
        func old(_ column: String) -> String { known.contains(column) ? "t.\(column)" : "NULL" }
        var text = """
            SELECT t.Z_PK, t.ZTIMESTAMP, COALESCE(a.ZNAME, \(old("ZAUTHOR"))), COALESCE(c.ZNAME, \(old("ZCONTEXTNAME"))),
                COALESCE(b.ZNAME, \(old("ZBUNDLEID"))), COALESCE(p.ZNAME, \(old("ZPROCESSID")))
            FROM ATRANSACTION AS t
            LEFT JOIN ATRANSACTIONSTRING AS a ON a.Z_PK = t.ZAUTHORTS
            LEFT JOIN ATRANSACTIONSTRING AS b ON b.Z_PK = t.ZBUNDLEIDTS
            LEFT JOIN ATRANSACTIONSTRING AS c ON c.Z_PK = t.ZCONTEXTNAMETS
            LEFT JOIN ATRANSACTIONSTRING AS p ON p.Z_PK = t.ZPROCESSIDTS
            """
        if !conditions.isEmpty { text += " WHERE " + conditions.joined(separator: " AND ") }
        text += " ORDER BY t.Z_PK" + (query.isAscending ? "" : " DESC")
        if let limit = query.limit { text += " LIMIT \(max(limit, 0))" }
        var result: [HistoryTransaction] = []
        try session.rows(text, values) { row in
            result.append(
                HistoryTransaction(
                    number: row.int64(0), timestamp: Date(timeIntervalSinceReferenceDate: row.double(1)),
                    author: row.optionalText(2), context: row.optionalText(3), bundleIdentifier: row.optionalText(4),
                    processIdentifier: row.optionalText(5), changes: []))
        }
        return result
    }

    /// Where the changes of these transactions lie.
    func changes(of transactions: ClosedRange<Int64>) throws(PersistentStoreError) -> ClosedRange<Int64> {
        // Another program's index finds them, in whatever order that program wrote.
        let isIndexed =
            try session.integer(
                "SELECT COUNT(*) FROM sqlite_master WHERE name = 'ACHANGE_ZTRANSACTIONID_INDEX'") == 1
        guard !isIndexed else { return 0...Int64.max }
        let first = try firstChange(after: transactions.lowerBound &- 1)
        return first...max(first, try firstChange(after: transactions.upperBound) &- 1)
    }

    /// The lowest key that a change of a later transaction may have.
    private func firstChange(after transaction: Int64) throws(PersistentStoreError) -> Int64 {
        var low = try session.integer("SELECT MIN(Z_PK) FROM ACHANGE") ?? 0
        var high = (try session.integer("SELECT MAX(Z_PK) FROM ACHANGE") ?? -1) &+ 1
        let text = "SELECT Z_PK, ZTRANSACTIONID FROM ACHANGE WHERE Z_PK >= ?1 ORDER BY Z_PK LIMIT 1"
        while low < high {
            let middle = low &+ (high &- low) / 2
            var found: (key: Int64, transaction: Int64) = (high, .max)
            try session.rows(text, [.integer(middle)]) { found = ($0.int64(0), $0.int64(1)) }
            if found.transaction > transaction { high = middle } else { low = found.key &+ 1 }
        }
        return low
    }

    private func columns(of table: String) throws(PersistentStoreError) -> Set<String> {
        var names: Set<String> = []
        try session.rows("SELECT name FROM pragma_table_info(?1)", [.string(table)]) { names.insert($0.text(0)) }
        return names
    }

    private func hasHistory() throws(PersistentStoreError) -> Bool {
        try session.integer(
            "SELECT COUNT(*) FROM sqlite_master WHERE name IN ('ATRANSACTION', 'ACHANGE', 'ATRANSACTIONSTRING')")
            == 3
    }
}
