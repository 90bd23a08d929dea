import Foundation
import PersistentStore

/// The store of a `ModelConfiguration`: a file of Core Data's layout, or memory. [Apple:DefaultStore]
///
/// A container opens it by itself. An app's own kind of store can keep its objects in one and add to what it does.
public final class DefaultStore: DataStore, DataStoreBatching, HistoryProviding {
    public typealias Configuration = ModelConfiguration
    public typealias Snapshot = DefaultSnapshot
    public typealias HistoryType = DefaultHistoryTransaction
    public typealias TokenType = DefaultHistoryToken

    public let name: String
    public let configuration: ModelConfiguration
    public let schema: Schema
    public let identifier: String
    private let container: ModelContainer

    /// - Throws: `unknownSchema` for a configuration without a schema; what `ModelContainer.init` throws.
    public init(_ configuration: ModelConfiguration, migrationPlan: (any SchemaMigrationPlan.Type)? = nil) throws {
        guard let schema = configuration.schema else {
            throw SwiftDataError(.unknownSchema, detail: "the configuration \(configuration.name) has no schema")
        }
        name = configuration.name
        self.configuration = configuration
        self.schema = schema
        container = try ModelContainer(for: schema, migrationPlan: migrationPlan, configurations: [configuration])
        identifier = container.bindings[0].identifier
        SnapshotEntities.register(schema.descriptions, for: identifier)
    }

    public func erase() throws { try container.erase() }

    public func fetch<T>(
        _ request: DataStoreFetchRequest<T>
    ) throws -> DataStoreFetchResult<T, DefaultSnapshot> where T: PersistentModel {
        DataStoreFetchResult(
            descriptor: request.descriptor,
            fetchedSnapshots: try context(request.editingState).fetch(request.descriptor).map(DefaultSnapshot.init(of:))
        )
    }

    public func fetchCount<T>(_ request: DataStoreFetchRequest<T>) throws -> Int where T: PersistentModel {
        try context(request.editingState).fetchCount(request.descriptor)
    }

    public func fetchIdentifiers<T>(
        _ request: DataStoreFetchRequest<T>
    ) throws -> [PersistentIdentifier] where T: PersistentModel {
        try context(request.editingState).fetchIdentifiers(request.descriptor)
    }

    /// - Throws: `modelValidationFailure` when an object to be updated is not there any more.
    public func save(
        _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
    ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
        let context = context(request.editingState)
        var inserted: [PersistentIdentifier: any PersistentModel] = [:]
        for snapshot in request.inserted {
            let name = snapshot.persistentIdentifier.entityName
            guard let entity = container.bindings[0].entity(named: name) else {
                throw SwiftDataError(.unknownSchema, detail: "the store \(configuration.name) has no entity \(name)")
            }
            inserted[snapshot.persistentIdentifier] = blank(entity.type)
        }
        func model(_ identifier: PersistentIdentifier) -> (any PersistentModel)? {
            inserted[identifier] ?? context.model(for: identifier)
        }
        for object in inserted.values { context.insert(object) }
        for snapshot in request.updated {
            guard let object = model(snapshot.persistentIdentifier), !object.isDeleted else {
                throw SwiftDataError(
                    .modelValidationFailure,
                    detail: "the \(snapshot.persistentIdentifier.entityName) that was changed is not in the store")
            }
        }
        for snapshot in request.inserted + request.updated {
            if let object = model(snapshot.persistentIdentifier) { snapshot.assign(to: object, model) }
        }
        for snapshot in request.deleted {
            if let object = model(snapshot.persistentIdentifier), !object.isDeleted { context.delete(object) }
        }
        try context.save()
        return DataStoreSaveChangesResult(
            for: identifier, remappedIdentifiers: inserted.mapValues(\.persistentModelID))
    }

    public func delete<T>(_ request: DataStoreBatchDeleteRequest<T>) throws where T: PersistentModel {
        let context = context(request.editingState)
        try context.delete(
            model: T.self, where: request.predicate, includeSubclasses: request.includeSubclasses)
        try context.save()
    }

    public func fetchHistory(
        _ descriptor: HistoryDescriptor<DefaultHistoryTransaction>
    ) throws -> [DefaultHistoryTransaction] {
        try ModelContext(container).fetchHistory(descriptor)
    }

    public func deleteHistory(_ descriptor: HistoryDescriptor<DefaultHistoryTransaction>) throws {
        try ModelContext(container).deleteHistory(descriptor)
    }

    /// One for each request: it sees what others have saved.
    private func context(_ editingState: EditingState) -> ModelContext {
        let context = ModelContext(container)
        context.author = editingState.author
        return context
    }

    private func blank<Model: PersistentModel>(_ type: Model.Type) -> any PersistentModel {
        Model(backingData: _ModelBackingData(for: type))
    }
}

extension ModelConfiguration: DataStoreConfiguration {
    public typealias Store = DefaultStore
}
