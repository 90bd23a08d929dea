import Foundation
import SQL

/// The opening of a store, from its place to connections and layout.
struct StoreOpening {
    struct Opened {
        var location: PersistentStore.Location
        var options: PersistentStoreOptions
        var identifier: String
        var layout: StoreLayout
        var database: StoreDatabase
        var externalFiles: ExternalFiles
    }

    var location: PersistentStore.Location
    var model: StoreModel
    var options: PersistentStoreOptions

    func open() throws -> Opened {
        let (path, externalFiles) = try place()
        let session = try StoreDatabase.open(path, options, externalFiles, forReading: false)
        let contents: StoreContents
        do {
            contents = try prepare(session)
        } catch {
            session.forgetStatements()
            session.connection.close()
            throw error
        }
        if !options.isReadOnly {
            try session.noteTables()
            session.connection.guardCommits()
        }
        let database = StoreDatabase(
            writer: session, path: path, options: options, externalFiles: externalFiles,
            isShared: location == .memory)
        return Opened(
            location: location, options: options, identifier: contents.identifier, layout: contents.layout,
            database: database, externalFiles: externalFiles)
    }

    private func place() throws(PersistentStoreError) -> (path: String, ExternalFiles) {
        guard case .file(let url) = location else { return (":memory:", ExternalFiles(storeAt: nil)) }
        let exists = FileManager.default.fileExists(atPath: url.path)
        if options.isReadOnly {
            guard exists else { throw .cannotOpen(path: url.path, reason: "there is no such file") }
        } else if !exists {
            do {
                try FileManager.default.createDirectory(
                    at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            } catch {
                throw .cannotOpen(path: url.path, reason: error.localizedDescription)
            }
        }
        return (url.path, ExternalFiles(storeAt: url))
    }

    /// What the file is for, after making or changing it where that is needed.
    private func prepare(_ session: StoreSession) throws -> StoreContents {
        if let contents = try StoreContents(reading: session, for: model), contents.isReady { return contents }
        guard !options.isReadOnly else {
            guard let contents = try StoreContents(reading: session, for: model) else {
                throw PersistentStoreError.notAStore(path: session.path, reason: "it is empty")
            }
            guard contents.differences.isEmpty else {
                throw PersistentStoreError.incompatibleModel(path: session.path, differences: contents.differences)
            }
            return contents
        }
        try StoreDatabase.beginImmediately(session, timeout: options.lockTimeout)
        do {
            let contents = try change(session)
            try session.execute("COMMIT")
            session.forgetStatements()
            return contents
        } catch {
            if session.connection.isInTransaction { try? session.execute("ROLLBACK") }
            session.forgetStatements()
            throw error
        }
    }

    /// Inside the transaction, where no other process makes or changes the file.
    private func change(_ session: StoreSession) throws -> StoreContents {
        guard let contents = try StoreContents(reading: session, for: model) else {
            return try StoreCreation(session: session, model: model).create()
        }
        if contents.isReady { return contents }
        return try Migration(session: session, from: contents, to: model, location: location, options: options).run()
    }
}
