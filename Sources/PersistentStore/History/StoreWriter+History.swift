import CSQLite
import Foundation
import SQL

/// The entities of the history, numbered as in the files of Apple's frameworks.
enum HistoryEntity {
    static let change: Int64 = 16001
    static let transaction: Int64 = 16002
    static let string: Int64 = 16003
}

extension StoreWriter {
    /// Leaves the write's changes in the history.
    ///
    /// - Returns: the transaction's number.
    func writeHistory(
        author: String?, context: String?, bundle: String?, timestamp: Date
    ) throws(PersistentStoreError) -> Int64 {
        let transaction = try counter(HistoryEntity.transaction, table: "ATRANSACTION") + 1
        try session.run(
            """
            INSERT INTO ATRANSACTION (Z_PK, Z_ENT, Z_OPT, ZAUTHORTS, ZBUNDLEIDTS, ZCONTEXTNAMETS, ZPROCESSIDTS, ZTIMESTAMP)
            VALUES (?1, 16002, 1, ?2, ?3, ?4, ?5, ?6)
            """,
            .integer(transaction), try string(author), try string(bundle), try string(context),
            try string(String(ProcessInfo.processInfo.processIdentifier)), .date(timestamp))
        var number = try counter(HistoryEntity.change, table: "ACHANGE")
        let text = """
            INSERT INTO ACHANGE (Z_PK, Z_ENT, Z_OPT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID, ZCOLUMNS, ZTOMBSTONE0)
            VALUES (?1, 16001, 1, ?2, ?3, ?4, ?5, ?6, ?7)
            """
        let statement = try session.take(text)
        defer { session.release(statement, text) }
        let handle = statement.handle
        sqlite3_bind_int64(handle, 5, transaction)
        for entry in changes.entries where entry.counts {
            number += 1
            sqlite3_bind_int64(handle, 1, number)
            sqlite3_bind_int64(handle, 2, Int64(entry.kind.rawValue))
            sqlite3_bind_int64(handle, 3, Int64(entry.row.entity))
            sqlite3_bind_int64(handle, 4, entry.row.key)
            if entry.kind == .update {
                statement.bind(6, entry.properties.bytes)
            } else {
                sqlite3_bind_null(handle, 6)
            }
            if entry.tombstone.isEmpty {
                sqlite3_bind_null(handle, 7)
            } else {
                statement.bind(7, [UInt8](Tombstone.encode(entry.tombstone)))
            }
            _ = try session.step(statement)
            sqlite3_reset(handle)
        }
        try setCounter(HistoryEntity.transaction, transaction)
        try setCounter(HistoryEntity.change, number)
        return transaction
    }

    private func counter(_ entity: Int64, table: String) throws(PersistentStoreError) -> Int64 {
        let counted = try session.integer("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = ?1", .integer(entity))
        return max(counted ?? 0, try session.integer("SELECT MAX(Z_PK) FROM \(table)") ?? 0)
    }

    private func setCounter(_ entity: Int64, _ value: Int64) throws(PersistentStoreError) {
        try session.run("UPDATE Z_PRIMARYKEY SET Z_MAX = ?1 WHERE Z_ENT = ?2", .integer(value), .integer(entity))
    }

    /// The key of a text that many transactions share.
    private func string(_ text: String?) throws(PersistentStoreError) -> StoreValue {
        guard let text else { return .null }
        let known = try session.integer("SELECT Z_PK FROM ATRANSACTIONSTRING WHERE ZNAME = ?1", .string(text))
        if let known { return .integer(known) }
        let key = try counter(HistoryEntity.string, table: "ATRANSACTIONSTRING") + 1
        try session.run(
            "INSERT INTO ATRANSACTIONSTRING (Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES (?1, 16003, 1, ?2)",
            .integer(key), .string(text))
        try setCounter(HistoryEntity.string, key)
        return .integer(key)
    }
}

/// The values that are kept of a deleted row.
enum Tombstone {
    static func encode(_ values: [String: StoreValue]) -> Data {
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .binary
        // Values of the model's own types, which all can be encoded.
        return (try? encoder.encode(values)) ?? Data()
    }

    /// Nothing for what another program wrote in a form of its own.
    static func decode(_ bytes: Data) -> [String: StoreValue] {
        (try? PropertyListDecoder().decode([String: StoreValue].self, from: bytes)) ?? [:]
    }
}
