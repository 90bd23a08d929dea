import Behaviours
import Foundation
import SwiftData
import Testing

/// Written down so that a declaration which loses its name, a label, a default or a conformance no longer compiles.
@Suite("Histories, stores and observers are declared as in Apple's interface")
struct StoreAPITests {
    @Test("History", .behaviour("swiftdata.api"))
    func history() throws {
        let container = try ModelContainer(
            for: Note.self, Label.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
        let context = ModelContext(container)
        let note = Note(title: "oak")
        context.insert(note)
        try context.save()
        note.title = "elm"
        try context.save()
        context.delete(note)
        try context.save()
        var descriptor = HistoryDescriptor<DefaultHistoryTransaction>()
        let _ = HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.author == "me" })
        let _ = HistoryDescriptor<DefaultHistoryTransaction>(predicate: nil, sortBy: [SortDescriptor(\.timestamp)])
        descriptor.fetchLimit = 10 as UInt64
        descriptor.predicate = nil
        descriptor.sortBy = []
        let transactions: [DefaultHistoryTransaction] = try context.fetchHistory(descriptor)
        #expect(transactions.count == 3)
        func conforms<T: HistoryTransaction & Hashable & Identifiable & Sendable>(
            _ value: T
        ) -> (T.TokenType, T.TransactionIdentifier) { (value.token, value.transactionIdentifier) }
        for transaction in transactions {
            let _: (DefaultHistoryToken, Int64) = conforms(transaction)
            let _: (Int64, Date, [HistoryChange]) = (transaction.id, transaction.timestamp, transaction.changes)
            let _: (String, String, String, String?) = (
                transaction.storeIdentifier, transaction.bundleIdentifier, transaction.processIdentifier,
                transaction.author
            )
            for change in transaction.changes { inspect(change) }
        }
        func conforms<T: HistoryToken & Codable & Comparable & Hashable & Identifiable & Sendable>(_ token: T) {}
        let token = transactions[0].token
        conforms(token)
        let _: DefaultHistoryToken.TokenType? = token.tokenValue
        let _: [String: Int64]? = token.tokenValue
        let _: Int = token.id
    }

    private func inspect(_ change: HistoryChange) {
        let _: PersistentIdentifier = change.changedPersistentIdentifier
        func identifiers(_ change: Int64, _ transaction: Int64, _ model: PersistentIdentifier) {}
        switch change {
        case .insert(let insert as DefaultHistoryInsert<Note>):
            let _: any HistoryInsert<Note> = insert
            identifiers(insert.changeIdentifier, insert.transactionIdentifier, insert.changedPersistentIdentifier)
        case .update(let update as DefaultHistoryUpdate<Note>):
            let _: any HistoryUpdate<Note> = update
            let attributes: [any PartialKeyPath<Note> & Sendable] = update.updatedAttributes
            #expect(attributes.contains { $0 == \Note.title })
            identifiers(update.changeIdentifier, update.transactionIdentifier, update.changedPersistentIdentifier)
        case .delete(let delete as DefaultHistoryDelete<Note>):
            let _: any HistoryDelete<Note> = delete
            let tombstone: HistoryTombstone<Note> = delete.tombstone
            let _: (any Sendable)? = tombstone[\.title]
            for _ in tombstone {}
            identifiers(delete.changeIdentifier, delete.transactionIdentifier, delete.changedPersistentIdentifier)
        default: Issue.record("a change of another kind")
        }
    }

    @Test("Requests and results of stores", .behaviour("swiftdata.api"))
    func requests() throws {
        func fetch(_ request: DataStoreFetchRequest<Note>) {
            let _: (FetchDescriptor<Note>, EditingState) = (request.descriptor, request.editingState)
        }
        func save(_ request: DataStoreSaveChangesRequest<DefaultSnapshot>) {
            let _: [[DefaultSnapshot]] = [request.inserted, request.updated, request.deleted]
            let _: EditingState = request.editingState
        }
        func delete(_ request: DataStoreBatchDeleteRequest<Note>) {
            let _: (EditingState, Predicate<Note>?, Bool) = (
                request.editingState, request.predicate, request.includeSubclasses
            )
        }
        let fetched = DataStoreFetchResult<Note, DefaultSnapshot>(
            descriptor: FetchDescriptor<Note>(), fetchedSnapshots: [], relatedSnapshots: [:])
        let _: [DefaultSnapshot] = fetched.fetchedSnapshots
        let _: [PersistentIdentifier: DefaultSnapshot] = fetched.relatedSnapshots
        let _: FetchDescriptor<Note> = fetched.descriptor
        let _ = DataStoreSaveChangesResult<DefaultSnapshot>(for: "store")
        let saved = DataStoreSaveChangesResult<DefaultSnapshot>(
            for: "store", remappedIdentifiers: [:], snapshotsToReregister: [:])
        #expect(saved.storeIdentifier == "store")
        let _: [PersistentIdentifier: PersistentIdentifier] = saved.remappedIdentifiers
        let _: [PersistentIdentifier: DefaultSnapshot] = saved.snapshotsToReregister
        func conforms<T: Identifiable & Sendable>(_ value: T.Type) {}
        conforms(EditingState.self)
        let _: (EditingState) -> (UUID, String?) = { ($0.id, $0.author) }
        let errors: [DataStoreError] = [
            .unsupportedFeature, .preferInMemoryFilter, .preferInMemorySort, .invalidPredicate,
        ]
        #expect(errors.count == 4)
        let keys: [any CodingKey] = [
            DataStoreSnapshotCodingKey.persistentIdentifier, DataStoreSnapshotCodingKey.modeledProperty("title"),
        ]
        #expect(keys[1].stringValue == "title")
        let _: any DataStoreSnapshotValue = "text"
        func conforms<T: DataStore & DataStoreBatching & HistoryProviding>(store: T.Type) {}
        conforms(store: DefaultStore.self)
        func conforms<T: DataStoreSnapshot & Codable & Sendable>(snapshot: T.Type) {}
        conforms(snapshot: DefaultSnapshot.self)
    }

    @Test("Observers", .behaviour("swiftdata.api"))
    @MainActor
    func observers() throws {
        let container = try ModelContainer(
            for: Note.self, Label.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
        let context = container.mainContext
        func conforms<T: Observable>(_ value: T) -> T { value }
        let plain = conforms(try ResultsObserver<Note, Never>(modelContext: context))
        let _ = try ResultsObserver<Note, Never>(fetchDescriptor: FetchDescriptor<Note>(), modelContext: context)
        let _ = try ResultsObserver<Note, Never>(fetchDescriptor: FetchDescriptor<Note>(), modelContainer: container)
        let _ = try ResultsObserver<Note, Never>(
            filterBy: #Predicate { $0.rating > 2 }, sortBy: [SortDescriptor(\.title)], modelContext: context)
        let sections = try ResultsObserver<Note, String>(sectionBy: \.title, modelContext: context)
        let _ = try ResultsObserver<Note, String?>(sectionBy: \.body, modelContext: context)
        let _: FetchResultsCollection<Note> = plain.results
        let _: SectionedResults<Note, String>? = sections.sections
        plain.filterBy = nil
        plain.sortBy = [SortDescriptor(\.title)]
        let _: (FetchDescriptor<Note>, ModelContext) = (plain.fetchDescriptor, plain.modelContext)
        let _: (Note) -> IndexPath? = { sections.indexPath(for: $0) }
        let _: (IndexPath) -> Note? = { sections.element(at: $0) }
        func sendable<T: Observable & Sendable>(_ value: T) -> T { value }
        let history = sendable(
            try HistoryObserver(historyTokens: nil, observedModels: [Note.self], authors: [], modelContainer: container)
        )
        let _: Int = history.eventCounter
    }
}
