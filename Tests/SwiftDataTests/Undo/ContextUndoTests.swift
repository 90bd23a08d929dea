import Behaviours
import SwiftData
import Testing

@Suite("Undo of a context's changes")
struct ContextUndoTests {
    private let container: ModelContainer
    private let context: ModelContext
    private let undo = UndoManager()

    init() throws {
        container = try ModelContainer.inMemory(Note.self, Label.self)
        context = ModelContext(container)
        context.undoManager = undo
    }

    /// What another context finds, once all is saved.
    private func stored<T: PersistentModel>(_ type: T.Type) throws -> [T] {
        try context.save()
        return try ModelContext(container).fetch(FetchDescriptor<T>())
    }

    /// A notebook of two labelled notes, saved; nothing of it can be undone.
    private func makeBook() throws -> Notebook {
        undo.disableUndoRegistration()
        defer { undo.enableUndoRegistration() }
        let book = Notebook(name: "B")
        context.insert(book)
        let label = Label(name: "L")
        for title in ["one", "two"] {
            let note = Note(title: title, notebook: book)
            context.insert(note)
            note.labels = [label]
        }
        try context.save()
        return book
    }

    @Test("There is no undo manager at first")
    func none() { #expect(ModelContext(container).undoManager == nil) }

    @Test("Changed values go back and forth", .behaviour("swiftdata.undo"), arguments: [false, true])
    func values(saving: Bool) throws {
        let note = Note(title: "a")
        context.insert(note)
        try context.save()
        undo.removeAllActions()
        note.title = "b"
        note.title = "c"
        note.body = "text"
        note.place = Place(city: "Bern")
        if saving { try context.save() }
        undo.undo()
        #expect(note.title == "a" && note.body == nil && note.place == nil)
        #expect(try stored(Note.self).first?.title == "a")
        undo.redo()
        #expect(note.title == "c" && note.body == "text" && note.place?.city == "Bern")
        #expect(try stored(Note.self).first?.place?.city == "Bern")
    }

    @Test("An inserted object goes, with all that was inserted with it, and comes back", arguments: [false, true])
    func insertion(saving: Bool) throws {
        let book = Notebook(name: "B")
        let note = Note(title: "a", notebook: book)
        context.insert(note)
        if saving { try context.save() }
        undo.undo()
        #expect(try stored(Note.self).isEmpty)
        #expect(try stored(Notebook.self).isEmpty)
        undo.redo()
        #expect(note.notebook === book && book.notes.map(\.title) == ["a"])
        #expect(try stored(Note.self).first?.notebook?.name == "B")
    }

    @Test(
        "A deleted object comes back with its relationships and what was deleted with it",
        .behaviour("swiftdata.undo-deletion"), arguments: [false, true])
    func deletion(saving: Bool) throws {
        let book = try makeBook()
        let label = try #require(try context.fetch(FetchDescriptor<Label>()).first)
        context.delete(book)
        if saving { try context.save() }
        #expect(label.notes.isEmpty)
        undo.undo()
        #expect(Set(book.notes.map(\.title)) == ["one", "two"])
        #expect(label.notes.count == 2)
        let read = try #require(try stored(Notebook.self).first)
        #expect(Set(read.notes.map(\.title)) == ["one", "two"])
        #expect(read.notes.allSatisfy { $0.labels.map(\.name) == ["L"] })
        undo.redo()
        #expect(try stored(Note.self).isEmpty)
        #expect(try stored(Label.self).first?.notes.isEmpty == true)
        undo.undo()
        #expect(try stored(Notebook.self).first?.notes.count == 2)
    }

    @Test("An object that was never read comes back whole after its deletion was saved")
    func faultDeleted() throws {
        _ = try makeBook()
        let other = ModelContext(container)
        other.undoManager = undo
        let book = try #require(try other.fetch(FetchDescriptor<Notebook>()).first)
        other.delete(book)
        try other.save()
        #expect(try ModelContext(container).fetchCount(FetchDescriptor<Note>()) == 0)
        undo.undo()
        try other.save()
        let read = try #require(try ModelContext(container).fetch(FetchDescriptor<Notebook>()).first)
        #expect(read.name == "B")
        #expect(Set(read.notes.map(\.title)) == ["one", "two"])
        #expect(read.notes.allSatisfy { $0.labels.map(\.name) == ["L"] })
    }

    @Test("Both ends of a relationship go back, whichever was set and whether it was read")
    func relationships() throws {
        let book = try makeBook()
        let fresh = ModelContext(container)
        fresh.undoManager = undo
        let old = try #require(fresh.model(for: book.persistentModelID) as? Notebook)
        let note = try #require(
            try fresh.fetch(FetchDescriptor<Note>(predicate: #Predicate { $0.title == "one" })).first)
        let new = Notebook(name: "N")
        undo.beginUndoGrouping()
        fresh.insert(new)
        undo.endUndoGrouping()
        note.notebook = new
        note.labels = []
        #expect(old.notes.map(\.title) == ["two"])
        undo.undo()
        #expect(note.notebook === old && new.notes.isEmpty && old.notes.count == 2)
        #expect(note.labels.map(\.name) == ["L"] && note.labels.first?.notes.count == 2)
        undo.redo()
        #expect(note.notebook === new && new.notes.count == 1 && note.labels.isEmpty)
        try fresh.save()
        undo.undo()
        undo.undo()
        try fresh.save()
        let books = try ModelContext(container).fetch(FetchDescriptor<Notebook>())
        #expect(books.map(\.name) == ["B"])
        #expect(books.first?.notes.count == 2)
    }

    @Test("Undoing an insertion leaves objects that the inserted one would delete in cascade")
    func insertionAboveOthers() throws {
        let note = Note(title: "a")
        context.insert(note)
        try context.save()
        let book = Notebook(name: "B")
        book.notes = [note]
        undo.undo()
        #expect(note.notebook == nil)
        #expect(try stored(Note.self).count == 1)
        #expect(try stored(Notebook.self).isEmpty)
        undo.redo()
        #expect(try stored(Notebook.self).first?.notes.count == 1)
    }

    @Test("Without events a save ends a step")
    func saveEndsStep() throws {
        let note = Note(title: "a")
        context.insert(note)
        try context.save()
        note.title = "b"
        undo.undo()
        #expect(note.title == "a")
        undo.undo()
        #expect(try stored(Note.self).isEmpty)
    }

    @Test("A rollback ends what could be undone, and so does the context's end")
    func rollback() throws {
        let note = Note(title: "a")
        context.insert(note)
        context.rollback()
        #expect(!undo.canUndo)
        do {
            let other = ModelContext(container)
            other.undoManager = undo
            other.insert(Note(title: "b"))
            #expect(undo.canUndo)
        }
        #expect(!undo.canUndo)
    }

    @Test("An object that was deleted and inserted again before a save is one row with its relationships")
    func insertedAgain() throws {
        let book = try makeBook()
        context.undoManager = nil
        let label = Label(name: "M")
        context.insert(label)
        context.delete(label)
        context.insert(label)
        let note = try #require(book.notes.first)
        context.delete(note)
        #expect(book.notes.count == 1)
        context.insert(note)
        #expect(book.notes.count == 2 && note.notebook === book)
        #expect(Set(try stored(Label.self).map(\.name)) == ["L", "M"])
        #expect(try stored(Notebook.self).first?.notes.count == 2)
    }
}
