import SwiftData

/// An app's own store: all snapshots in one JSON file.
final class JSONStore: DataStore {
    struct Configuration: DataStoreConfiguration {
        typealias Store = JSONStore

        let name: String
        var schema: Schema?
        let url: URL
        var refusesToSave = false
    }

    typealias Snapshot = DefaultSnapshot

    let configuration: Configuration
    let identifier: String
    let schema: Schema

    init(_ configuration: Configuration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
        self.configuration = configuration
        identifier = configuration.url.lastPathComponent
        schema = configuration.schema ?? Schema()
    }

    func fetch<T>(_ request: DataStoreFetchRequest<T>) throws -> DataStoreFetchResult<T, DefaultSnapshot> {
        if request.descriptor.predicate != nil { throw DataStoreError.preferInMemoryFilter }
        if !request.descriptor.sortBy.isEmpty { throw DataStoreError.preferInMemorySort }
        let name = Schema.entityName(for: T.self)
        return DataStoreFetchResult(
            descriptor: request.descriptor,
            fetchedSnapshots: try read().values.filter { $0.persistentIdentifier.entityName == name })
    }

    func save(
        _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
    ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
        if configuration.refusesToSave { throw CocoaError(.fileWriteNoPermission) }
        var kept = try read()
        var remapped: [PersistentIdentifier: PersistentIdentifier] = [:]
        for snapshot in request.inserted {
            remapped[snapshot.persistentIdentifier] = try PersistentIdentifier.identifier(
                for: identifier, entityName: snapshot.persistentIdentifier.entityName,
                primaryKey: UUID().uuidString)
        }
        for snapshot in request.inserted + request.updated {
            let permanent = remapped[snapshot.persistentIdentifier] ?? snapshot.persistentIdentifier
            kept[permanent] = snapshot.copy(persistentIdentifier: permanent, remappedIdentifiers: remapped)
        }
        for snapshot in request.deleted { kept[snapshot.persistentIdentifier] = nil }
        try JSONEncoder().encode(Array(kept.values)).write(to: configuration.url, options: .atomic)
        return DataStoreSaveChangesResult(for: identifier, remappedIdentifiers: remapped)
    }

    func erase() throws { try? FileManager.default.removeItem(at: configuration.url) }

    private func read() throws -> [PersistentIdentifier: DefaultSnapshot] {
        guard FileManager.default.fileExists(atPath: configuration.url.path) else { return [:] }
        let snapshots = try JSONDecoder().decode([DefaultSnapshot].self, from: Data(contentsOf: configuration.url))
        return Dictionary(snapshots.map { ($0.persistentIdentifier, $0) }, uniquingKeysWith: { first, _ in first })
    }
}
