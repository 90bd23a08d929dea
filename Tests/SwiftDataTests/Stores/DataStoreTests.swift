import Behaviours
import SwiftData
import Testing

@Suite("Stores of an app's own kind")
struct DataStoreTests {
    /// A file that goes with the test.
    final class File {
        let url = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).json")
        deinit { try? FileManager.default.removeItem(at: url) }

        func context(refusesToSave: Bool = false) throws -> ModelContext {
            ModelContext(
                try ModelContainer(
                    for: Note.self,
                    configurations: JSONStore.Configuration(name: "json", url: url, refusesToSave: refusesToSave)))
        }
    }

    let file = File()

    private func titles(
        _ context: ModelContext, _ predicate: Predicate<Note>? = nil, _ order: SortOrder = .forward
    ) throws -> [String] {
        try context.fetch(FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.title, order: order)]))
            .map(\.title)
    }

    @Test(
        "Objects are inserted, found by predicate and order, and read again by another container",
        .behaviour("swiftdata.custom-store"))
    func insertsAndFetches() throws {
        let context = try file.context()
        for (number, title) in ["b", "a", "c"].enumerated() {
            let note = Note(title: title)
            note.rating = number
            note.tags = [title, "x"]
            note.mood = .busy(number)
            note.place = Place(city: "Rome", zip: number)
            note.counts = [title: number]
            context.insert(note)
        }
        try context.save()
        for context in [context, try file.context()] {
            #expect(try titles(context) == ["a", "b", "c"])
            #expect(try titles(context, nil, .reverse) == ["c", "b", "a"])
            #expect(try titles(context, #Predicate { $0.rating >= 1 }) == ["a", "c"])
            #expect(try context.fetchCount(FetchDescriptor<Note>()) == 3)
            #expect(try context.fetchCount(FetchDescriptor<Note>(predicate: #Predicate { $0.title == "a" })) == 1)
            #expect(try context.fetchIdentifiers(FetchDescriptor<Note>()).count == 3)
            let found = try #require(
                try context.fetch(FetchDescriptor<Note>(predicate: #Predicate { $0.title == "c" })).first)
            #expect(found.rating == 2 && found.tags == ["c", "x"] && found.mood == .busy(2))
            #expect(found.place == Place(city: "Rome", zip: 2) && found.counts == ["c": 2] && found.body == nil)
            #expect(found.persistentModelID.storeIdentifier == file.url.lastPathComponent)
        }
    }

    @Test("A limit and an offset hold where the store ignores them")
    func pages() throws {
        let context = try file.context()
        for title in ["d", "b", "a", "c"] { context.insert(Note(title: title)) }
        try context.save()
        var descriptor = FetchDescriptor<Note>(sortBy: [SortDescriptor(\.title)])
        descriptor.fetchOffset = 1
        descriptor.fetchLimit = 2
        #expect(try context.fetch(descriptor).map(\.title) == ["b", "c"])
        #expect(try context.fetchCount(descriptor) == 2)
    }

    @Test("Unsaved changes are found by what they are now")
    func findsUnsavedChanges() throws {
        let context = try file.context()
        let note = Note(title: "a")
        context.insert(note)
        try context.save()
        note.title = "z"
        context.insert(Note(title: "y"))
        #expect(try titles(context) == ["y", "z"])
        #expect(try titles(context, #Predicate { $0.title == "a" }) == [])
        context.rollback()
        #expect(try titles(context) == ["a"])
    }

    @Test("Updates and deletes reach the file and other contexts")
    func updatesAndDeletes() throws {
        let context = try file.context()
        let other = try file.context()
        let first = Note(title: "a")
        let second = Note(title: "b")
        context.insert(first)
        context.insert(second)
        try context.save()
        #expect(try titles(other) == ["a", "b"])
        first.title = "changed"
        first.body = "text"
        context.delete(second)
        try context.save()
        #expect(try titles(other) == ["changed"])
        first.body = nil
        try context.save()
        let reread = try #require(try other.fetch(FetchDescriptor<Note>()).first)
        #expect(reread.body == nil)
        #expect(reread.persistentModelID == first.persistentModelID)
        reread.title = "from the other"
        try other.save()
        #expect(try titles(context) == ["from the other"])
        #expect(first.title == "from the other")
    }

    @Test("Relationships are kept on both sides, and followed after reopening")
    func keepsRelationships() throws {
        let context = try file.context()
        let notebook = Notebook(name: "n")
        context.insert(notebook)
        let first = Note(title: "a", notebook: notebook)
        let second = Note(title: "b", notebook: notebook)
        first.labels = [Label(name: "red"), Label(name: "blue")]
        context.insert(first)
        context.insert(second)
        try context.save()

        let reopened = try file.context()
        let note = try #require(
            try reopened.fetch(FetchDescriptor<Note>(predicate: #Predicate { $0.title == "a" })).first)
        #expect(note.notebook?.name == "n")
        #expect(Set(note.labels.map(\.name)) == ["red", "blue"])
        #expect(Set(note.notebook?.notes.map(\.title) ?? []) == ["a", "b"])
        #expect(try titles(reopened, #Predicate { $0.notebook?.name == "n" }) == ["a", "b"])
        note.notebook = nil
        note.labels.removeAll { $0.name == "red" }
        try reopened.save()

        let third = try file.context()
        let book = try #require(try third.fetch(FetchDescriptor<Notebook>()).first)
        #expect(book.notes.map(\.title) == ["b"])
        third.delete(book)
        try third.save()
        let last = try file.context()
        #expect(try titles(last) == ["a"])
        #expect(try last.fetch(FetchDescriptor<Note>()).first?.labels.map(\.name) == ["blue"])
    }

    @Test("An identifier leads to its object in a context that has not read it")
    func findsByIdentifier() throws {
        let context = try file.context()
        let note = Note(title: "a")
        context.insert(note)
        let temporary = note.persistentModelID
        try context.save()
        let identifier = note.persistentModelID
        #expect(identifier != temporary)
        #expect(context.model(for: temporary) === note)
        #expect(context.model(for: identifier) === note)
        let other = try file.context()
        #expect((other.model(for: identifier) as? Note)?.title == "a")
        #expect(try titles(other, #Predicate { $0.persistentModelID == identifier }) == ["a"])
        let unknown = try PersistentIdentifier.identifier(
            for: file.url.lastPathComponent, entityName: "Note", primaryKey: "none")
        #expect(other.model(for: unknown).isDeleted)
    }

    @Test("What a store refuses to save stays unsaved in the context", .behaviour("swiftdata.custom-store-failure"))
    func failedSaveKeepsChanges() throws {
        let context = try file.context(refusesToSave: true)
        context.insert(Note(title: "a"))
        #expect(throws: CocoaError.self) { try context.save() }
        #expect(context.hasChanges)
        #expect(context.insertedModelsArray.count == 1)
        #expect(!FileManager.default.fileExists(atPath: file.url.path))
    }

    @Test("Erasing a container erases the store")
    func erases() throws {
        let context = try file.context()
        context.insert(Note(title: "a"))
        try context.save()
        try context.container.erase()
        #expect(try file.context().fetch(FetchDescriptor<Note>()).isEmpty)
    }
}
