import Behaviours
import Foundation
import SwiftData
import Testing

/// An app's own kind of store that keeps its objects in a default one, and counts what it is asked.
final class CountingStore: DataStore, DataStoreBatching, HistoryProviding {
    struct Configuration: DataStoreConfiguration {
        typealias Store = CountingStore

        let name: String
        var schema: Schema?
        let url: URL
    }

    typealias Snapshot = DefaultSnapshot
    typealias HistoryType = DefaultHistoryTransaction

    let configuration: Configuration
    let store: DefaultStore
    private(set) var saved: [(inserted: Int, updated: Int, deleted: Int)] = []
    private(set) var batches = 0

    var identifier: String { store.identifier }
    var schema: Schema { store.schema }

    init(_ configuration: Configuration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
        self.configuration = configuration
        store = try DefaultStore(
            ModelConfiguration(schema: configuration.schema, url: configuration.url), migrationPlan: migrationPlan)
        Self.last = self
    }

    // The tests of the suite run one after the other.
    nonisolated(unsafe) static weak var last: CountingStore?

    func erase() throws { try store.erase() }

    func fetch<T>(_ request: DataStoreFetchRequest<T>) throws -> DataStoreFetchResult<T, DefaultSnapshot> {
        try store.fetch(request)
    }

    func fetchCount<T>(_ request: DataStoreFetchRequest<T>) throws -> Int { try store.fetchCount(request) }

    func save(
        _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
    ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
        saved.append((request.inserted.count, request.updated.count, request.deleted.count))
        return try store.save(request)
    }

    func delete<T>(_ request: DataStoreBatchDeleteRequest<T>) throws {
        batches += 1
        try store.delete(request)
    }

    func fetchHistory(
        _ descriptor: HistoryDescriptor<DefaultHistoryTransaction>
    ) throws -> [DefaultHistoryTransaction] { try store.fetchHistory(descriptor) }

    func deleteHistory(_ descriptor: HistoryDescriptor<DefaultHistoryTransaction>) throws {
        try store.deleteHistory(descriptor)
    }
}

@Suite("The default store within an app's own", .serialized)
final class DefaultStoreTests {
    let url = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).store")

    deinit {
        for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: url.path + suffix) }
    }

    private func context() throws -> ModelContext {
        ModelContext(
            try ModelContainer(for: Note.self, configurations: CountingStore.Configuration(name: "own", url: url)))
    }

    private func titles(_ context: ModelContext, _ predicate: Predicate<Note>? = nil) throws -> [String] {
        try context.fetch(FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.title)])).map(\.title)
    }

    @Test("What is inserted, changed and deleted is in the default store's file", .behaviour("swiftdata.default-store"))
    func keeps() throws {
        let context = try context()
        let notebook = Notebook(name: "n")
        context.insert(notebook)
        for title in ["a", "b", "c"] {
            let note = Note(title: title, notebook: notebook)
            note.place = Place(city: title, zip: 1)
            note.tags = [title, "x"]
            context.insert(note)
        }
        try context.save()
        let first = try #require(
            try context.fetch(FetchDescriptor<Note>(predicate: #Predicate { $0.title == "a" })).first)
        first.title = "changed"
        first.notebook = nil
        try context.save()
        let second = try #require(
            try context.fetch(FetchDescriptor<Note>(predicate: #Predicate { $0.title == "b" })).first)
        context.delete(second)
        try context.save()
        let store = try #require(CountingStore.last)
        #expect(store.saved.map(\.inserted) == [4, 0, 0])
        #expect(store.saved.map(\.deleted) == [0, 0, 1])

        // The file is one that a container of its own opens.
        let plain = ModelContext(
            try ModelContainer(for: Note.self, configurations: ModelConfiguration(url: url)))
        #expect(try titles(plain) == ["c", "changed"])
        let notes = try plain.fetch(FetchDescriptor<Note>(sortBy: [SortDescriptor(\.title)]))
        #expect(notes.map(\.place) == [Place(city: "c", zip: 1), Place(city: "a", zip: 1)])
        #expect(notes.map(\.tags) == [["c", "x"], ["a", "x"]])
        #expect(notes.map { $0.notebook?.name } == ["n", nil])
    }

    @Test(
        "A condition that is all a save deletes goes to the store as such; nothing of it is kept before the save",
        .behaviour("swiftdata.batch-delete"))
    func batches() throws {
        let context = try context()
        for title in ["a", "b", "c"] { context.insert(Note(title: title)) }
        try context.save()
        let store = try #require(CountingStore.last)
        try context.delete(model: Note.self, where: #Predicate { $0.title > "a" })
        #expect(store.batches == 0)
        #expect(try titles(self.context()) == ["a", "b", "c"])
        context.rollback()
        try context.save()
        #expect(store.batches == 0)
        try context.delete(model: Note.self, where: #Predicate { $0.title > "a" })
        try context.save()
        #expect(store.batches == 1)
        #expect(store.saved.count == 1)
        #expect(try titles(context) == ["a"])
        #expect(try titles(self.context()) == ["a"])
    }

    @Test("Together with other changes the objects of a condition are part of the one save")
    func mixedBatches() throws {
        let context = try context()
        for title in ["a", "b"] { context.insert(Note(title: title)) }
        try context.save()
        let store = try #require(CountingStore.last)
        try context.delete(model: Note.self, where: #Predicate { $0.title == "b" })
        context.insert(Note(title: "c"))
        try context.save()
        #expect(store.batches == 0)
        #expect(store.saved.last?.inserted == 1 && store.saved.last?.deleted == 1)
        #expect(try titles(self.context()) == ["a", "c"])
    }

    @Test("The history of the default store is the app's own store's", .behaviour("swiftdata.store-history"))
    func history() throws {
        let context = try context()
        context.author = "me"
        context.insert(Note(title: "a"))
        try context.save()
        let transactions = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
        #expect(transactions.map(\.author) == ["me"])
        #expect(transactions.first?.changes.count == 1)
        try context.deleteHistory(HistoryDescriptor<DefaultHistoryTransaction>())
        #expect(try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).isEmpty)
    }

    @Test("A store without a schema is refused")
    func noSchema() {
        #expect(throws: SwiftDataError.unknownSchema) {
            try DefaultStore(ModelConfiguration(isStoredInMemoryOnly: true), migrationPlan: nil)
        }
    }

    @Test("One container has an app's own store and a default one")
    func mixedContainer() throws {
        let configurations: [any DataStoreConfiguration] = [
            ModelConfiguration("tasks", schema: Schema([Label.self]), isStoredInMemoryOnly: true),
            CountingStore.Configuration(name: "own", url: url),
        ]
        let container = try ModelContainer(
            for: Schema([Note.self, Label.self]), configurations: configurations)
        #expect(container.configurations.map(\.name) == ["tasks"])
    }
}
