import Behaviours
import Foundation
import Observation
import SwiftData
import Synchronization
import Testing

@Suite("Results and history that are followed")
struct ObserverTests {
    private let container: ModelContainer
    private let context: ModelContext

    init() throws {
        container = try .inMemory(Note.self, Label.self)
        context = ModelContext(container)
    }

    /// How often observers of a value are told that it changes: once, until they look again.
    private func observe(_ count: Counter, _ read: () -> Void) {
        withObservationTracking(read) { count.raise() }
    }

    private final class Counter: Sendable {
        private let value = Atomic(0)
        var count: Int { value.load(ordering: .acquiring) }
        func raise() { value.add(1, ordering: .acquiringAndReleasing) }
    }

    private func saveElsewhere(_ title: String, author: String? = nil) throws {
        let other = ModelContext(container)
        other.author = author
        other.insert(Note(title: title))
        try other.save()
    }

    @Test(
        "Results follow what other contexts save and what waits in their own, and observers are told",
        .behaviour("swiftdata.results-observer"))
    func results() throws {
        let observer = try ResultsObserver<Note, Never>(
            sortBy: [SortDescriptor(\Note.title)], modelContext: context)
        let told = Counter()
        observe(told) { #expect(observer.results.isEmpty) }
        try saveElsewhere("B")
        #expect(told.count == 1)
        observe(told) { #expect(observer.results.map(\.title) == ["B"]) }
        let note = Note(title: "A")
        context.insert(note)
        #expect(told.count == 2)
        observe(told) { #expect(observer.results.map(\.title) == ["A", "B"]) }
        note.title = "C"
        #expect(told.count == 3)
        observe(told) { #expect(observer.results.map(\.title) == ["B", "C"]) }
        context.rollback()
        #expect(told.count == 4)
        #expect(observer.results.map(\.title) == ["B"])
        #expect(observer.sections == nil)
    }

    @Test("Another condition or order is another fetch")
    func descriptor() throws {
        for title in ["A", "B", "C"] { try saveElsewhere(title) }
        let observer = try ResultsObserver<Note, Never>(
            filterBy: #Predicate { $0.title != "B" }, sortBy: [SortDescriptor(\.title)], modelContext: context)
        #expect(observer.results.map(\.title) == ["A", "C"])
        let told = Counter()
        observe(told) { _ = observer.results }
        observer.filterBy = nil
        #expect(told.count == 1)
        observer.sortBy = [SortDescriptor(\.title, order: .reverse)]
        #expect(observer.results.map(\.title) == ["C", "B", "A"])
        let last = try #require(observer.element(at: [0, 2]))
        #expect(last.title == "A")
        #expect(observer.indexPath(for: last) == [0, 2])
        #expect(observer.element(at: [0, 3]) == nil && observer.element(at: [1, 0]) == nil)
    }

    @Test("Sections come in the order of their first elements", .behaviour("swiftdata.results-sections"))
    func sections() throws {
        for title in ["b1", "a1", "b2"] {
            let note = Note(title: title)
            context.insert(note)
        }
        try context.save()
        let observer = try ResultsObserver(
            fetchDescriptor: FetchDescriptor<Note>(sortBy: [SortDescriptor(\.title)]),
            sectionBy: \Note.section, modelContext: context)
        let sections = try #require(observer.sections)
        #expect(sections.map(\.title) == ["a", "b"])
        #expect(sections.map { $0.map(\.title) } == [["a1"], ["b1", "b2"]])
        let note = try #require(observer.element(at: [1, 1]))
        #expect(note.title == "b2")
        #expect(observer.indexPath(for: note) == [1, 1])
    }

    @Test(
        "A history observer counts the saves of its models and authors, and those since its tokens",
        .behaviour("swiftdata.history-observer"))
    func history() throws {
        try saveElsewhere("before", author: "other")
        let first = try #require(
            try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).last)
        let notes = try HistoryObserver(
            historyTokens: nil, observedModels: [Note.self], authors: ["other"], modelContainer: container)
        let labels = try HistoryObserver(historyTokens: nil, observedModels: [Label.self], modelContainer: container)
        let told = Counter()
        observe(told) { #expect(notes.eventCounter == 0) }
        try saveElsewhere("A", author: "me")
        #expect(told.count == 0)
        try saveElsewhere("B", author: "other")
        #expect(told.count == 1)
        #expect(notes.eventCounter == 1)
        #expect(labels.eventCounter == 0)
        let late = try HistoryObserver(
            historyTokens: [first.storeIdentifier: first.token], observedModels: [Note.self], modelContainer: container)
        #expect(late.eventCounter == 1)
    }
}

extension Note {
    fileprivate var section: String { String(title.prefix(1)) }
}
