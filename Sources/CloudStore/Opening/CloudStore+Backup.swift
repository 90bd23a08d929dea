#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension CloudStore {
    /// Writes a copy of every file into a folder, while the store goes on serving. Each file is copied as it is at one moment.
    ///
    /// - Parameter directory: a folder that does not exist or is empty. It appears when the copy is whole.
    /// - Throws: `.invalid` on PostgreSQL, whose own tools do this.
    package func backup(to directory: URL) throws(StoreError) {
        try backend.checkCopies()
        let folder = try PendingFolder(for: directory)
        let layout = DirectoryLayout(directory: folder.pending)
        try backend.control.copy(to: layout.control.path)
        try backend.requests.copy(to: layout.requests.path)
        for (identifier, environment) in try containers() {
            guard let container = try container(identifier, environment, create: false) else { continue }
            try container.database.copy(to: layout.container(identifier, environment).path)
            // After the rows: a file that comes meanwhile has no row there, which does no harm.
            try container.assets.copy(to: layout.assets(identifier, environment))
        }
        try folder.finish()
    }

    /// Makes a store of a backup.
    ///
    /// Every zone continues as another incarnation: what happened after the backup is another timeline, whose sequences and
    /// change tags the restored store never uses again, and whose tokens it recognises as foreign.
    ///
    /// - Parameters:
    ///   - to: a folder that does not exist or is empty. It appears when the store is whole.
    /// - Throws: `.invalid` when the target has contents, `.corrupt` when a file of the backup is damaged.
    package static func restore(
        from backup: URL, to directory: URL, options: StoreOptions = StoreOptions()
    ) throws(StoreError) {
        let source = DirectoryLayout(directory: backup)
        guard FileManager.default.fileExists(atPath: source.control.path) else {
            throw StoreError(
                .invalid, "\(backup.path) is no backup: it has no control.sqlite. Name the folder that a backup made.")
        }
        let folder = try PendingFolder(for: directory)
        let target = DirectoryLayout(directory: folder.pending)
        try copyFile(source.control, target.control)
        if FileManager.default.fileExists(atPath: source.requests.path) {
            try copyFile(source.requests, target.requests)
        }
        for (identifier, environment) in try source.existingContainers() {
            let file = target.container(identifier, environment)
            try copyFile(source.container(identifier, environment), file)
            let database = try SQLiteDatabase<ContainerWriter>(
                path: file.path, place: file.path, isInMemory: false, tables: .container, options: options)
            defer { database.close() }
            try database.check()
            let files =
                options.assetFolder.map { DirectoryLayout.assets(in: $0, identifier, environment) }
                ?? target.assets(identifier, environment)
            try AssetFolder(source.assets(identifier, environment), keptFree: 0).copy(to: files)
            let assets = AssetFolder(files, keptFree: options.keptFree)
            let container = ContainerStore(
                identifier: identifier, environment: environment, database: database, assets: assets,
                options: options)
            try container.raiseIncarnation()
        }
        let control = try SQLiteDatabase<ControlSession>(
            path: target.control.path, place: target.control.path, isInMemory: false, tables: .control, options: options
        )
        defer { control.close() }
        try control.check()
        try folder.finish()
    }

    private static func copyFile(_ source: URL, _ target: URL) throws(StoreError) {
        do {
            try FileManager.default.copyItem(at: source, to: target)
        } catch {
            throw StoreError(.unavailable, "\(source.path) cannot be copied to \(target.path): \(error)")
        }
    }
}

extension ContainerStore {
    /// Lets every zone continue as another incarnation: after anything that may have taken the database back in time, such as
    /// PostgreSQL's own restore. `CloudStore.restore` does it by itself.
    package func raiseIncarnation() throws(StoreError) {
        do {
            try writeAndWait { try $0.raiseIncarnation() }
        } catch let error as StoreError {
            throw error
        } catch {
            throw StoreError(.invalid, "\(error)")
        }
    }
}
