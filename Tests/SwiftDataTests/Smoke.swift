import SwiftData
import Testing

@Model
final class Note {
    var title: String
    var body: String?
    var rating = 3
    var createdAt: Date = Date()
    var tags: [String] = []
    var kind: Kind = .plain
    var place: Place?
    var notebook: Notebook?
    @Relationship(inverse: \Tag.notes) var labels: [Tag] = []
    @Transient var cache: [Int] = []

    init(title: String, notebook: Notebook? = nil) {
        self.title = title
        self.notebook = notebook
    }
}

enum Kind: String, Codable { case plain, rich }

struct Place: Codable, Equatable {
    var city: String
    var zip: Int?
}

@Model
final class Notebook {
    var name = ""
    @Relationship(deleteRule: .cascade, inverse: \Note.notebook) var notes: [Note]

    init(name: String) {
        self.name = name
        self.notes = []
    }
}

@Model
final class Tag {
    @Attribute(.unique) var name: String
    var notes: [Note] = []
    init(name: String) { self.name = name }
}

@Suite("Models in a container")
struct ModelsInAContainer {
    @Test("Objects that were saved are found by another context, with their relationships")
    func roundTrip() throws {
        let container = try ModelContainer(
            for: Note.self, Tag.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
        let context = ModelContext(container)
        let book = Notebook(name: "B")
        let note = Note(title: "One", notebook: book)
        note.place = Place(city: "Bern", zip: nil)
        note.kind = .rich
        note.tags = ["a", "b"]
        context.insert(note)
        note.labels.append(Tag(name: "x"))
        #expect(book.notes.map(\.title) == ["One"])
        try context.save()
        let other = ModelContext(container)
        let notes = try other.fetch(FetchDescriptor<Note>())
        #expect(notes.count == 1)
        let read = try #require(notes.first)
        #expect(read.title == "One")
        #expect(read.place == Place(city: "Bern", zip: nil))
        #expect(read.kind == .rich)
        #expect(read.tags == ["a", "b"])
        #expect(read.rating == 3)
        #expect(read.notebook?.name == "B")
        #expect(read.notebook?.notes.first === read)
        #expect(read.labels.map(\.name) == ["x"])
        #expect(read.labels.first?.notes.first === read)
    }
}
