import Foundation
import SQL

/// Makes the tables of a new file.
struct StoreCreation {
    let session: StoreSession
    let model: StoreModel

    func create() throws(PersistentStoreError) -> StoreContents {
        // Apple's frameworks number by name.
        var numbers: [String: Int] = [:]
        for (index, name) in model.entities.map(\.name).sorted().enumerated() { numbers[name] = index + 1 }
        var builder = LayoutBuilder(model: model, numbers: numbers)
        let layout = try builder.build()
        try session.execute(Self.commonTables)
        try session.execute(Self.historyTables)
        for table in layout.tables {
            try session.execute(Self.text(of: table))
            for index in table.indexes { try session.execute(Self.text(of: index, on: table.name)) }
        }
        for entity in layout.entities {
            try session.run(
                "INSERT INTO Z_PRIMARYKEY (Z_ENT, Z_NAME, Z_SUPER, Z_MAX) VALUES (?1, ?2, ?3, 0)",
                .integer(Int64(entity.number)), .string(entity.name), .integer(Int64(entity.superentity ?? 0)))
        }
        try session.insertHistoryEntities()
        let identifier = UUID().uuidString
        try session.run(
            "INSERT INTO Z_METADATA (Z_VERSION, Z_UUID, Z_PLIST) VALUES (1, ?1, ?2)", .string(identifier),
            .data(StoreProperties.make(for: model, keeping: nil)))
        try session.setValue(model.encoded(), named: "model")
        return StoreContents(
            identifier: identifier, model: model, layout: layout, isOurs: true, isReady: true)
    }

    static let commonTables = """
        CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB);
        CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER);
        CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB);
        """ + ownTable

    static let ownTable =
        "CREATE TABLE IF NOT EXISTS STRATUS_METADATA (ZKEY VARCHAR PRIMARY KEY, ZVALUE BLOB);"

    /// Without Apple's index over the transaction of each change: changes lie in the order of their transactions, so a search finds
    /// them as well, and the index made an insert half as expensive again.
    static let historyTables = """
        CREATE TABLE ATRANSACTION (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZAUTHORTS INTEGER,
            ZBUNDLEIDTS INTEGER, ZCONTEXTNAMETS INTEGER, ZPROCESSIDTS INTEGER, ZTIMESTAMP FLOAT, ZAUTHOR VARCHAR,
            ZBUNDLEID VARCHAR, ZCONTEXTNAME VARCHAR, ZPROCESSID VARCHAR, ZQUERYGEN BLOB);
        CREATE TABLE ACHANGE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZCHANGETYPE INTEGER,
            ZENTITY INTEGER, ZENTITYPK INTEGER, ZTRANSACTIONID INTEGER, ZCOLUMNS BLOB, ZTOMBSTONE0 BLOB);
        CREATE TABLE ATRANSACTIONSTRING (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR);
        CREATE INDEX Z_TRANSACTION_TransactionTimestampIndex ON ATRANSACTION (ZTIMESTAMP COLLATE BINARY ASC);
        CREATE UNIQUE INDEX Z_TRANSACTIONSTRING_UNIQUE_NAME ON ATRANSACTIONSTRING (ZNAME COLLATE BINARY ASC);
        """

    static func text(of table: TableLayout, named name: String? = nil) -> String {
        var columns =
            table.root == nil
            ? [] : ["Z_PK INTEGER PRIMARY KEY", "Z_ENT INTEGER", "Z_OPT INTEGER"]
        columns += table.columns.map { "\(quoted($0.name)) \($0.type)" }
        if !table.primaryKey.isEmpty {
            columns.append("PRIMARY KEY (\(table.primaryKey.map { quoted($0) }.joined(separator: ", ")))")
        }
        return "CREATE TABLE \(quoted(name ?? table.name)) (\(columns.joined(separator: ", ")))"
    }

    static func text(of index: TableIndex, on table: String) -> String {
        let order = index.isAscending ? "ASC" : "DESC"
        let columns = index.columns.map { "\(quoted($0)) COLLATE BINARY \(order)" }.joined(separator: ", ")
        let kind = index.isUnique ? "UNIQUE INDEX" : "INDEX"
        return "CREATE \(kind) IF NOT EXISTS \(quoted(index.name)) ON \(quoted(table)) (\(columns))"
    }
}

extension StoreSession {
    func insertHistoryEntities() throws(PersistentStoreError) {
        for (number, name) in [
            (HistoryEntity.change, "CHANGE"), (HistoryEntity.transaction, "TRANSACTION"),
            (HistoryEntity.string, "TRANSACTIONSTRING"),
        ] {
            try run(
                "INSERT OR IGNORE INTO Z_PRIMARYKEY (Z_ENT, Z_NAME, Z_SUPER, Z_MAX) VALUES (?1, ?2, 0, 0)",
                .integer(number), .string(name))
        }
    }
}

/// The property list that Apple's frameworks keep of a store.
enum StoreProperties {
    /// - Parameter kept: the list so far, whose other entries stay.
    static func make(for model: StoreModel, keeping kept: Data?) -> Data {
        let list = kept.flatMap { try? PropertyListSerialization.propertyList(from: $0, format: nil) }
        var properties = list as? [String: Any] ?? [:]
        properties["NSStoreType"] = "SQLite"
        properties["NSStoreModelVersionIdentifiers"] = model.versionIdentifiers
        // Another program's hashes of the model before are wrong now; ours would be of another kind.
        for key in ["NSStoreModelVersionHashes", "NSStoreModelVersionHashesDigest", "NSStoreModelVersionChecksumKey"] {
            properties[key] = nil
        }
        // A dictionary of strings and lists of strings can be encoded.
        return (try? PropertyListSerialization.data(fromPropertyList: properties, format: .binary, options: 0))
            ?? Data()
    }
}

extension StoreModel {
    /// The form in which the file keeps it: the same bytes for the same model.
    func encoded() -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        // Values only; nothing in a model fails to encode.
        return (try? encoder.encode(self)) ?? Data()
    }
}
