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
public struct DataStoreFetchResult<ModelType: PersistentModel, SnapshotType: DataStoreSnapshot>: Sendable {
    public let descriptor: FetchDescriptor<ModelType>
    /// In the descriptor's order.
    public let fetchedSnapshots: [SnapshotType]
    /// Objects that the found ones lead to. Those that are left out are fetched when they are needed.
    public let relatedSnapshots: [PersistentIdentifier: SnapshotType]

    public init(
        descriptor: FetchDescriptor<ModelType>, fetchedSnapshots: [SnapshotType],
        relatedSnapshots: [PersistentIdentifier: SnapshotType] = [:]
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
public struct DataStoreSaveChangesRequest<SnapshotType: DataStoreSnapshot>: Sendable {
    public let editingState: EditingState
    /// With temporary identifiers: the result says which ones the store gave them.
    public let inserted: [SnapshotType]
    public let updated: [SnapshotType]
    public let deleted: [SnapshotType]
}

/// What a store made of a context's changes.
public final class DataStoreSaveChangesResult<T: DataStoreSnapshot>: Sendable {
    public let storeIdentifier: String
    /// The identifiers of new objects by their temporary ones.
    public let remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]
    /// Objects whose values the store changed while it saved.
    public let snapshotsToReregister: [PersistentIdentifier: T]
    /// The place of the save in the store's history.
    public let historyToken: (any HistoryToken)?

    public convenience init(
        for storeIdentifier: String, remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier] = [:],
        snapshotsToReregister: [PersistentIdentifier: T] = [:]
    ) {
        self.init(
            for: storeIdentifier, remappedIdentifiers: remappedIdentifiers,
            snapshotsToReregister: snapshotsToReregister, historyToken: nil)
    }

    public init(
        for storeIdentifier: String, remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier] = [:],
        snapshotsToReregister: [PersistentIdentifier: T] = [:], historyToken: (any HistoryToken)?
    ) {
        self.historyToken = historyToken
        self.storeIdentifier = storeIdentifier
        self.remappedIdentifiers = remappedIdentifiers
        self.snapshotsToReregister = snapshotsToReregister
    }
}
