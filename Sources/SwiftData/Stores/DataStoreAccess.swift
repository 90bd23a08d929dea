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
            try result.fetchedSnapshots.map(Self.general), try result.relatedSnapshots.values.map(Self.general)
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
        try store.cachedSnapshots(for: [identifier], editingState: editingState).values.map(Self.general)
    }

    func save(
        inserted: [any PersistentModel], updated: [any PersistentModel], deleted: [any PersistentModel],
        _ editingState: EditingState
    ) throws -> (remapped: [PersistentIdentifier: PersistentIdentifier], changed: [DefaultSnapshot]) {
        let result = try store.save(
            DataStoreSaveChangesRequest(
                editingState: editingState, inserted: inserted.map(Self.snapshot),
                updated: updated.map(Self.snapshot), deleted: deleted.map(Self.snapshot)))
        return (result.remappedIdentifiers, try result.snapshotsToReregister.values.map(Self.general))
    }

    func erase() throws { try store.erase() }
    func initializeState(_ editingState: EditingState) { store.initializeState(for: editingState) }
    func invalidateState(_ editingState: EditingState) { store.invalidateState(for: editingState) }

    private static func snapshot(of model: any PersistentModel) -> Store.Snapshot {
        func make<Model: PersistentModel>(_ model: Model) -> Store.Snapshot {
            var related: [PersistentIdentifier: any BackingData] = [:]
            return Store.Snapshot(from: _ModelBackingData(model), relatedBackingDatas: &related)
        }
        return make(model)
    }

    private static func general(_ snapshot: Store.Snapshot) throws -> DefaultSnapshot {
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
