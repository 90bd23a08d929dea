import Foundation
import SQL

/// What a file says of itself: whose store it is and for which model.
struct StoreContents {
    var identifier: String
    /// The model that the file was made for. Of a file made by others: what its tables tell.
    var model: StoreModel
    /// The layout by which its rows are read.
    var layout: StoreLayout
    /// What keeps the file from being used with the wanted model as it is.
    var differences: [ModelDifference] = []
    /// The file names its model in this module's own form.
    var isOurs: Bool
    /// The wanted model can be used at once.
    var isReady: Bool
}

extension StoreContents {
    /// - Returns: nil for an empty file.
    init?(reading session: StoreSession, for wanted: StoreModel) throws(PersistentStoreError) {
        let structure = try FileStructure(reading: session)
        guard !structure.tables.isEmpty else { return nil }
        try Self.check(structure, path: session.path)
        var found: String?
        try session.rows("SELECT Z_UUID FROM Z_METADATA") { found = found ?? $0.optionalText(0) }
        identifier = found ?? UUID().uuidString
        let numbers = try session.entityNumbers()
        if let stored = try session.storedModel() {
            isOurs = true
            model = stored
            try Self.check(stored, path: session.path)
            differences = ModelComparison.differences(from: stored, to: wanted)
            isReady = stored == wanted
            // Without differences for the file the wanted model reads it as well: all that a read-only store needs.
            var builder = LayoutBuilder(
                model: differences.isEmpty ? wanted : stored, numbers: numbers, existing: structure)
            layout = try builder.build()
            return
        }
        isOurs = false
        let reading = try FileModel(session: session, structure: structure, numbers: numbers)
        model = reading.model(preferring: wanted)
        try Self.check(model, path: session.path)
        differences = ModelComparison.differences(from: model, to: wanted)
        var builder = LayoutBuilder(
            model: differences.isEmpty ? wanted : model, numbers: numbers, existing: structure)
        layout = try builder.build()
        isReady = false
    }

    /// A damaged file may say that entities inherit from each other in a circle.
    static func check(_ model: StoreModel, path: String) throws(PersistentStoreError) {
        do throws(PersistentStoreError) {
            try model.validate()
        } catch {
            throw .corrupt(path: path, reason: error.description)
        }
    }

    static func check(_ structure: FileStructure, path: String) throws(PersistentStoreError) {
        for (table, columns) in [
            ("Z_METADATA", ["Z_UUID", "Z_PLIST"]), ("Z_PRIMARYKEY", ["Z_ENT", "Z_NAME", "Z_SUPER", "Z_MAX"]),
        ] {
            guard let found = structure.tables[table] else {
                throw .notAStore(path: path, reason: "it has no table \(table)")
            }
            for column in columns where found.columns[column] == nil {
                throw .notAStore(path: path, reason: "its table \(table) has no column \(column)")
            }
        }
    }
}

extension StoreSession {
    /// The number of each entity (`Z_PRIMARYKEY`), those of the history left out.
    func entityNumbers() throws(PersistentStoreError) -> [String: Int] {
        var numbers: [String: Int] = [:]
        try rows("SELECT Z_NAME, Z_ENT FROM Z_PRIMARYKEY WHERE Z_ENT BETWEEN 1 AND 15999") { row in
            numbers[row.text(0)] = Int(row.int64(1))
        }
        return numbers
    }

    func storedModel() throws(PersistentStoreError) -> StoreModel? {
        guard let bytes = try value(named: "model") else { return nil }
        return try? JSONDecoder().decode(StoreModel.self, from: bytes)
    }

    /// A value that this module or a layer above keeps in the file beside the rows.
    func value(named name: String) throws(PersistentStoreError) -> Data? {
        guard try hasOwnTable() else { return nil }
        var result: Data?
        try rows("SELECT ZVALUE FROM STRATUS_METADATA WHERE ZKEY = ?1", [.string(name)]) { row in
            result = Data(row.blob(0))
        }
        return result
    }

    func hasOwnTable() throws(PersistentStoreError) -> Bool {
        try integer("SELECT COUNT(*) FROM sqlite_master WHERE name = 'STRATUS_METADATA'") == 1
    }

    func setValue(_ value: Data?, named name: String) throws(PersistentStoreError) {
        guard let value else { return try run("DELETE FROM STRATUS_METADATA WHERE ZKEY = ?1", .string(name)) }
        try run("INSERT OR REPLACE INTO STRATUS_METADATA (ZKEY, ZVALUE) VALUES (?1, ?2)", .string(name), .data(value))
    }

    /// The number of the newest change that another program left in the history before this module first wrote.
    func adoptedChanges() throws(PersistentStoreError) -> Int64 {
        guard try hasOwnTable() else { return .max }
        guard let bytes = try value(named: "adoptedChanges") else { return 0 }
        return Int64(String(decoding: bytes, as: UTF8.self)) ?? 0
    }
}
