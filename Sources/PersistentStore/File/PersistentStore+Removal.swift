import Foundation
import SQL

extension PersistentStore {
    /// Deletes all rows and the history, and keeps the file and its identifier. Keys are not given out again, and tokens of the history before have
    /// expired.
    package func erase() throws {
        guard !options.isReadOnly else { throw PersistentStoreError.readOnly(path: path) }
        let names = externalFiles.names()
        let commit = try database.write { session in
            var commit = Commit()
            for table in layout.tables {
                if table.root != nil {
                    try session.rows("SELECT Z_ENT, Z_PK FROM \(quoted(table.name))") { row in
                        commit.deleted.append(
                            RowID(entity: Int32(truncatingIfNeeded: row.int64(0)), key: row.int64(1)))
                    }
                }
                try session.run("DELETE FROM \(quoted(table.name))")
            }
            // One empty transaction is counted, so that a token of the last one has expired too.
            let newest = try StoreReader(session: session, layout: layout).newestTransaction()
            try session.run(
                "UPDATE Z_PRIMARYKEY SET Z_MAX = ?1 WHERE Z_ENT = ?2", .integer(newest &+ 1),
                .integer(HistoryEntity.transaction))
            try session.run("DELETE FROM ACHANGE")
            try session.run("DELETE FROM ATRANSACTION")
            try database.commit(session)
            if !commit.isEmpty { observers.enqueue(commit, isOwn: true) }
            return commit
        }
        _ = commit
        database.whenNoReaderIsOlder { [externalFiles] in externalFiles.remove(names) }
        observers.deliver(ownToo: true)
    }

    /// Deletes a store's file and all that lies beside it. No store may have it open.
    package static func remove(at url: URL) throws {
        let files = FileManager.default
        // The log first: alone it would be taken for that of a new file of the same name.
        for path in [url.path + "-wal", url.path + "-shm", url.path] where files.fileExists(atPath: path) {
            try files.removeItem(atPath: path)
        }
        if let support = ExternalFiles(storeAt: url).folder?.deletingLastPathComponent(),
            files.fileExists(atPath: support.path)
        {
            try files.removeItem(at: support)
        }
    }

    /// Removes files of external values that no row names, left by a process that was killed between writing the file and committing the row.
    ///
    /// - Parameter age: younger files are left alone, since another process may be about to commit their rows.
    package func removeAbandonedFiles(olderThan age: TimeInterval = 24 * 3600) throws {
        let limit = Date().addingTimeInterval(-age)
        let old = externalFiles.names().filter { externalFiles.modified($0).map { $0 < limit } ?? false }
        guard !old.isEmpty else { return }
        var named: Set<String> = []
        try read { reader in
            for entity in layout.entities {
                for property in entity.properties where property.declaringEntity == entity.number {
                    guard case .attribute(let columns) = property.kind, let column = columns.first, column.isExternal
                    else { continue }
                    let name = quoted(column.name)
                    try reader.session.rows(
                        "SELECT \(name) FROM \(quoted(entity.table)) WHERE length(\(name)) BETWEEN 37 AND 38"
                    ) { row in
                        if let file = row.withBlob(0, { ExternalFiles.fileName($0) }) { named.insert(file) }
                    }
                }
            }
        }
        externalFiles.remove(old.filter { !named.contains($0) })
    }
}

extension ExternalFiles {
    /// The files that are there.
    func names() -> [String] {
        guard let folder else { return [] }
        let all = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return all.filter { UUID(uuidString: $0) != nil }
    }

    func modified(_ name: String) -> Date? {
        guard let folder else { return nil }
        let path = folder.appendingPathComponent(name).path
        return (try? FileManager.default.attributesOfItem(atPath: path))?[.modificationDate] as? Date
    }
}
