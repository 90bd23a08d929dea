#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
import SQL

/// One PostgreSQL database for control and all containers.
final class PostgresBackend: StoreBackend {
    let options: StoreOptions
    let control: any Database<ControlSession>
    let requests: any Database<ControlSession>
    private let controlPool: PostgresPool<ControlSession>
    private let controlWriters: PostgresWriters<ControlSession>
    private let readers: PostgresPool<ContainerWriter>
    private let writerPool: PostgresPool<ContainerWriter>
    private let writers: PostgresWriters<ContainerWriter>

    init(connection: String, options: StoreOptions) throws(StoreError) {
        self.options = options
        let place = "the PostgreSQL database"
        var small = options
        small.postgresWriters = min(2, options.postgresWriters)
        controlPool = PostgresPool(connection: connection, place: place, limit: 6, options: options)
        controlWriters = PostgresWriters(pool: controlPool, options: small)
        readers = PostgresPool(connection: connection, place: place, limit: options.postgresReaders, options: options)
        writerPool = PostgresPool(
            connection: connection, place: place, limit: options.postgresWriters, options: options)
        writers = PostgresWriters(pool: writerPool, options: options)
        control = PostgresDatabase(tenant: 0, readers: controlPool, writers: controlWriters)
        requests = PostgresDatabase(tenant: 0, readers: controlPool, writers: controlWriters)
        let session = try controlPool.take(tenant: 0)
        defer { controlPool.give(session) }
        for tables in [TableSet.control, .requests, .container] { try tables.prepare(session) }
    }

    func container(
        _ identifier: String, _ environment: String, create: Bool
    ) throws(StoreError) -> (any Database<ContainerWriter>)? {
        let tenants = ControlStore(database: control)
        var tenant = try tenants.tenant(identifier, environment)
        if tenant == nil, create { tenant = try tenants.makeTenant(identifier, environment) }
        return tenant.map { PostgresDatabase(tenant: $0, readers: readers, writers: writers) }
    }

    func assetFolder(_ identifier: String, _ environment: String) -> URL? {
        options.assetFolder.map { DirectoryLayout.assets(in: $0, identifier, environment) }
    }

    func containers() throws(StoreError) -> [(identifier: String, environment: String)] {
        try ControlStore(database: control).tenants()
    }

    func checkCopies() throws(StoreError) { throw Self.copiesElsewhere }

    static let copiesElsewhere = StoreError(
        .invalid,
        """
        A store in PostgreSQL is backed up with PostgreSQL's own tools, such as pg_dump. After restoring one, raise the \
        incarnation of every container.
        """)

    func close() {
        writers.close()
        controlWriters.close()
        readers.close()
        writerPool.close()
        controlPool.close()
    }
}
