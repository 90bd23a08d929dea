// CloudStore: the server's tables.
//
// A folder with `control.sqlite`, `requests.sqlite` and one SQLite file for each container and environment; or everything in
// memory; or one PostgreSQL database. It knows bytes, rows, keys and transactions. It must not know JSON, field types or any
// rule of the protocol, and never runs on Swift's cooperative pool.

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
import SQL

/// Everything that a server keeps.
package final class CloudStore: Sendable {
    package let control: ControlStore
    package let requests: RequestLogStore
    let backend: any StoreBackend
    private let cache = ContainerCache()

    /// Opens a folder, and makes it when it is not there.
    package convenience init(directory: URL, options: StoreOptions = StoreOptions()) throws(StoreError) {
        self.init(try DirectoryBackend(directory: directory, options: options))
    }

    /// Opens a store that is gone when it is closed.
    package static func inMemory(options: StoreOptions = StoreOptions()) throws(StoreError) -> CloudStore {
        CloudStore(try MemoryBackend(options: options))
    }

    /// Opens a PostgreSQL database, and makes its tables when they are not there.
    ///
    /// - Parameter connection: libpq's keywords (`host=… dbname=…`) or a `postgresql://` URI.
    package static func postgres(connection: String, options: StoreOptions = StoreOptions()) throws(StoreError)
        -> CloudStore
    {
        CloudStore(try PostgresBackend(connection: connection, options: options))
    }

    init(_ backend: any StoreBackend) {
        self.backend = backend
        control = ControlStore(database: backend.control)
        requests = RequestLogStore(database: backend.requests)
    }

    /// The store of a container's environment, made when `create` is true and it is not there; else nil.
    package func container(_ identifier: String, _ environment: String, create: Bool) throws(StoreError)
        -> ContainerStore?
    {
        try cache.container(identifier, environment) { () throws(StoreError) in
            guard let database = try backend.container(identifier, environment, create: create) else { return nil }
            return ContainerStore(
                identifier: identifier, environment: environment, database: database,
                assets: AssetFolder(
                    backend.assetFolder(identifier, environment), keptFree: backend.options.keptFree,
                    freeSpace: backend.options.freeSpace),
                options: backend.options)
        }
    }

    /// All containers' environments that exist, by name.
    package func containers() throws(StoreError) -> [(identifier: String, environment: String)] {
        try backend.containers()
    }

    /// Finishes what is queued and closes every file and connection. Calls after it throw `.unavailable`.
    package func close() {
        for container in cache.removeAll() { container.database.close() }
        backend.close()
    }

    deinit { close() }
}

/// The container stores that are in use.
private final class ContainerCache: @unchecked Sendable {  // what changes is inside `lock`
    private struct Key: Hashable {
        let identifier: String
        let environment: String
    }

    private let lock = Condition()
    private var containers: [Key: ContainerStore] = [:]

    func container(
        _ identifier: String, _ environment: String, make: () throws(StoreError) -> ContainerStore?
    ) throws(StoreError) -> ContainerStore? {
        let key = Key(identifier: identifier, environment: environment)
        // Held while one is made: two stores of one file would be two writers.
        return try lock.locked { () throws(StoreError) in
            if let container = containers[key] { return container }
            let made = try make()
            containers[key] = made
            return made
        }
    }

    func removeAll() -> [ContainerStore] {
        lock.locked {
            defer { containers = [:] }
            return Array(containers.values)
        }
    }
}
