import CloudStore
import Synchronization

/// The newest committed schema of one container's environment that this process has seen.
///
/// A reader's snapshot fills it at once. What a writer sees may still be rolled back, so a writer's schema gets in only
/// when its transaction has been committed (`CommitEffects`).
package final class SchemaCache: Sendable {
    private let newest = Mutex<Schema?>(nil)

    package init() {}

    /// The schema as this snapshot of the store has it.
    package func schema(_ reader: ContainerReader) throws -> Schema {
        let schema = try current(reader)
        publish(schema)
        return schema
    }

    /// The schema as a transaction sees it that is not yet committed.
    package func uncommittedSchema(_ writer: ContainerWriter) throws -> Schema {
        try current(writer)
    }

    package func publish(_ schema: Schema) {
        newest.withLock { newest in
            if let newest, newest.version >= schema.version { return }
            newest = schema
        }
    }

    private func current(_ reader: ContainerReader) throws -> Schema {
        let version = try reader.schemaVersion()
        if let known = newest.withLock({ $0 }), known.version == version { return known }
        return Schema(version: version, types: try reader.types(), fields: try reader.fields())
    }
}

/// The schema caches of all containers.
package final class SchemaCaches: Sendable {
    private let caches = Mutex<[Key: SchemaCache]>([:])

    private struct Key: Hashable {
        var container: String
        var environment: String
    }

    package init() {}

    package func cache(of container: ContainerStore) -> SchemaCache {
        let key = Key(container: container.identifier, environment: container.environment)
        return caches.withLock { caches in
            if let known = caches[key] { return known }
            let cache = SchemaCache()
            caches[key] = cache
            return cache
        }
    }
}
