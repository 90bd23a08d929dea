import Foundation
import PersistentStore
import Testing

@testable import SwiftData

/// A store with a few notes, and what a predicate finds there in three ways.
struct PredicateWorld {
    let container: ModelContainer
    let context: ModelContext
    let notes: [Note]

    static let day: TimeInterval = 86_400

    init() throws {
        container = try ModelContainer(
            for: Note.self, Memo.self, Notebook.self, Tag.self, Person.self,
            configurations: ModelConfiguration(isStoredInMemoryOnly: true))
        context = ModelContext(container)
        let (hot, cold, warm) = (
            Tag(name: "hot", isHot: true, heat: 9), Tag(name: "cold"), Tag(name: "warm", isHot: true, heat: 3)
        )
        let ann = Person(name: "Ann")
        let (home, work) = (Notebook(name: "Home", shelf: 1), Notebook(name: "Work"))
        home.owner = ann
        let alpha = Note(
            "Alpha", body: "first Caf\u{E9}", rating: 10, weight: 0.5,
            createdAt: .init(timeIntervalSinceReferenceDate: 10),
            dueAt: .init(timeIntervalSinceReferenceDate: 100), kind: .plain, priority: .high,
            place: Place(city: "Rome", zip: 7),
            scores: [10, 20, 3], pinned: true, flagged: true, stars: 3, small: 100)
        let beta = Note(
            "beta 10", rating: 20, weight: 2, createdAt: .init(timeIntervalSinceReferenceDate: 20), kind: .secret,
            place: Place(city: "Oslo"), scores: [], flagged: false, small: -100)
        let gamma = Note(
            "beta 9", body: "", rating: -5, weight: -1, dueAt: .init(timeIntervalSinceReferenceDate: 5), kind: .shared,
            priority: .low, scores: [1], pinned: true, stars: 0)
        let memo = Memo("Cafe\u{301}", reason: "why")
        let quiet = Memo("quiet", reason: nil)
        beta.mood = .wild
        notes = [alpha, beta, gamma, memo, quiet]
        // One at a time, so that their keys are in this order.
        for note in notes {
            context.insert(note)
            try context.save()
        }
        for tag in [hot, cold, warm] { context.insert(tag) }
        (alpha.notebook, beta.notebook, memo.notebook) = (home, work, home)
        alpha.tags = [hot, cold]
        beta.tags = [cold]
        gamma.tags = [hot, warm]
        beta.parent = alpha
        gamma.parent = alpha
        try context.save()
    }

    /// Notes made from a seed.
    init(seed: UInt64) throws {
        container = try ModelContainer(
            for: Note.self, Memo.self, Notebook.self, Tag.self, Person.self,
            configurations: ModelConfiguration(isStoredInMemoryOnly: true))
        context = ModelContext(container)
        var random = SeededRandom(state: seed)
        func some<Value>(_ choices: Value...) -> Value { choices.randomElement(using: &random)! }
        let texts = [
            "", "a", "Caf\u{E9}", "Cafe\u{301}", "cafe", "beta 10", "beta 9", "Home", "Alpha", "e\u{301}\u{E9}",
            "line\r\n",
        ]
        let books = (0..<4).map { _ in Notebook(name: texts.randomElement(using: &random)!, shelf: some(nil, 0, 1, 3)) }
        let tags = (0..<6).map { _ in
            Tag(name: texts.randomElement(using: &random)!, isHot: some(true, false), heat: some(nil, 1, 3))
        }
        var notes: [Note] = []
        for number in 0..<25 {
            let title = texts.randomElement(using: &random)!
            let note =
                number % 6 == 5
                ? Memo(title, reason: some(nil, "", "Home"))
                : Note(
                    title, body: some(nil, "", "a", "Caf\u{E9} beta"),
                    rating: some(0, 1, 2, 3, -5, 10, 1_000), weight: some(0, 0.5, -2),
                    createdAt: .init(timeIntervalSinceReferenceDate: some(0, 5, 10)),
                    dueAt: some(
                        nil, Date(timeIntervalSinceReferenceDate: 5), Date(timeIntervalSinceReferenceDate: 100)),
                    kind: some(.plain, .secret, .shared), priority: some(nil, .low, .high),
                    place: some(nil, Place(city: "Rome", zip: 1), Place(city: "Oslo")),
                    scores: some([], [1], [3, 10, 3]),
                    pinned: some(true, false), flagged: some(nil, true, false), stars: some(nil, 0, 1, 3))
            context.insert(note)
            try context.save()
            notes.append(note)
        }
        self.notes = notes
        for book in books { context.insert(book) }
        for tag in tags { context.insert(tag) }
        let people = ["a", "Home"].map { Person(name: $0) }
        for book in books { book.owner = some(nil, people[0], people[1]) }
        for (number, note) in notes.enumerated() {
            note.parent = some(nil, notes.first, notes[number / 2])
            note.notebook = some(nil, books[0], books[1], books[2], books[3])
            note.tags = tags.filter { _ in some(true, false, false) }
        }
        try context.save()
    }

    /// Predicates that ask for this world's objects too.
    func generator(_ seed: UInt64) -> PredicateGenerator {
        PredicateGenerator(
            random: SeededRandom(state: seed), notes: notes.map(\.persistentModelID),
            notebooks: ((try? context.fetch(FetchDescriptor<Notebook>())) ?? []).map(\.persistentModelID))
    }

    func query(_ predicate: Predicate<Note>, sortBy: [SortDescriptor<Note>] = []) throws -> ModelQuery<Note> {
        let binding = try #require(context.core.bindings.first)
        return try ModelQuery(
            predicate: predicate, sortBy: sortBy, layout: binding.store.layout, storeIdentifier: binding.identifier)
    }

    /// The notes that SQL finds.
    func sql(_ query: StoreQuery) throws -> [Note] {
        let binding = try #require(context.core.bindings.first)
        let rows = try binding.store.read { try $0.identifiers(query) }
        return rows.compactMap { row in
            notes.first { note in
                if case .row(let key) = note.persistentModelID.key { key == row.key } else { false }
            }
        }
    }

    /// SQL, the evaluation in memory and, where it cannot trap, Foundation's own evaluation find these notes.
    func expect(
        _ titles: [String], _ predicate: Predicate<Note>, foundation: Bool = true,
        _ location: SourceLocation = #_sourceLocation
    ) throws {
        let query = try query(predicate)
        #expect(try sql(query.query).map(\.title) == titles, "SQL", sourceLocation: location)
        #expect(notes.filter(query.matches).map(\.title) == titles, "memory", sourceLocation: location)
        let fetched = try context.fetch(FetchDescriptor(predicate: predicate)).map(\.title)
        #expect(fetched == titles, "fetch", sourceLocation: location)
        if foundation {
            let own = notes.filter { (try? predicate.evaluate($0)) ?? false }.map(\.title)
            #expect(own == titles, "Foundation", sourceLocation: location)
        }
    }
}

/// SplitMix64: the same seed, the same predicates.
struct SeededRandom: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }
}
