/// A container's environment: its users' zones, records, indexes and schema.
package final class ContainerStore: Sendable {
    package let identifier: String
    package let environment: String
    let database: any Database<ContainerWriter>
    let options: StoreOptions
    /// Where the walk over zones in `runMaintenanceStep` stands.
    let maintenance = MaintenanceCursor()
    /// Which part of the files `runAssetStep` looks at next.
    let assetCursor = MaintenanceCursor()
    /// The files that rows of assets stand for.
    package let assets: AssetFolder

    init(
        identifier: String, environment: String, database: any Database<ContainerWriter>, assets: AssetFolder,
        options: StoreOptions
    ) {
        self.identifier = identifier
        self.environment = environment
        self.database = database
        self.options = options
        self.assets = assets
    }

    /// Runs the body on the caller's thread, in one consistent snapshot. Never waits for a writer (in memory: for at most the
    /// transaction under way, so a body of `write` must not call this).
    package func read<Value>(_ body: (ContainerReader) throws -> Value) throws -> Value {
        try database.read { try body($0) }
    }

    /// Queues the body for the writer, which commits waiting requests together.
    ///
    /// If the body throws, what it wrote is undone and the completion gets its error. If the commit fails, every request in it
    /// gets a `StoreError`. On PostgreSQL the body runs again when the engine chose its transaction to give way, so it must have
    /// no effects but on the writer. The completion is called after the commit, on the writer's thread (`.inline`: the caller's).
    package func write<Value: Sendable>(
        _ body: @escaping @Sendable (ContainerWriter) throws -> Value,
        completion: @escaping @Sendable (Result<Value, any Error>) -> Void
    ) {
        database.write(body, completion: completion)
    }

    /// Writes and waits for the commit. Not to be called on a writer's thread, which would wait for itself.
    package func writeAndWait<Value: Sendable>(
        _ body: @escaping @Sendable (ContainerWriter) throws -> Value
    ) throws -> Value {
        try database.writeAndWait(body)
    }
}
