// PersistentStore: rows of entities in an SQLite file of the layout that Apple's Core Data and SwiftData write.
//
// It knows models as values, tables, rows, queries, history and migration. It must not know managed objects, `@Model`, contexts
// or the cloud: those are layers above, which share files through it.
//
// The way of a read: `read` takes a connection and a snapshot → `StoreReader` makes a query's SQL and steps a `RowCursor` → the layer
// above reads typed columns of a `Row` by property index. The way of a write: `write` → `StoreWriter` inserts, updates, deletes
// → history and counters → commit → observers.
import CSQLite
import Foundation
import SQL

/// A store: one file, or rows in memory. Any number of threads read and write through it, and other processes beside it.
package final class PersistentStore: Sendable {
    package enum Location: Sendable, Hashable {
        case file(URL)
        case memory
    }

    package let location: Location
    package let options: PersistentStoreOptions
    /// The UUID that the file keeps, the same for whoever opens it.
    package let identifier: String
    package let layout: StoreLayout
    let database: StoreDatabase
    let observers = CommitObservers()
    let externalFiles: ExternalFiles

    /// Opens a store, makes it when there is none, and changes it to the model when it was made for another version.
    ///
    /// - Throws: `invalidModel` before anything is touched; `incompatibleModel` or `migration` with the reasons, with the file
    ///   as it was.
    package convenience init(
        at location: Location, model: StoreModel, options: PersistentStoreOptions = PersistentStoreOptions()
    ) throws {
        try model.validate()
        try self.init(StoreOpening(location: location, model: model, options: options).open())
    }

    init(_ opened: StoreOpening.Opened) {
        location = opened.location
        options = opened.options
        identifier = opened.identifier
        layout = opened.layout
        database = opened.database
        externalFiles = opened.externalFiles
    }

    deinit { close() }

    /// Ends the use of the file; what reads and writes afterwards is refused. The last one to close it leaves no log beside it.
    package func close() {
        observers.stop()
        database.close()
    }

    /// The file's path, for messages.
    package var path: String {
        switch location {
        case .file(let url): url.path
        case .memory: ":memory:"
        }
    }

    // MARK: - Reading

    /// Reads one state of the store. Reads do not wait for each other nor for writes, except in memory.
    package func read<Result>(_ body: (StoreReader) throws -> Result) throws -> Result {
        try database.read { session in try body(StoreReader(session: session, layout: layout)) }
    }

    // MARK: - Writing

    /// Writes all or nothing, after the writes of other threads and processes.
    ///
    /// - Parameters:
    ///   - author: who writes, for the history.
    ///   - context: what part of the program writes, for the history.
    ///   - origin: given back in the commit, so that the writer knows its own.
    /// - Returns: what `body` gives, and what was changed. Observers hear of it too, unless it is nothing.
    @discardableResult
    package func write<Result>(
        author: String? = nil, context: String? = nil, origin: UUID? = nil,
        _ body: (StoreWriter) throws -> Result
    ) throws -> (Result, Commit) {
        guard !options.isReadOnly else { throw PersistentStoreError.readOnly(path: path) }
        var abandoned: [String] = []
        let outcome = try database.write { session in
            try checkModel(session)
            let writer = StoreWriter(session: session, layout: layout)
            do {
                let result = try body(writer)
                var commit = writer.changes.commit()
                commit.author = author
                commit.context = context
                commit.origin = origin
                try writer.writeCounters()
                if options.tracksHistory, !commit.isEmpty {
                    commit.transaction = try writer.writeHistory(
                        author: author, context: context, bundle: options.bundleIdentifier,
                        timestamp: commit.timestamp)
                }
                observers.noteOwn(commit.transaction)
                try database.commit(session)
                abandoned = writer.abandonedFiles
                // Still alone with the file, so that commits are told in their order.
                if !commit.isEmpty { observers.enqueue(commit, isOwn: true) }
                return (result, commit)
            } catch {
                externalFiles.remove(writer.newFiles)
                throw error
            }
        }
        database.whenNoReaderIsOlder { [externalFiles, abandoned] in externalFiles.remove(abandoned) }
        observers.deliver(ownToo: true)
        return outcome
    }

    /// - Throws: `incompatibleModel` when another process has brought the file to another version since it was opened.
    private func checkModel(_ session: StoreSession) throws(PersistentStoreError) {
        guard try session.tablesChanged(), let stored = try session.storedModel() else { return }
        let differences = ModelComparison.differences(from: layout.model, to: stored)
        guard differences.isEmpty else { throw .incompatibleModel(path: path, differences: differences) }
        try session.noteTables()
    }
}
