import Foundation
import SQL

extension PersistentStore {
    /// Committed writes with their changes; see `StoreReader.history`.
    package func history(_ query: HistoryQuery = HistoryQuery()) throws -> [HistoryTransaction] {
        try read { try $0.history(query) }
    }

    /// Deletes the history up to a transaction, itself included.
    package func deleteHistory(through transaction: Int64) throws {
        guard !options.isReadOnly else { throw PersistentStoreError.readOnly(path: path) }
        // In steps, so that no write of an app waits long for it. The transactions go first: their changes alone are not seen.
        try delete("ATRANSACTION WHERE Z_PK <= ?1", .integer(transaction))
        let last = try read { try $0.changes(of: 0...max(transaction, 0)).upperBound }
        try delete("ACHANGE WHERE Z_PK <= ?2 AND ZTRANSACTIONID <= ?1", .integer(transaction), .integer(last))
    }

    /// Deletes some transactions of the history; the others stay.
    package func deleteHistory(transactions: [Int64]) throws {
        guard !options.isReadOnly else { throw PersistentStoreError.readOnly(path: path) }
        guard !transactions.isEmpty else { return }
        let list = StoreValue.string("[\(transactions.map { String($0) }.joined(separator: ","))]")
        try delete("ATRANSACTION WHERE Z_PK IN (SELECT value FROM json_each(?1))", list)
        try delete("ACHANGE WHERE ZTRANSACTIONID IN (SELECT value FROM json_each(?1))", list)
    }

    /// Deletes the transactions before a time.
    package func deleteHistory(before date: Date) throws {
        let last = try read { reader in
            try reader.session.integer("SELECT MAX(Z_PK) FROM ATRANSACTION WHERE ZTIMESTAMP < ?1", .date(date))
        }
        if let last { try deleteHistory(through: last) }
    }

    /// Deletes the transactions before a time that every consumer has read.
    ///
    /// Consumers are those whose position `StoreWriter.setHistoryPosition` keeps: what one has yet to read stays, however old.
    package func trimHistory(before date: Date) throws {
        let last = try read { reader in
            let old = try reader.session.integer(
                "SELECT MAX(Z_PK) FROM ATRANSACTION WHERE ZTIMESTAMP < ?1", .date(date))
            return min(old ?? 0, try reader.historyPositions().values.min() ?? .max)
        }
        if last > 0 { try deleteHistory(through: last) }
    }

    private func delete(_ what: String, _ values: StoreValue...) throws {
        let table = what.prefix { $0 != " " }
        var count = Int.max
        while count > 0 {
            count = try database.write { session in
                try session.rows(
                    "DELETE FROM \(table) WHERE Z_PK IN (SELECT Z_PK FROM \(what) ORDER BY Z_PK LIMIT 5000)", values
                ) { _ in }
                let changes = session.changes
                try database.commit(session)
                return changes
            }
        }
    }
}

// MARK: - Positions of those who follow the history

extension StoreReader {
    /// How far a consumer has read.
    package func historyPosition(of consumer: String) throws(PersistentStoreError) -> Int64? {
        try session.value(named: HistoryPosition.prefix + consumer).flatMap {
            Int64(String(decoding: $0, as: UTF8.self))
        }
    }

    func historyPositions() throws(PersistentStoreError) -> [String: Int64] {
        var result: [String: Int64] = [:]
        guard try session.hasOwnTable() else { return result }
        let text = "SELECT ZKEY, CAST(ZVALUE AS TEXT) FROM STRATUS_METADATA WHERE ZKEY GLOB 'history:*'"
        try session.rows(text) { row in
            result[String(row.text(0).dropFirst(HistoryPosition.prefix.count))] = Int64(row.text(1)) ?? 0
        }
        return result
    }

    /// What a layer above keeps in the file beside the rows.
    package func value(named name: String) throws(PersistentStoreError) -> Data? {
        try session.value(named: "value:" + name)
    }
}

extension StoreWriter {
    /// Keeps how far a consumer has read, in the same transaction as what it wrote meanwhile; nil: it follows no longer.
    package func setHistoryPosition(
        _ transaction: Int64?, of consumer: String
    ) throws(PersistentStoreError) {
        try session.setValue(
            transaction.map { Data(String($0).utf8) }, named: HistoryPosition.prefix + consumer)
    }

    /// Keeps a value of a layer above in the same transaction as its rows; nil removes it.
    package func setValue(_ value: Data?, named name: String) throws(PersistentStoreError) {
        try session.setValue(value, named: "value:" + name)
    }
}

private enum HistoryPosition {
    static let prefix = "history:"
}
