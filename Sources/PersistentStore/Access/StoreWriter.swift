import CSQLite
import SQL

/// The one write of a store at a time: everything it does is kept together, or nothing of it.
///
/// Like a reader, it is lent for the length of a `write`. It sees its own changes.
package final class StoreWriter: StoreReader {
    /// What became of an update or a delete.
    package enum Outcome: Sendable, Hashable {
        /// The row's new version; 0 for a deleted row.
        case done(version: Int64)
        /// The row has another version than expected, and is as given; nil: it is gone. Nothing was changed.
        case conflict(StoredRow?)
    }

    var changes = ChangeLog()
    /// By root: the highest key that was given out.
    private var keys: [Int: Int64] = [:]
    /// Files that were written for rows of this transaction: to be removed if it fails.
    private(set) var newFiles: [String] = []
    /// Files that no row names once the transaction is kept.
    private(set) var abandonedFiles: [String] = []
    private let plans: WriterPlans

    override init(session: StoreSession, layout: StoreLayout) {
        plans = session.writerPlans(for: layout)
        super.init(session: session, layout: layout)
    }

    // MARK: - Inserting

    /// A key that no row of the entity's table had before.
    package func newRowID(_ entity: EntityLayout) throws(PersistentStoreError) -> RowID {
        let last: Int64
        if let known = keys[entity.root] {
            last = known
        } else {
            let counted = try session.integer(
                "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = ?1", .integer(Int64(entity.root)))
            // The counter may lag in a file that others wrote rows into.
            let table = layout.entity(entity.root)?.table ?? entity.table
            let highest = try session.integer("SELECT MAX(Z_PK) FROM \(quoted(table))")
            last = max(counted ?? 0, highest ?? 0)
        }
        let (next, overflow) = last.addingReportingOverflow(1)
        guard !overflow else { throw .full(path: session.path) }
        keys[entity.root] = next
        return RowID(entity: Int32(truncatingIfNeeded: entity.number), key: next)
    }

    /// Adds a row of version 1. `bind` sets its values and must not write otherwise.
    ///
    /// - Throws: `uniqueConstraint` when another row has the same values of a unique constraint.
    package func insert(_ id: RowID, _ bind: (RowValues) throws -> Void) throws {
        guard let entity = layout.entity(of: id) else { throw unknownEntity(id) }
        let binding = try plans.insert(entity, session)
        defer { binding.finish() }
        sqlite3_bind_int64(binding.handle, 1, id.key)
        sqlite3_bind_int64(binding.handle, 2, Int64(id.entity))
        do {
            try bind(binding.values)
            try binding.check()
        } catch {
            newFiles += binding.newFiles
            throw error
        }
        newFiles += binding.newFiles
        let result = sqlite3_step(binding.handle)
        guard result == SQLITE_DONE else { throw failure(result, entity) }
        changes.insert(id)
    }

    // MARK: - Updating

    /// Sets the changed properties of a row and raises its version.
    ///
    /// - Parameters:
    ///   - version: the version that the caller saw; nil to write over any.
    ///   - changed: the properties that `bind` sets. To-many ones have no columns here and only raise the version.
    package func update(
        _ id: RowID, expecting version: Int64?, changed: PropertySet, _ bind: (RowValues) throws -> Void
    ) throws -> Outcome {
        guard let entity = layout.entity(of: id) else { throw unknownEntity(id) }
        guard let version = try version ?? currentVersion(id, entity) else { return .conflict(nil) }
        let replaced = try externalFileNames(id, entity, of: changed)
        let binding = try plans.update(entity, changed, session)
        defer { binding.finish() }
        sqlite3_bind_int64(binding.handle, 1, version &+ 1)
        sqlite3_bind_int64(binding.handle, 2, id.key)
        sqlite3_bind_int64(binding.handle, 3, version)
        do {
            try bind(binding.values)
            try binding.check()
        } catch {
            newFiles += binding.newFiles
            throw error
        }
        newFiles += binding.newFiles
        let result = sqlite3_step(binding.handle)
        guard result == SQLITE_DONE else { throw failure(result, entity) }
        guard sqlite3_changes(session.connection.handle) > 0 else { return .conflict(try storedRow(id)) }
        abandonedFiles += replaced
        changes.update(id, changed)
        return .done(version: version &+ 1)
    }

    private func currentVersion(_ id: RowID, _ entity: EntityLayout) throws(PersistentStoreError) -> Int64? {
        try session.integer("SELECT Z_OPT FROM \(quoted(entity.table)) WHERE Z_PK = ?1", .integer(id.key))
    }

    // MARK: - Deleting

    /// Removes a row and its entries in join tables. To-one references to it are the caller's to change.
    ///
    /// - Parameter version: the version that the caller saw; nil to delete any.
    package func delete(_ id: RowID, expecting version: Int64?) throws(PersistentStoreError) -> Outcome {
        guard let entity = layout.entity(of: id) else { throw unknownEntity(id) }
        let plan = plans.deletion(entity)
        var tombstone: [String: StoreValue] = [:]
        var files: [String] = []
        if plan.readsRow {
            guard let row = try storedRow(id) else { return .conflict(nil) }
            if let version, row.version != version { return .conflict(row) }
            for index in plan.preserved where !row.values[index].isNull {
                tombstone[entity.properties[index].name] = row.values[index]
            }
            files = try externalFileNames(id, entity, of: plan.external)
        }
        let statement = try session.take(version == nil ? plan.deleteAny : plan.delete)
        defer { session.release(statement, version == nil ? plan.deleteAny : plan.delete) }
        sqlite3_bind_int64(statement.handle, 1, id.key)
        if let version { sqlite3_bind_int64(statement.handle, 2, version) }
        _ = try session.step(statement)
        guard sqlite3_changes(session.connection.handle) > 0 else { return .conflict(try storedRow(id)) }
        for text in plan.joins { try session.run(text, .integer(id.key)) }
        abandonedFiles += files
        changes.delete(id, tombstone)
        return .done(version: 0)
    }

    /// The names of the files with the external values of a row.
    private func externalFileNames(
        _ id: RowID, _ entity: EntityLayout, of properties: PropertySet
    ) throws(PersistentStoreError) -> [String] {
        guard !plans.deletion(entity).external.isEmpty else { return [] }
        var names: [String] = []
        for index in properties where index < entity.properties.count {
            guard case .attribute(let columns) = entity.properties[index].kind, columns.first?.isExternal == true
            else { continue }
            let sql = "SELECT \(quoted(columns[0].name)) FROM \(quoted(entity.table)) WHERE Z_PK = ?1"
            try session.rows(sql, [.integer(id.key)]) { statement in
                if let name = statement.withBlob(0, { ExternalFiles.fileName($0) }) { names.append(name) }
            }
        }
        return names
    }

    // MARK: - Ending

    /// Writes the counters of the keys that were given out.
    func writeCounters() throws(PersistentStoreError) {
        for (root, key) in keys {
            try session.run(
                "UPDATE Z_PRIMARYKEY SET Z_MAX = ?1 WHERE Z_ENT = ?2", .integer(key), .integer(Int64(root)))
        }
    }

    private func failure(_ result: Int32, _ entity: EntityLayout) -> PersistentStoreError {
        let error = session.connection.failure(result)
        guard result & 0xff == SQLITE_CONSTRAINT else { return session.failure(error) }
        // "UNIQUE constraint failed: ZNOTE.ZA, ZNOTE.ZB"
        let columns = Set(
            error.message.split(separator: ": ").last.map { list in
                list.split(separator: ", ").map { String($0.drop { $0 != "." }.dropFirst()) }
            } ?? [])
        let family = (entity.ancestors + [entity.number]).compactMap { layout.entity($0) }
        for level in family {
            for constraint in level.entity.uniquenessConstraints
            where Set(constraint.flatMap { entity.columns(ofPath: $0) }) == columns {
                return .uniqueConstraint(entity: entity.name, properties: constraint, existing: nil)
            }
        }
        return session.failure(error)
    }
}
