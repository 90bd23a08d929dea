import Behaviours
import Foundation
import Testing

@testable import SwiftData

@Suite("Fetches over saved and unsaved objects")
struct FetchTests {
    let world: PredicateWorld
    private var context: ModelContext { world.context }

    init() throws { world = try PredicateWorld() }

    private func titles(_ descriptor: FetchDescriptor<Note>) throws -> [String] {
        let found = try context.fetch(descriptor)
        #expect(try context.fetchCount(descriptor) == found.count)
        #expect(try context.fetchIdentifiers(descriptor) == found.map(\.persistentModelID))
        return found.map(\.title)
    }

    @Test("Limit and offset page through what is found in its order")
    func pages() throws {
        var descriptor = FetchDescriptor<Note>(sortBy: [SortDescriptor(\.rating, order: .reverse)])
        descriptor.fetchLimit = 2
        #expect(try titles(descriptor) == ["beta 10", "Alpha"])
        descriptor.fetchOffset = 2
        #expect(try titles(descriptor) == ["Cafe\u{301}", "quiet"])
        descriptor.fetchOffset = 100
        #expect(try titles(descriptor) == [])
        descriptor.fetchLimit = 0
        descriptor.fetchOffset = nil
        #expect(try titles(descriptor) == [])
    }

    @Test(
        "Objects with unsaved changes are found by what they are now, in their places", .behaviour("predicate.pending"))
    func pendingChanges() throws {
        var descriptor = FetchDescriptor<Note>(
            predicate: #Predicate { $0.rating >= 0 }, sortBy: [SortDescriptor(\.rating)])
        #expect(try titles(descriptor) == ["Cafe\u{301}", "quiet", "Alpha", "beta 10"])
        world.notes[0].rating = 30
        world.notes[1].rating = -1
        world.notes[2].rating = 0
        let new = Note("new", rating: 15)
        context.insert(new)
        #expect(try titles(descriptor) == ["beta 9", "Cafe\u{301}", "quiet", "new", "Alpha"])
        descriptor.fetchOffset = 1
        descriptor.fetchLimit = 3
        #expect(try titles(descriptor) == ["Cafe\u{301}", "quiet", "new"])
        context.delete(new)
        context.delete(world.notes[3])
        #expect(try titles(descriptor) == ["quiet", "Alpha"])
    }

    @Test(
        "Unsaved changes of objects that a fetch reaches through relationships count, in conditions and orders",
        .behaviour("predicate.pending-related"))
    func relatedChanges() throws {
        let (alpha, beta, gamma) = (world.notes[0], world.notes[1], world.notes[2])
        let (home, work) = (try #require(alpha.notebook), try #require(beta.notebook))
        let inHome = FetchDescriptor<Note>(predicate: #Predicate { $0.notebook?.name == "Home" })
        #expect(try titles(inHome) == ["Alpha", "Cafe\u{301}"])
        work.name = "Home"
        #expect(try titles(inHome) == ["Alpha", "beta 10", "Cafe\u{301}"])
        home.name = "House"
        #expect(try titles(inHome) == ["beta 10"])
        // Two steps away, and new.
        home.owner?.name = "Eve"
        work.owner = Person(name: "Eve")
        var eves = FetchDescriptor<Note>(
            predicate: #Predicate { $0.notebook?.owner?.name == "Eve" },
            sortBy: [SortDescriptor(\.notebook?.name, order: .reverse), SortDescriptor(\.rating)])
        #expect(try titles(eves) == ["Cafe\u{301}", "Alpha", "beta 10"])
        eves.fetchOffset = 1
        eves.fetchLimit = 1
        #expect(try titles(eves) == ["Alpha"])
        let hot = FetchDescriptor<Note>(predicate: #Predicate { $0.tags.contains { $0.isHot && $0.name == "cold" } })
        #expect(try titles(hot) == [])
        alpha.tags.first { $0.name == "cold" }?.isHot = true
        #expect(try titles(hot) == ["Alpha", "beta 10"])
        let loose = FetchDescriptor<Note>(predicate: #Predicate { $0.notebook == nil })
        context.delete(home)
        #expect(try titles(loose) == ["Alpha", "beta 9", "Cafe\u{301}", "quiet"])
        gamma.parent?.title = "Omega"
        try context.delete(model: Note.self, where: #Predicate { $0.parent?.title == "Omega" })
        #expect(try titles(FetchDescriptor()) == ["Omega", "Cafe\u{301}", "quiet"])
        var stored = inHome
        stored.includePendingChanges = false
        #expect(try titles(stored) == ["Omega", "Cafe\u{301}"])
    }

    @Test("Without them, objects are found by what the store has")
    func storedState() throws {
        world.notes[0].rating = -30
        context.insert(Note("new", rating: 15))
        var descriptor = FetchDescriptor<Note>(predicate: #Predicate { $0.rating > 5 })
        descriptor.includePendingChanges = false
        #expect(try context.fetch(descriptor).map(\.persistentModelID) == world.notes[0...1].map(\.persistentModelID))
    }

    @Test("What would trap in Swift does not for unsaved objects either")
    func noTraps() throws {
        let most = Int.max
        context.insert(Note("new", rating: 15, scores: []))
        #expect(try titles(FetchDescriptor(predicate: #Predicate { $0.rating + most > 0 && $0.rating > 0 })) == [])
        #expect(try titles(FetchDescriptor(predicate: #Predicate { $0.scores[7] == 1 })) == [])
        #expect(try titles(FetchDescriptor(predicate: #Predicate { $0.rating / ($0.rating - $0.rating) > 0 })) == [])
    }

    @Test("An unsaved object is found by its identifier and by its relationships to others")
    func unsavedIdentity() throws {
        let book = Notebook(name: "New")
        let note = Note("new")
        context.insert(book)
        context.insert(note)
        note.notebook = book
        let (id, bookID) = (note.persistentModelID, book.persistentModelID)
        #expect(try titles(FetchDescriptor(predicate: #Predicate { $0.persistentModelID == id })) == ["new"])
        #expect(
            try titles(FetchDescriptor(predicate: #Predicate { $0.notebook?.persistentModelID == bookID })) == ["new"])
        try context.save()
        #expect(try titles(FetchDescriptor(predicate: #Predicate { $0.notebook?.name == "New" })) == ["new"])
        // The identifiers that were given before still name them.
        #expect(note.persistentModelID != id)
        #expect(try titles(FetchDescriptor(predicate: #Predicate { $0.persistentModelID == id })) == ["new"])
        #expect(
            try titles(FetchDescriptor(predicate: #Predicate { $0.notebook?.persistentModelID == bookID })) == ["new"])
    }

    @Test("A fetch that the store cannot answer throws, with unsaved objects and without")
    func unsupported() throws {
        let descriptor = FetchDescriptor<Note>(predicate: #Predicate { $0.summary == "x" })
        #expect(throws: SwiftDataError.unsupportedKeyPath) { try context.fetch(descriptor) }
        context.insert(Note("new"))
        #expect(throws: SwiftDataError.unsupportedKeyPath) { try context.fetchCount(descriptor) }
    }

    @Test("Deleting all that match deletes just these")
    func batchDelete() throws {
        try context.delete(model: Note.self, where: #Predicate { $0.pinned })
        try context.save()
        #expect(try titles(FetchDescriptor()) == ["beta 10", "Cafe\u{301}", "quiet"])
    }
}
