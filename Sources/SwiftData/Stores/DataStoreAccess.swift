/// A store of an app's own kind with its snapshots brought into one form.
protocol DataStoreAccessing {
    var identifier: String { get }
    func fetch<Model: PersistentModel>(
        _ request: DataStoreFetchRequest<Model>
    ) throws -> (fetched: [DefaultSnapshot], related: [DefaultSnapshot])
    func count<Model: PersistentModel>(_ request: DataStoreFetchRequest<Model>) throws -> Int
    func identifiers<Model: PersistentModel>(
        _ request: DataStoreFetchRequest<Model>
    ) throws -> [PersistentIdentifier]
    func cached(_ identifier: PersistentIdentifier, _ editingState: EditingState) throws -> [DefaultSnapshot]
    func save(
        inserted: [any PersistentModel], updated: [any PersistentModel], deleted: [any PersistentModel],
        _ editingState: EditingState
    ) throws -> (remapped: [PersistentIdentifier: PersistentIdentifier], changed: [DefaultSnapshot])
    /// Whether the store can be asked for it.
    var deletesInBatches: Bool { get }
    func delete<Model: PersistentModel>(_ request: DataStoreBatchDeleteRequest<Model>) throws
    /// Nil when the store has no history of such transactions.
    func fetchHistory<Transaction>(_ descriptor: HistoryDescriptor<Transaction>) throws -> [Transaction]?
    /// Whether the store has a history of such transactions.
    func deleteHistory<Transaction>(_ descriptor: HistoryDescriptor<Transaction>) throws -> Bool
    func erase() throws
    func initializeState(_ editingState: EditingState)
    func invalidateState(_ editingState: EditingState)
}

struct DataStoreAccess<Store: DataStore>: DataStoreAccessing {
    let store: Store

    var identifier: String { store.identifier }

    func fetch<Model: PersistentModel>(
        _ request: DataStoreFetchRequest<Model>
    ) throws -> (fetched: [DefaultSnapshot], related: [DefaultSnapshot]) {
        let result = try store.fetch(request)
        return (
            try general(result.fetchedSnapshots), try general(result.relatedSnapshots.values)
        )
    }

    func count<Model: PersistentModel>(_ request: DataStoreFetchRequest<Model>) throws -> Int {
        try store.fetchCount(request)
    }

    func identifiers<Model: PersistentModel>(
        _ request: DataStoreFetchRequest<Model>
    ) throws -> [PersistentIdentifier] {
        try store.fetchIdentifiers(request)
    }

    func cached(_ identifier: PersistentIdentifier, _ editingState: EditingState) throws -> [DefaultSnapshot] {
        try general(store.cachedSnapshots(for: [identifier], editingState: editingState).values)
    }

    func save(
        inserted: [any PersistentModel], updated: [any PersistentModel], deleted: [any PersistentModel],
        _ editingState: EditingState
    ) throws -> (remapped: [PersistentIdentifier: PersistentIdentifier], changed: [DefaultSnapshot]) {
        let result = try store.save(
            DataStoreSaveChangesRequest(
                editingState: editingState, inserted: snapshots(of: inserted),
                updated: snapshots(of: updated), deleted: snapshots(of: deleted)))
        return (result.remappedIdentifiers, try general(result.snapshotsToReregister.values))
    }

    var deletesInBatches: Bool { store is any DataStoreBatching }

    func delete<Model: PersistentModel>(_ request: DataStoreBatchDeleteRequest<Model>) throws {
        try (store as? any DataStoreBatching)?.delete(request)
    }

    func fetchHistory<Transaction>(_ descriptor: HistoryDescriptor<Transaction>) throws -> [Transaction]? {
        func ask<Provider: HistoryProviding>(_ provider: Provider) throws -> [Transaction]? {
            guard let descriptor = descriptor as? HistoryDescriptor<Provider.HistoryType> else { return nil }
            return try provider.fetchHistory(descriptor) as? [Transaction]
        }
        guard let provider = store as? any HistoryProviding else { return nil }
        return try ask(provider)
    }

    func deleteHistory<Transaction>(_ descriptor: HistoryDescriptor<Transaction>) throws -> Bool {
        func ask<Provider: HistoryProviding>(_ provider: Provider) throws -> Bool {
            guard let descriptor = descriptor as? HistoryDescriptor<Provider.HistoryType> else { return false }
            try provider.deleteHistory(descriptor)
            return true
        }
        guard let provider = store as? any HistoryProviding else { return false }
        return try ask(provider)
    }

    func erase() throws { try store.erase() }
    func initializeState(_ editingState: EditingState) { store.initializeState(for: editingState) }
    func invalidateState(_ editingState: EditingState) { store.invalidateState(for: editingState) }
}

// In functions of the snapshot's type alone: closures may hold that, which can be sent, but not a store's type.

private func snapshots<Snapshot: DataStoreSnapshot>(of models: [any PersistentModel]) -> [Snapshot] {
    func make<Model: PersistentModel>(_ model: Model) -> Snapshot {
        var related: [PersistentIdentifier: any BackingData] = [:]
        return Snapshot(from: _ModelBackingData(model), relatedBackingDatas: &related)
    }
    return models.map { make($0) }
}

private func general<Snapshot: DataStoreSnapshot>(_ snapshots: some Sequence<Snapshot>) throws -> [DefaultSnapshot] {
    try snapshots.map { snapshot in
        if let snapshot = snapshot as? DefaultSnapshot { return snapshot }
        return try JSONDecoder.ofSnapshots.decode(
            DefaultSnapshot.self, from: JSONEncoder.ofSnapshots.encode(snapshot))
    }
}

extension JSONEncoder {
    static var ofSnapshots: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        return encoder
    }
}

extension JSONDecoder {
    static var ofSnapshots: JSONDecoder {
        let decoder = JSONDecoder()
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        return decoder
    }
}
