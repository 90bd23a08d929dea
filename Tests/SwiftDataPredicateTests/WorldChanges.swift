import Foundation

@testable import SwiftData

/// Changes of a world from a seed, none of them saved.
struct WorldChanges {
    private let context: ModelContext
    private var random: SeededRandom
    private(set) var notes: [Note]
    private var notebooks: [Notebook]
    private var tags: [Tag]
    private var people: [Person]

    init(_ world: PredicateWorld, seed: UInt64) throws {
        context = world.context
        random = SeededRandom(state: seed &+ 77)
        notes = world.notes
        notebooks = try context.fetch(FetchDescriptor())
        tags = try context.fetch(FetchDescriptor())
        people = try context.fetch(FetchDescriptor())
    }

    private mutating func some<Value>(_ choices: Value...) -> Value { choices.randomElement(using: &random)! }
    private mutating func one<Value>(of choices: [Value]) -> Value? { choices.randomElement(using: &random) }

    mutating func makeSome() {
        for _ in 0..<some(1, 2, 4) { makeOne() }
    }

    private mutating func makeOne() {
        switch random.next() % 12 {
        case 0: one(of: notebooks)?.name = some("a", "Home", "Alpha", "")
        case 1: one(of: notebooks)?.shelf = some(nil, 0, 1, 3)
        case 2: one(of: people)?.name = some("a", "Home")
        case 3:
            let tag = one(of: tags)
            tag?.isHot.toggle()
            tag?.heat = some(nil, 1, 3)
        case 4: one(of: notes)?.rating = some(0, 2, -5, 10)
        case 5: one(of: notes)?.notebook = one(of: notebooks)
        case 6: one(of: notebooks)?.owner = some(nil, one(of: people))
        case 7: one(of: notes)?.tags = tags.filter { _ in some(true, false, false) }
        case 8: insertNote()
        case 9:
            guard notes.count > 10, let note = one(of: notes) else { return }
            context.delete(note)
            notes.removeAll { $0 === note }
        case 10:
            guard notebooks.count > 2, let notebook = one(of: notebooks) else { return }
            context.delete(notebook)
            notebooks.removeAll { $0 === notebook }
        default:
            let notebook = Notebook(name: some("a", "Home"), shelf: some(nil, 3))
            context.insert(notebook)
            notebook.notes = notes.filter { _ in some(true, false, false, false) }
            notebooks.append(notebook)
        }
    }

    private mutating func insertNote() {
        let note = Note(some("new", "a"), rating: some(0, 3), scores: some([], [3]), stars: some(nil, 1))
        context.insert(note)
        note.notebook = one(of: notebooks)
        note.tags = tags.filter { _ in some(true, false) }
        note.parent = one(of: notes)
        notes.append(note)
    }
}
