import Behaviours
import Foundation
import SwiftData
import Testing

/// Leads to others that lead nowhere.
@Model
private final class Pin {
    var name: String
    var board: Board?
    var frame: Frame

    init(_ name: String, frame: Frame) {
        self.name = name
        self.frame = frame
    }
}

@Model
private final class Board {
    var name = "board"

    init() {}
}

@Model
private final class Frame {
    var name = "frame"

    init() {}
}

/// An entity as it was when all of it could be missing.
private enum Loose {
    @Model final class Item {
        var name: String?
        var count: Int?
        var tag: String?
        var place: Place?

        init() {}
    }
}

/// The same, now that nothing of it can.
private enum Strict {
    @Model final class Item {
        var name: String = "unnamed"
        var count = 7
        var place = Place(city: "Rome")

        init() {}
    }
}

/// The same with a value that nothing stands for.
private enum Undecided {
    @Model final class Item {
        var name: String?
        var tag: String

        init(tag: String) { self.tag = tag }
    }
}

@Suite("What is not there any more")
final class MissingTests {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)

    deinit { try? FileManager.default.removeItem(at: folder) }

    private func container(_ types: any PersistentModel.Type..., file: String = "a.store") throws -> ModelContainer {
        try ModelContainer(
            for: Schema(types), configurations: ModelConfiguration(url: folder.appending(path: file)))
    }

    @Test(
        "An object whose row another context deleted, or erased, is read without a trap", .behaviour("swiftdata.gone"))
    func deletedElsewhere() throws {
        let container = try container(Note.self)
        let context = ModelContext(container)
        for title in ["a", "b", "c"] { context.insert(Note(title: title, notebook: Notebook(name: title))) }
        try context.save()
        let other = ModelContext(container)
        var descriptor = FetchDescriptor<Note>(sortBy: [SortDescriptor(\.title)])
        let identifiers = try other.fetchIdentifiers(descriptor)
        descriptor.fetchLimit = 1
        let read = try #require(try other.fetch(descriptor).first)
        try context.delete(model: Note.self, where: #Predicate { $0.title != "c" })
        try context.save()
        // What was read stays as it was read.
        #expect(read.title == "a" && read.labels.isEmpty)
        let never = try #require(other.model(for: identifiers[1]) as? Note)
        #expect(never.title == "" && never.tags.isEmpty && never.notebook == nil)
        #expect(never.isDeleted)
        try container.erase()
        let erased = try #require(other.model(for: identifiers[2]) as? Note)
        #expect(erased.title == "" && erased.isDeleted)
        #expect(try other.fetchCount(FetchDescriptor<Note>()) == 0)
    }

    @Test("What a relationship without an inverse led to is gone, and says so", .behaviour("swiftdata.gone"))
    func noInverse() throws {
        let container = try container(Pin.self, Board.self, Frame.self)
        let context = ModelContext(container)
        let pin = Pin("p", frame: Frame())
        context.insert(pin)
        pin.board = Board()
        try context.save()
        try context.delete(model: Board.self)
        try context.delete(model: Frame.self)
        try context.save()
        let other = ModelContext(container)
        let found = try #require(try other.fetch(FetchDescriptor<Pin>()).first)
        #expect(found.frame.name == "frame" || found.frame.name == "")
        #expect(found.frame.isDeleted)
        if let board = found.board {
            _ = board.name
            #expect(board.isDeleted)
        }
        let named = FetchDescriptor<Pin>(
            predicate: #Predicate { $0.board?.name == "board" || $0.frame.name == "frame" })
        #expect(try other.fetchCount(named) == 0)
        found.name = "q"
        try other.save()
    }

    @Test(
        "What a row does not have where its class needs it reads as the default", .behaviour("swiftdata.missing-values")
    )
    func missingValues() throws {
        do {
            let context = ModelContext(try container(Loose.Item.self))
            context.insert(Loose.Item())
            try context.save()
        }
        let context = ModelContext(try container(Strict.Item.self))
        let item = try #require(try context.fetch(FetchDescriptor<Strict.Item>()).first)
        #expect(item.name == "unnamed" && item.count == 7 && item.place.city == "Rome")
    }

    @Test(
        "A store whose rows lack what a class needs, and nothing stands for, is refused and left as it is",
        .behaviour("swiftdata.missing-values"))
    func noDefault() throws {
        do {
            let context = ModelContext(try container(Loose.Item.self))
            context.insert(Loose.Item())
            try context.save()
        }
        #expect(throws: (any Error).self) { try container(Undecided.Item.self) }
        let context = ModelContext(try container(Loose.Item.self))
        #expect(try context.fetchCount(FetchDescriptor<Loose.Item>()) == 1)
    }

    @Test("A file that is no store is refused and left as it is", .behaviour("swiftdata.no-store"))
    func noStore() throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let file = folder.appending(path: "b.store")
        let bytes = Data("This is a letter, and no store.".utf8) + Data(repeating: 7, count: 5000)
        try bytes.write(to: file)
        #expect(throws: SwiftDataError.loadIssueModelContainer) { try container(Note.self, file: "b.store") }
        #expect(try Data(contentsOf: file) == bytes)
        #expect(throws: SwiftDataError.loadIssueModelContainer) { try container(Note.self, file: "b.store") }
    }
}
