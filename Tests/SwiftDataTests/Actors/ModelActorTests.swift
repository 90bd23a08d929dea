import Behaviours
import Dispatch
import Foundation
import SwiftData
import Testing

@ModelActor
actor Librarian {
    func add(_ title: String) throws -> PersistentIdentifier {
        let note = Note(title: title)
        modelContext.insert(note)
        try modelContext.save()
        return note.persistentModelID
    }

    func title(of id: PersistentIdentifier) -> String? { self[id, as: Note.self]?.title }
    func isNotebook(_ id: PersistentIdentifier) -> Bool { self[id, as: Notebook.self] != nil }

    func remove(_ id: PersistentIdentifier) throws {
        guard let note = self[id, as: Note.self] else { return }
        modelContext.delete(note)
        try modelContext.save()
    }

    var isOnMainThread: Bool { Thread.isMainThread }
    var containsItself: Bool { modelContext.container === modelContainer }

    func count() throws -> Int { try modelContext.fetchCount(FetchDescriptor<Note>()) }

    /// An increment that would lose some if another ran in between.
    func rate(_ id: PersistentIdentifier) throws {
        guard let note = self[id, as: Note.self] else { return }
        note.rating += 1
        try modelContext.save()
    }
}

@Suite("Actors with a context")
struct ModelActorTests {
    @Test("An actor's work runs on its own executor, never on the main thread", .behaviour("swiftdata.actor-executor"))
    func executor() async throws {
        let librarian = Librarian(modelContainer: try .inMemory(Note.self, Label.self))
        #expect(await !librarian.isOnMainThread)
        #expect(await librarian.containsItself)
        let made = await MainActor.run { () -> Librarian in Librarian(modelContainer: librarian.modelContainer) }
        #expect(await !made.isOnMainThread)
    }

    @Test(
        "What an actor saves is found by its identifier in another; what is gone, or of another class, is nil",
        .behaviour("swiftdata.actor-subscript"))
    func identifiers() async throws {
        let container = try ModelContainer.inMemory(Note.self, Label.self)
        let (one, other) = (Librarian(modelContainer: container), Librarian(modelContainer: container))
        let id = try await one.add("A")
        #expect(await other.title(of: id) == "A")
        #expect(await !other.isNotebook(id))
        try await other.remove(id)
        #expect(await Librarian(modelContainer: container).title(of: id) == nil)
    }

    @Test("Calls from many tasks run one at a time")
    func serial() async throws {
        let librarian = Librarian(modelContainer: try .inMemory(Note.self, Label.self))
        let id = try await librarian.add("A")
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<50 { group.addTask { try await librarian.rate(id) } }
            try await group.waitForAll()
        }
        let context = ModelContext(librarian.modelContainer)
        #expect(try context.fetch(FetchDescriptor<Note>()).first?.rating == 53)
    }
}
