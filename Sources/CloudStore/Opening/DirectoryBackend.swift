#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
import SQL

/// A folder of SQLite files.
final class DirectoryBackend: StoreBackend {
    let options: StoreOptions
    let layout: DirectoryLayout
    let control: any Database<ControlSession>
    let requests: any Database<ControlSession>
    private let openFiles: OpenFiles

    init(directory: URL, options: StoreOptions) throws(StoreError) {
        self.options = options
        layout = DirectoryLayout(directory: directory)
        openFiles = OpenFiles(limit: options.openFiles)
        do {
            try FileManager.default.createDirectory(at: layout.containers, withIntermediateDirectories: true)
        } catch {
            throw StoreError(
                .unavailable,
                "The folder \(directory.path) cannot be made: \(error). Check its path and who may write there.")
        }
        control = try SQLiteDatabase<ControlSession>(
            path: layout.control.path, place: layout.control.path, isInMemory: false, tables: .control, options: options
        )
        var relaxed = options
        relaxed.synchronous = .off
        requests = try SQLiteDatabase<ControlSession>(
            path: layout.requests.path, place: layout.requests.path, isInMemory: false, tables: .requests,
            options: relaxed)
    }

    func container(
        _ identifier: String, _ environment: String, create: Bool
    ) throws(StoreError) -> (any Database<ContainerWriter>)? {
        let file = layout.container(identifier, environment)
        guard create || FileManager.default.fileExists(atPath: file.path) else { return nil }
        let database = LazyDatabase<ContainerWriter>(
            path: file.path, place: file.path, tables: .container, options: options, openFiles: openFiles)
        try database.open()
        return database
    }

    func assetFolder(_ identifier: String, _ environment: String) -> URL? {
        guard let folder = options.assetFolder else { return layout.assets(identifier, environment) }
        return DirectoryLayout.assets(in: folder, identifier, environment)
    }

    func containers() throws(StoreError) -> [(identifier: String, environment: String)] {
        try layout.existingContainers()
    }

    func close() {
        control.close()
        requests.close()
    }
}
