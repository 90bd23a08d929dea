import Behaviours
import SwiftData
import Testing

private func requests<Snapshot: DataStoreSnapshot>(_ type: Snapshot.Type) {
    let _: KeyPath<DataStoreFetchRequest<Note>, FetchDescriptor<Note>> = \.descriptor
    let _: KeyPath<DataStoreFetchRequest<Note>, EditingState> = \.editingState
    typealias Found = DataStoreFetchResult<Note, Snapshot>
    let _: KeyPath<Found, FetchDescriptor<Note>> = \.descriptor
    let _: KeyPath<Found, [Snapshot]> = \.fetchedSnapshots
    let _: KeyPath<Found, [PersistentIdentifier: Snapshot]> = \.relatedSnapshots
    _ = Found(descriptor: FetchDescriptor(), fetchedSnapshots: [])
    _ = Found(descriptor: FetchDescriptor(), fetchedSnapshots: [], relatedSnapshots: [:])
    typealias Changes = DataStoreSaveChangesRequest<Snapshot>
    let _: [KeyPath<Changes, [Snapshot]>] = [\.inserted, \.updated, \.deleted]
    let _: KeyPath<Changes, EditingState> = \.editingState
    typealias Saved = DataStoreSaveChangesResult<Snapshot>
    let _: KeyPath<Saved, String> = \.storeIdentifier
    let _: KeyPath<Saved, [PersistentIdentifier: PersistentIdentifier]> = \.remappedIdentifiers
    let _: KeyPath<Saved, [PersistentIdentifier: Snapshot]> = \.snapshotsToReregister
    let _: KeyPath<Saved, (any HistoryToken)?> = \.historyToken
    _ = Saved(for: "s")
    _ = Saved(for: "s", remappedIdentifiers: [:], snapshotsToReregister: [:])
    _ = Saved(for: "s", remappedIdentifiers: [:], snapshotsToReregister: [:], historyToken: nil)
    typealias Batch = DataStoreBatchDeleteRequest<Note>
    let _: KeyPath<Batch, EditingState> = \.editingState
    let _: KeyPath<Batch, Predicate<Note>?> = \.predicate
    let _: KeyPath<Batch, Bool> = \.includeSubclasses
    sendable(DataStoreFetchRequest<Note>.self)
    sendable(Found.self)
    sendable(Changes.self)
    sendable(Saved.self)
    sendable(Batch.self)
}

private func snapshots(_ snapshot: DefaultSnapshot) {
    let _: KeyPath<DefaultSnapshot, PersistentIdentifier> = \.persistentIdentifier
    _ = snapshot.copy(persistentIdentifier: snapshot.persistentIdentifier)
    _ = snapshot.copy(persistentIdentifier: snapshot.persistentIdentifier, remappedIdentifiers: [:])
    codable(DefaultSnapshot.self)
    sendable(DefaultSnapshot.self)
    let _: [DataStoreSnapshotCodingKey] = [.persistentIdentifier, .modeledProperty("title")]
    func key<Value: CodingKey & Hashable>(_ type: Value.Type) {}
    key(DataStoreSnapshotCodingKey.self)
    let _: any DataStoreSnapshotValue = "value"
}

private func stores() {
    let _: KeyPath<DefaultStore, String> = \.name
    let _: KeyPath<DefaultStore, String> = \.identifier
    let _: KeyPath<DefaultStore, Schema> = \.schema
    let _: KeyPath<DefaultStore, ModelConfiguration> = \.configuration
    let _: any (DataStore & DataStoreBatching & HistoryProviding).Type = DefaultStore.self
    let _: DefaultStore.Configuration.Type = ModelConfiguration.self
    let _: DefaultStore.Snapshot.Type = DefaultSnapshot.self
    let _: [DataStoreError] = [.unsupportedFeature, .preferInMemoryFilter, .preferInMemorySort, .invalidPredicate]
    error(DataStoreError.self)
    hashable(DataStoreError.self)
}

@Suite("Stores of the public interface")
struct StoresAPITests {
    @Test("Stores, their requests and snapshots", .behaviour("swiftdata.api"))
    func run() throws {
        requests(DefaultSnapshot.self)
        stores()
        let store = try DefaultStore(
            ModelConfiguration("own", schema: Schema([Note.self]), isStoredInMemoryOnly: true))
        #expect(store.name == "own")
        var related: [PersistentIdentifier: any BackingData] = [:]
        let snapshot = DefaultSnapshot(
            from: Note(title: "n").persistentBackingData, relatedBackingDatas: &related)
        snapshots(snapshot)
    }
}
