import SwiftData
import Testing

/// A store with a snapshot type of its own, which keeps titles only, in capitals, and orders by itself.
private final class CapitalsStore: DataStore {
    struct Configuration: DataStoreConfiguration {
        typealias Store = CapitalsStore

        var name = "capitals"
        var schema: Schema?
    }

    struct Snapshot: DataStoreSnapshot {
        var persistentIdentifier: PersistentIdentifier
        var title: String

        init(
            from backingData: any BackingData, relatedBackingDatas: inout [PersistentIdentifier: any BackingData]
        ) {
            let note = backingData as? any BackingData<Note>
            title = note?.getValue(forKey: \.title) ?? ""
            // Objects have an identifier from the moment they are saved.
            persistentIdentifier = backingData.persistentModelID!
        }

        func copy(
            persistentIdentifier: PersistentIdentifier,
            remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]?
        ) -> Snapshot {
            var copy = self
            copy.persistentIdentifier = persistentIdentifier
            return copy
        }
    }

    let configuration: Configuration
    let identifier = "capitals of \(UUID().uuidString)"
    var schema: Schema { configuration.schema ?? Schema() }
    private var kept: [PersistentIdentifier: Snapshot] = [:]

    init(_ configuration: Configuration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
        self.configuration = configuration
    }

    func fetch<T>(_ request: DataStoreFetchRequest<T>) throws -> DataStoreFetchResult<T, Snapshot> {
        if request.descriptor.predicate != nil { throw DataStoreError.unsupportedFeature }
        return DataStoreFetchResult(
            descriptor: request.descriptor, fetchedSnapshots: kept.values.sorted { $0.title > $1.title })
    }

    func save(_ request: DataStoreSaveChangesRequest<Snapshot>) throws -> DataStoreSaveChangesResult<Snapshot> {
        var remapped: [PersistentIdentifier: PersistentIdentifier] = [:]
        var changed: [PersistentIdentifier: Snapshot] = [:]
        for snapshot in request.inserted + request.updated {
            var permanent = snapshot.persistentIdentifier
            if permanent.storeIdentifier == nil {
                permanent = try .identifier(for: identifier, entityName: "Note", primaryKey: kept.count)
                remapped[snapshot.persistentIdentifier] = permanent
            }
            var copy = snapshot.copy(persistentIdentifier: permanent)
            copy.title = copy.title.uppercased()
            kept[permanent] = copy
            changed[permanent] = copy
        }
        return DataStoreSaveChangesResult(
            for: identifier, remappedIdentifiers: remapped, snapshotsToReregister: changed)
    }
}

@Suite("Stores with snapshots of their own")
struct OwnSnapshotTests {
    @Test("The store's order holds, and values that it changed while it saved are read")
    func readsOwnSnapshots() throws {
        let container = try ModelContainer(for: Note.self, configurations: CapitalsStore.Configuration())
        let context = ModelContext(container)
        let notes = ["a", "c", "b"].map { Note(title: $0) }
        notes.forEach(context.insert)
        try context.save()
        #expect(try context.fetch(FetchDescriptor<Note>()).map(\.title) == ["C", "B", "A"])
        #expect(notes[0].title == "A")
        notes[0].title = "d"
        try context.save()
        let other = ModelContext(container)
        #expect(try other.fetch(FetchDescriptor<Note>()).map(\.title) == ["D", "C", "B"])
    }

    @Test("What a store throws reaches the one who fetches")
    func passesErrorsOn() throws {
        let context = ModelContext(
            try ModelContainer(for: Note.self, configurations: CapitalsStore.Configuration()))
        #expect(throws: DataStoreError.unsupportedFeature) {
            try context.fetch(FetchDescriptor<Note>(predicate: #Predicate { $0.title == "A" }))
        }
        #expect(throws: DataStoreError.unsupportedFeature) { try context.container.erase() }
    }
}
