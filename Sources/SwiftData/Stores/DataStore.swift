/// A store of an app's own kind: it keeps snapshots of objects wherever it likes. [Apple:DataStore]
///
/// SwiftData calls one store from one thread at a time.
public protocol DataStore: AnyObject {
    associatedtype Configuration: DataStoreConfiguration where Self == Configuration.Store
    associatedtype Snapshot: DataStoreSnapshot

    /// Tells the store from all others, for as long as it exists.
    var identifier: String { get }
    var schema: Schema { get }
    var configuration: Configuration { get }

    init(_ configuration: Configuration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws

    /// Deletes all objects.
    func erase() throws
    /// What a descriptor finds. Throws `DataStoreError.preferInMemoryFilter` or `.preferInMemorySort` to be asked again without
    /// the predicate, or without the order: SwiftData then filters or sorts.
    func fetch<T>(_ request: DataStoreFetchRequest<T>) throws -> DataStoreFetchResult<T, Snapshot>
    where T: PersistentModel
    func fetchCount<T>(_ request: DataStoreFetchRequest<T>) throws -> Int where T: PersistentModel
    func fetchIdentifiers<T>(_ request: DataStoreFetchRequest<T>) throws -> [PersistentIdentifier]
    where T: PersistentModel
    /// Keeps the changes of a context: all, or none when it throws.
    func save(_ request: DataStoreSaveChangesRequest<Snapshot>) throws -> DataStoreSaveChangesResult<Snapshot>
    /// A context begins to use the store.
    func initializeState(for editingState: EditingState)
    /// The context uses it no more.
    func invalidateState(for editingState: EditingState)
    /// Snapshots that the store has at hand, asked for before a fetch when an object is wanted by its identifier.
    func cachedSnapshots(
        for persistentIdentifiers: [PersistentIdentifier], editingState: EditingState
    ) throws -> [PersistentIdentifier: Snapshot]
}

extension DataStore {
    /// Throws `DataStoreError.unsupportedFeature`.
    public func erase() throws { throw DataStoreError.unsupportedFeature }

    /// Counts what `fetch` finds.
    public func fetchCount<T>(_ request: DataStoreFetchRequest<T>) throws -> Int where T: PersistentModel {
        try fetch(request).fetchedSnapshots.count
    }

    /// The identifiers of what `fetch` finds.
    public func fetchIdentifiers<T>(_ request: DataStoreFetchRequest<T>) throws -> [PersistentIdentifier]
    where T: PersistentModel {
        try fetch(request).fetchedSnapshots.map(\.persistentIdentifier)
    }

    public func initializeState(for editingState: EditingState) {}
    public func invalidateState(for editingState: EditingState) {}

    public func cachedSnapshots(
        for persistentIdentifiers: [PersistentIdentifier], editingState: EditingState
    ) throws -> [PersistentIdentifier: Snapshot] { [:] }
}

/// A store that can delete all objects that match without being told each of them. [Apple:DataStoreBatching]
///
/// It is asked to when `ModelContext.delete(model:where:includeSubclasses:)` is all that a save has for it; together with other
/// changes the objects are among a save's `deleted`, so that all of it is kept or nothing.
public protocol DataStoreBatching: DataStore {
    func delete<T>(_ request: DataStoreBatchDeleteRequest<T>) throws where T: PersistentModel
}

/// Where and how a store of an app's own kind keeps its objects. [Apple:DataStoreConfiguration]
public protocol DataStoreConfiguration: Hashable {
    associatedtype Store: DataStore where Store.Configuration == Self

    var name: String { get }
    /// Set to the container's schema when it is nil.
    var schema: Schema? { get set }
    func validate() throws
}

extension DataStoreConfiguration {
    public func validate() throws {}
}

/// Why a store of an app's own kind does not do what it was asked.
public enum DataStoreError: Error, Hashable, Sendable {
    case unsupportedFeature
    /// Asks SwiftData to fetch without the predicate and to filter itself.
    case preferInMemoryFilter
    /// Asks SwiftData to fetch without an order and to sort itself.
    case preferInMemorySort
    case invalidPredicate
}
