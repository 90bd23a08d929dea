import Behaviours
import SwiftData
import Testing

private typealias Transaction = DefaultHistoryTransaction

private func transactions() {
    let _: KeyPath<Transaction, Int64> = \.id
    let _: KeyPath<Transaction, Date> = \.timestamp
    let _: KeyPath<Transaction, [HistoryChange]> = \.changes
    let _: KeyPath<Transaction, DefaultHistoryToken> = \.token
    let _: KeyPath<Transaction, Int64> = \.transactionIdentifier
    let _: [KeyPath<Transaction, String>] = [\.storeIdentifier, \.bundleIdentifier, \.processIdentifier]
    let _: KeyPath<Transaction, String?> = \.author
    let _: Transaction.TokenType.Type = DefaultHistoryToken.self
    let _: Transaction.TransactionIdentifier.Type = Int64.self
    hashable(Transaction.self)
    sendable(Transaction.self)
    identifiable(Transaction.self, by: Int64.self)
    let _: KeyPath<DefaultHistoryToken, [String: Int64]?> = \.tokenValue
    let _: DefaultHistoryToken.TokenType.Type = [String: Int64].self
    identifiable(DefaultHistoryToken.self, by: Int.self)
    codable(DefaultHistoryToken.self)
    comparable(DefaultHistoryToken.self)
    hashable(DefaultHistoryToken.self)
    sendable(DefaultHistoryToken.self)
}

private func changes(_ change: HistoryChange) {
    let _: KeyPath<HistoryChange, PersistentIdentifier> = \.changedPersistentIdentifier
    switch change {
    case .insert(let insert as DefaultHistoryInsert<Note>):
        let _: (Int64, Int64) = (insert.changeIdentifier, insert.transactionIdentifier)
    case .update(let update as DefaultHistoryUpdate<Note>):
        let _: [any PartialKeyPath<Note> & Sendable] = update.updatedAttributes
        let _: [any DefaultHistoryUpdate<Note>.PropertyUpdate] = update.updatedAttributes
    case .delete(let delete as DefaultHistoryDelete<Note>):
        let _: (any Sendable)? = delete.tombstone[\.title]
        for value in delete.tombstone { let _: Any = value }
    default: break
    }
    sendable(HistoryChange.self)
    hashable(DefaultHistoryInsert<Note>.self)
    hashable(DefaultHistoryUpdate<Note>.self)
    hashable(DefaultHistoryDelete<Note>.self)
    let _: HistoryTombstone<Note>.Element.Type = Any.self
}

private func descriptors() {
    typealias Descriptor = HistoryDescriptor<Transaction>
    let _: WritableKeyPath<Descriptor, Predicate<Transaction>?> = \.predicate
    let _: WritableKeyPath<Descriptor, UInt64> = \.fetchLimit
    let _: WritableKeyPath<Descriptor, [SortDescriptor<Transaction>]> = \.sortBy
    let _: (Predicate<Transaction>?) -> Descriptor = Descriptor.init(predicate:)
    let _: (Predicate<Transaction>?, [SortDescriptor<Transaction>]) -> Descriptor = Descriptor.init(predicate:sortBy:)
}

/// A transaction of an app's own kind, with a token that is no `HistoryToken`.
private struct Own: HistoryTransaction {
    struct Place: Comparable, Hashable, Identifiable {
        var id: Int

        static func < (lhs: Self, rhs: Self) -> Bool { lhs.id < rhs.id }
    }

    var id: Int { transactionIdentifier }
    var timestamp = Date.distantPast
    var changes: [HistoryChange] { [] }
    var token: Place { Place(id: transactionIdentifier) }
    var transactionIdentifier = 1
    var storeIdentifier = "own"
    var author: String?

    static func == (lhs: Self, rhs: Self) -> Bool { lhs.id == rhs.id }
    func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

@Suite("History and observers of the public interface")
struct HistoryAPITests {
    let container: ModelContainer
    let context: ModelContext

    init() throws {
        container = try ModelContainer(for: Note.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
        context = ModelContext(container)
    }

    @Test("Transactions, changes and descriptors", .behaviour("swiftdata.api"))
    func run() throws {
        transactions()
        descriptors()
        let note = Note(title: "n")
        context.insert(note)
        try context.save()
        context.delete(note)
        try context.save()
        for transaction in try context.fetchHistory(HistoryDescriptor<Transaction>()) {
            transaction.changes.forEach(changes)
        }
        try context.deleteHistory(HistoryDescriptor<Transaction>())
        #expect(throws: SwiftDataError.invalidTransactionFetchRequest) {
            try context.fetchHistory(HistoryDescriptor<Own>())
        }
        let _: DefaultHistoryTransaction.Type = DefaultStore.historyType
        let _: DefaultStore.TokenType.Type = DefaultHistoryToken.self
    }

    @Test("A results observer is made in twelve ways")
    func observers() throws {
        for title in ["b", "a"] { context.insert(Note(title: title)) }
        try context.save()
        let descriptor = FetchDescriptor<Note>(sortBy: [SortDescriptor(\.title)])
        let order = [SortDescriptor(\Note.title)]
        let plain: [ResultsObserver<Note, Never>] = [
            try ResultsObserver(fetchDescriptor: descriptor, modelContext: context),
            try ResultsObserver(fetchDescriptor: descriptor, modelContainer: container),
            try ResultsObserver(filterBy: nil, sortBy: order, modelContext: context),
            try ResultsObserver(filterBy: nil, sortBy: order, modelContainer: container),
        ]
        for observer in plain { #expect(observer.results.map(\.title) == ["a", "b"]) }
        let titled: [ResultsObserver<Note, String>] = [
            try ResultsObserver(fetchDescriptor: descriptor, sectionBy: \.title, modelContext: context),
            try ResultsObserver(fetchDescriptor: descriptor, sectionBy: \.title, modelContainer: container),
            try ResultsObserver(filterBy: nil, sortBy: order, sectionBy: \.title, modelContext: context),
            try ResultsObserver(filterBy: nil, sortBy: order, sectionBy: \.title, modelContainer: container),
        ]
        for observer in titled { #expect(observer.sections?.sectionTitles == ["a", "b"]) }
        let optional: [ResultsObserver<Note, String?>] = [
            try ResultsObserver(fetchDescriptor: descriptor, sectionBy: \.body, modelContext: context),
            try ResultsObserver(fetchDescriptor: descriptor, sectionBy: \.body, modelContainer: container),
            try ResultsObserver(filterBy: nil, sortBy: order, sectionBy: \.body, modelContext: context),
            try ResultsObserver(filterBy: nil, sortBy: order, sectionBy: \.body, modelContainer: container),
        ]
        for observer in optional { #expect(observer.sections?.sectionTitles == [nil]) }
        debugDescribable(ResultsObserver<Note, Never>.self)
    }

    @Test("A section is found by its title")
    func sections() throws {
        for (title, body) in [("1", "x"), ("2", "y"), ("3", "x")] {
            let note = Note(title: title)
            note.body = body
            context.insert(note)
        }
        try context.save()
        let observer = try ResultsObserver<Note, String?>(
            sortBy: [SortDescriptor(\.title)], sectionBy: \.body, modelContext: context)
        let sections: SectionedResults<Note, String?> = try #require(observer.sections)
        #expect(sections.sectionTitles == ["x", "y"])
        #expect(sections.contains(sectionTitle: "y") && !sections.contains(sectionTitle: "z"))
        #expect(sections.index(ofSectionTitled: "y") == 1 && sections.index(ofSectionTitled: "z") == nil)
        let section: ResultsSection<Note, String?> = try #require(sections[sectionTitle: "x"])
        #expect(section.map(\.title) == ["1", "3"] && section.id == "x")
        #expect(sections[sectionTitle: "z"] == nil)
        #expect(sections == observer.sections)
    }

    @Test("A history observer tells what it observes")
    func historyObserver() throws {
        let observer = try HistoryObserver(observedModels: [Note.self], authors: ["me"], modelContainer: container)
        #expect(observer.modelContainer == container && observer.authors == ["me"])
        #expect(observer.observedModels.count == 1 && observer.eventCounter == 0)
        sendable(HistoryObserver.self)
    }
}
