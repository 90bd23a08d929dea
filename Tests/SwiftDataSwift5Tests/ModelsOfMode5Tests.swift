import Behaviours
import SwiftData
import Testing

// Classes as guides print them: no `final`, no defaults, values set in `init`.

@Model
class Note {
    var title: String
    var body: String
    var createdAt: Date
    var tags: [String]
    var folder: Folder?

    init(title: String, body: String) {
        self.title = title
        self.body = body
        self.createdAt = Date()
        self.tags = []
    }
}

@Model
class Folder {
    var name: String
    var notes: [Note]?

    init(name: String) { self.name = name }
}

@Model
final class PinnedNote {
    var id: UUID
    var title: String
    var body: String
    var isPinned: Bool
    var updatedAt: Date

    init(title: String = "", body: String = "", isPinned: Bool = false) {
        self.id = UUID()
        self.title = title
        self.body = body
        self.isPinned = isPinned
        self.updatedAt = .now
    }
}

@Suite("Models as guides print them, in language mode 5")
struct ModelsOfMode5Tests {
    @Test(
        "Values and relationships are kept; an inverse that nobody names is found",
        .behaviour("swiftdata.inferred-inverse"))
    func notes() throws {
        let schema = Schema([Note.self])
        let configuration = ModelConfiguration(schema: schema, isStoredInMemoryOnly: true)
        let container = try ModelContainer(for: schema, configurations: [configuration])
        let context = ModelContext(container)
        let note = Note(title: "One", body: "b")
        note.tags = ["swift"]
        note.folder = Folder(name: "f")
        context.insert(note)
        try context.save()
        let other = ModelContext(container)
        let folder = try #require(try other.fetch(FetchDescriptor<Folder>()).first)
        #expect(folder.notes?.map(\.title) == ["One"])
        #expect(folder.notes?.first?.tags == ["swift"])
        #expect(schema.entitiesByName["Folder"]?.relationshipsByName["notes"]?.inverseName == "folder")
    }

    @Test(
        "A class with an id of its own is found by it and by its persistent identifier", .behaviour("swiftdata.own-id"))
    @MainActor
    func ownIdentifier() throws {
        let container = try ModelContainer(
            for: PinnedNote.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
        let context = container.mainContext
        context.insert(PinnedNote(title: "Hello CloudKit", body: "Synced across devices!"))
        context.insert(PinnedNote(title: "Shopping list", body: "Milk, eggs, coffee"))
        try context.save()
        let notes = try context.fetch(FetchDescriptor<PinnedNote>(sortBy: [SortDescriptor(\.title)]))
        #expect(notes.map(\.title) == ["Hello CloudKit", "Shopping list"])
        #expect(Set(notes.map(\.id)).count == 2)
        #expect(context.model(for: notes[0].persistentModelID) === notes[0])
    }
}
