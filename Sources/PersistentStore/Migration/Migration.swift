import Foundation
import SQL

/// Brings a file to another version of its model: custom stages where there are any, then what can be inferred. All inside one
/// transaction that the caller began and ends.
struct Migration {
    let session: StoreSession
    let from: StoreContents
    let to: StoreModel
    let location: PersistentStore.Location
    let options: PersistentStoreOptions

    func run() throws -> StoreContents {
        var contents = from
        if contents.isOurs == false { try adopt() }
        for stage in stages {
            if let work = stage.willMigrate { try perform(work, on: contents) }
            contents = try change(contents, to: stage.to)
            if let work = stage.didMigrate { try perform(work, on: contents) }
        }
        let rest = ModelComparison.differences(from: contents.model, to: to)
        guard rest.isEmpty || options.migratesLightly else {
            throw PersistentStoreError.incompatibleModel(path: session.path, differences: rest)
        }
        return try change(contents, to: to)
    }

    /// The stages from the file's version on. None when the file has the wanted version already.
    private var stages: ArraySlice<MigrationStage> {
        guard !ModelComparison.differences(from: from.model, to: to).isEmpty else { return [] }
        let first = options.migrationStages.firstIndex { stage in
            ModelComparison.differences(from: from.model, to: stage.from).isEmpty
        }
        guard let first else { return [] }
        return options.migrationStages[first...]
    }

    /// Lends a store over the same transaction: what it writes is kept or lost with the migration.
    private func perform(
        _ work: (PersistentStore) throws -> Void, on contents: StoreContents
    ) throws {
        let database = StoreDatabase(
            writer: session, path: session.path, options: options, externalFiles: session.externalFiles,
            isShared: true, isNested: true)
        let store = PersistentStore(
            StoreOpening.Opened(
                location: location, options: options, identifier: contents.identifier, layout: contents.layout,
                database: database, externalFiles: session.externalFiles))
        defer {
            store.close()
            session.forgetStatements()
        }
        session.forgetStatements()
        try work(store)
    }

    private func change(_ contents: StoreContents, to model: StoreModel) throws -> StoreContents {
        try model.validate()
        session.forgetStatements()
        defer { session.forgetStatements() }
        var migration = LightweightMigration(session: session, from: contents, to: model)
        return try migration.run()
    }

    /// Gives a file that others made what this module needs beside the rows.
    private func adopt() throws(PersistentStoreError) {
        try session.execute(StoreCreation.ownTable)
        var structure = try FileStructure(reading: session)
        for text in StoreCreation.historyTables.split(separator: ";") {
            let text = text.trimmingCharacters(in: .whitespacesAndNewlines)
            let words = text.split(separator: " ")
            guard text.hasPrefix("CREATE TABLE"), words.count > 2 else { continue }
            if structure.tables[String(words[2])] == nil { try session.execute(text) }
        }
        structure = try FileStructure(reading: session)
        let wanted: [(table: String, columns: [String])] = [
            (
                "ATRANSACTION",
                [
                    "ZAUTHORTS INTEGER", "ZBUNDLEIDTS INTEGER", "ZCONTEXTNAMETS INTEGER", "ZPROCESSIDTS INTEGER",
                    "ZTIMESTAMP FLOAT", "ZAUTHOR VARCHAR", "ZBUNDLEID VARCHAR", "ZCONTEXTNAME VARCHAR",
                    "ZPROCESSID VARCHAR",
                ]
            ), ("ACHANGE", ["ZCOLUMNS BLOB", "ZTOMBSTONE0 BLOB"]),
        ]
        for (table, columns) in wanted {
            for column in columns {
                let name = String(column.prefix { $0 != " " })
                guard structure.tables[table]?.columns[name] == nil else { continue }
                try session.execute("ALTER TABLE \(table) ADD COLUMN \(column)")
            }
        }
        try session.insertHistoryEntities()
        let newest = try session.integer("SELECT MAX(Z_PK) FROM ACHANGE") ?? 0
        try session.setValue(Data(String(newest).utf8), named: "adoptedChanges")
    }
}
