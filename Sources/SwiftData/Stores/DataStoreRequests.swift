/// What a context asks of a store.
public struct DataStoreFetchRequest<T: PersistentModel>: Sendable {
    /// SwiftData skips `fetchOffset` objects itself: the descriptor has a limit that is larger by as much instead.
    public let descriptor: FetchDescriptor<T>
    public let editingState: EditingState

    init(_ descriptor: FetchDescriptor<T>, _ editingState: EditingState) {
        self.descriptor = descriptor
        self.editingState = editingState
    }
}

/// What a store found.
public struct DataStoreFetchResult<T: PersistentModel, Snapshot: DataStoreSnapshot>: Sendable {
    public let descriptor: FetchDescriptor<T>
    /// In the descriptor's order.
    public let fetchedSnapshots: [Snapshot]
    /// Objects that the found ones lead to. Those that are left out are fetched when they are needed.
    public let relatedSnapshots: [PersistentIdentifier: Snapshot]

    public init(
        descriptor: FetchDescriptor<T>, fetchedSnapshots: [Snapshot],
        relatedSnapshots: [PersistentIdentifier: Snapshot] = [:]
    ) {
        self.descriptor = descriptor
        self.fetchedSnapshots = fetchedSnapshots
        self.relatedSnapshots = relatedSnapshots
    }
}

/// All objects that match are to be deleted.
public struct DataStoreBatchDeleteRequest<T: PersistentModel>: Sendable {
    public let editingState: EditingState
    /// Nil for all objects.
    public let predicate: Predicate<T>?
    public let includeSubclasses: Bool
}

/// What a context wants kept.
public struct DataStoreSaveChangesRequest<Snapshot: DataStoreSnapshot>: Sendable {
    public let editingState: EditingState
    /// With temporary identifiers: the result says which ones the store gave them.
    public let inserted: [Snapshot]
    public let updated: [Snapshot]
    public let deleted: [Snapshot]
}

/// What a store made of a context's changes.
public final class DataStoreSaveChangesResult<T: DataStoreSnapshot> {
    public let storeIdentifier: String
    /// The identifiers of new objects by their temporary ones.
    public let remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]
    /// Objects whose values the store changed while it saved.
    public let snapshotsToReregister: [PersistentIdentifier: T]

    public init(
        for storeIdentifier: String, remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier] = [:],
        snapshotsToReregister: [PersistentIdentifier: T] = [:]
    ) {
        self.storeIdentifier = storeIdentifier
        self.remappedIdentifiers = remappedIdentifiers
        self.snapshotsToReregister = snapshotsToReregister
    }
}
