import Behaviours
import SwiftData
import Testing

@Suite("Contexts")
struct ContextTests {
    @Test(
        "Objects that were saved are found by another context, with their relationships and values of every kind",
        .behaviour("swiftdata.round-trip"))
    func roundTrip() throws {
        let container = try ModelContainer.inMemory(Note.self, Label.self)
        let context = ModelContext(container)
        let book = Notebook(name: "B")
        let note = Note(title: "One", notebook: book)
        note.place = Place(city: "Bern", zip: nil, point: .init(x: 1, y: 2), names: ["a", "b"])
        note.kind = .rich
        note.mood = .busy(3)
        note.tags = ["a", "b"]
        note.counts = ["x": 1]
        context.insert(note)
        note.labels.append(Label(name: "x"))
        #expect(book.notes.map(\.title) == ["One"])
        try context.save()
        let other = ModelContext(container)
        let read = try #require(try other.fetch(FetchDescriptor<Note>()).first)
        #expect(read.title == "One")
        #expect(read.place == Place(city: "Bern", zip: nil, point: .init(x: 1, y: 2), names: ["a", "b"]))
        #expect(read.kind == .rich)
        #expect(read.mood == .busy(3))
        #expect(read.tags == ["a", "b"])
        #expect(read.counts == ["x": 1])
        #expect(read.rating == 3)
        #expect(read.body == nil)
        #expect(read.createdAt == Date(timeIntervalSinceReferenceDate: 1))
        #expect(read.notebook?.name == "B")
        #expect(read.notebook?.notes.first === read)
        #expect(read.labels.map(\.name) == ["x"])
        #expect(read.labels.first?.notes.first === read)
        #expect(read == note)
        #expect(read.persistentModelID == note.persistentModelID)
    }

    @Test("Each type with a column of its own reads as it was written", .behaviour("swiftdata.columns"))
    func everything() throws {
        let container = try ModelContainer.inMemory(Everything.self)
        let context = ModelContext(container)
        let written = Everything()
        context.insert(written)
        try context.save()
        let read = try #require(try ModelContext(container).fetch(FetchDescriptor<Everything>()).first)
        #expect(read !== written)
        for property in ModelDescription.of(Everything.self).properties {
            #expect(property.storeValue(of: read) == property.storeValue(of: written), "\(property.name)")
        }
    }

    @Test("One context has one object for each row", .behaviour("swiftdata.uniquing"))
    func uniquing() throws {
        let container = try ModelContainer.inMemory(Note.self, Label.self)
        let context = ModelContext(container)
        let note = Note(title: "One")
        context.insert(note)
        try context.save()
        let again = try context.fetch(FetchDescriptor<Note>())
        #expect(again.count == 1)
        #expect(again.first === note)
        #expect(context.model(for: note.persistentModelID) === note)
        #expect(context.registeredModel(for: note.persistentModelID) as Note? === note)
    }

    @Test(
        "Both ends of a relationship change at once, whichever is set, before and after inserting",
        .behaviour("swiftdata.inverses"))
    func inverses() throws {
        let container = try ModelContainer.inMemory(Note.self, Label.self)
        for inserts in [false, true] {
            let context = ModelContext(container)
            let first = Notebook(name: "1")
            let second = Notebook(name: "2")
            let note = Note(title: "n")
            if inserts { [first, second].forEach(context.insert) }
            note.notebook = first
            #expect(first.notes.first === note)
            second.notes = [note]
            #expect(note.notebook === second)
            #expect(first.notes.isEmpty)
            second.notes.removeAll()
            #expect(note.notebook == nil)
            let label = Label(name: "l")
            label.notes.append(note)
            #expect(note.labels.first === label)
            note.labels = []
            #expect(label.notes.isEmpty)
        }
    }

    @Test("What init put into a relationship is known to the other end once it is inserted")
    func initRelationships() throws {
        let container = try ModelContainer.inMemory(Note.self, Label.self)
        let context = ModelContext(container)
        let book = Notebook(name: "b")
        context.insert(book)
        for index in 0..<3 { context.insert(Note(title: "\(index)", notebook: book)) }
        #expect(book.notes.map(\.title) == ["0", "1", "2"])
        try context.save()
        let read = try #require(try ModelContext(container).fetch(FetchDescriptor<Notebook>()).first)
        #expect(read.notes.map(\.title).sorted() == ["0", "1", "2"])
    }

    @Test("A to-many that was not read yet takes additions and removals", .behaviour("swiftdata.unread-to-many"))
    func unreadToMany() throws {
        let container = try ModelContainer.inMemory(Note.self, Label.self)
        let context = ModelContext(container)
        let book = Notebook(name: "b")
        context.insert(book)
        for index in 0..<3 { context.insert(Note(title: "\(index)", notebook: book)) }
        try context.save()
        let other = ModelContext(container)
        let notes = try other.fetch(FetchDescriptor<Note>()).sorted { $0.title < $1.title }
        let same = try #require(notes[0].notebook)
        notes[0].notebook = nil
        other.insert(Note(title: "3", notebook: same))
        #expect(same.notes.map(\.title).sorted() == ["1", "2", "3"])
        try other.save()
        let last = try #require(try ModelContext(container).fetch(FetchDescriptor<Notebook>()).first)
        #expect(last.notes.map(\.title).sorted() == ["1", "2", "3"])
    }

    @Test(
        "Deleting cascades, nullifies, and leaves values to whoever still holds the object",
        .behaviour("swiftdata.delete-rules"))
    func deleteRules() throws {
        let container = try ModelContainer.inMemory(Note.self, Label.self)
        let context = ModelContext(container)
        let book = Notebook(name: "b")
        let label = Label(name: "l")
        context.insert(book)
        context.insert(label)
        let note = Note(title: "n", notebook: book)
        context.insert(note)
        note.labels = [label]
        try context.save()
        let other = ModelContext(container)
        let doomed = try #require(try other.fetch(FetchDescriptor<Notebook>()).first)
        let survivor = try #require(try other.fetch(FetchDescriptor<Label>()).first)
        other.delete(doomed)
        #expect(doomed.isDeleted)
        #expect(survivor.notes.isEmpty)
        #expect(try other.fetch(FetchDescriptor<Note>()).isEmpty)
        try other.save()
        #expect(try other.fetchCount(FetchDescriptor<Note>()) == 0)
        #expect(try other.fetchCount(FetchDescriptor<Label>()) == 1)
        // In the context that did not know: the values that were read stay, and nothing traps.
        #expect(note.title == "n")
        #expect(book.name == "b")
        #expect(doomed.name == "b")
        let gone = ModelContext(container).model(for: note.persistentModelID)
        #expect(gone.isDeleted)
        #expect((gone as? Note)?.title == "")
        #expect((gone as? Note)?.kind == .plain)
        #expect((gone as? Note)?.labels.isEmpty == true)
    }

    @Test("Rolling back brings back what was saved and forgets what was inserted", .behaviour("swiftdata.rollback"))
    func rollback() throws {
        let container = try ModelContainer.inMemory(Note.self, Label.self)
        let context = ModelContext(container)
        let book = Notebook(name: "b")
        let note = Note(title: "n", notebook: book)
        context.insert(note)
        try context.save()
        note.title = "changed"
        note.notebook = nil
        context.delete(book)
        context.insert(Note(title: "new"))
        #expect(context.hasChanges)
        context.rollback()
        #expect(!context.hasChanges)
        #expect(note.title == "n")
        #expect(note.notebook === book)
        #expect(book.notes.first === note)
        #expect(!book.isDeleted)
        #expect(try context.fetch(FetchDescriptor<Note>()).count == 1)
    }

    @Test("A transaction that throws leaves nothing", .behaviour("swiftdata.transaction"))
    func transaction() throws {
        struct Stop: Error {}
        let container = try ModelContainer.inMemory(Note.self, Label.self)
        let context = ModelContext(container)
        #expect(throws: Stop.self) {
            try context.transaction {
                context.insert(Note(title: "n"))
                throw Stop()
            }
        }
        #expect(try context.fetchCount(FetchDescriptor<Note>()) == 0)
        try context.transaction { context.insert(Note(title: "n")) }
        #expect(try ModelContext(container).fetchCount(FetchDescriptor<Note>()) == 1)
    }

    @Test("Saving a second object with a unique value changes the first", .behaviour("swiftdata.upsert"))
    func upsert() throws {
        let container = try ModelContainer.inMemory(Note.self, Label.self)
        let context = ModelContext(container)
        let first = Label(name: "x", color: "red")
        context.insert(first)
        try context.save()
        let second = Label(name: "x", color: "blue")
        let note = Note(title: "n")
        context.insert(second)
        context.insert(note)
        note.labels = [second]
        try context.save()
        #expect(try context.fetchCount(FetchDescriptor<Label>()) == 1)
        #expect(first.color == "blue")
        #expect(first == second)
        let read = try #require(try ModelContext(container).fetch(FetchDescriptor<Note>()).first)
        #expect(read.labels.map(\.color) == ["blue"])
    }

    @Test(
        "Two contexts that change one object's different properties both keep theirs",
        .behaviour("swiftdata.merged-changes"))
    func mergedChanges() throws {
        let container = try ModelContainer.inMemory(Note.self, Label.self)
        let one = ModelContext(container)
        let note = Note(title: "n")
        one.insert(note)
        try one.save()
        let two = ModelContext(container)
        let same = try #require(try two.fetch(FetchDescriptor<Note>()).first)
        note.title = "title of one"
        same.body = "body of two"
        try one.save()
        try two.save()
        #expect(same.title == "title of one")
        _ = try one.fetch(FetchDescriptor<Note>())
        #expect(note.body == "body of two")
    }

    @Test(
        "Subclasses are kept with their own properties and fetched with their superclass",
        .behaviour("swiftdata.inheritance"))
    func subclasses() throws {
        let container = try ModelContainer.inMemory(Vehicle.self, Truck.self, Person.self)
        let context = ModelContext(container)
        let person = Person(name: "p")
        let truck = Truck(plate: "T")
        truck.owner = person
        truck.load = 2.5
        context.insert(truck)
        context.insert(Vehicle(wheels: 4))
        try context.save()
        let other = ModelContext(container)
        let vehicles = try other.fetch(FetchDescriptor<Vehicle>()).sorted { $0.wheels < $1.wheels }
        #expect(vehicles.map(\.wheels) == [4, 6])
        let read = try #require(vehicles.last as? Truck)
        #expect(read.plate == "T")
        #expect(read.load == 2.5)
        #expect(read.owner?.name == "p")
        #expect(read.owner?.vehicles?.first === read)
        let tricycles = try ModelContainer.inMemory(Vehicle.self, Tricycle.self, Person.self)
        let writer = ModelContext(tricycles)
        writer.insert(Tricycle())
        try writer.save()
        #expect(try ModelContext(tricycles).fetch(FetchDescriptor<Vehicle>()).first is Tricycle)
        #expect(try other.fetch(FetchDescriptor<Truck>()).count == 1)
        read.load = 3
        read.wheels = 8
        try other.save()
        #expect(try ModelContext(container).fetch(FetchDescriptor<Truck>()).first?.load == 3)
        try other.delete(model: Vehicle.self, includeSubclasses: false)
        try other.save()
        #expect(try other.fetch(FetchDescriptor<Vehicle>()).map(\.wheels) == [8])
    }

    @Test(
        "Observers of a property run when it is set, and not when it is read from a row",
        .behaviour("swiftdata.property-observers"))
    func propertyObservers() throws {
        let container = try ModelContainer.inMemory(Watched.self)
        let context = ModelContext(container)
        let watched = Watched()
        context.insert(watched)
        watched.value = 2
        #expect(watched.events == ["will 2", "did 0 to 2"])
        try context.save()
        let read = try #require(try ModelContext(container).fetch(FetchDescriptor<Watched>()).first)
        #expect(read.value == 2)
        #expect(read.events.isEmpty)
    }

    @Test(
        "Observation hears of changes through the property, the other end and a refresh",
        .behaviour("swiftdata.observation"))
    func observation() throws {
        let container = try ModelContainer.inMemory(Note.self, Label.self)
        let context = ModelContext(container)
        let note = Note(title: "n")
        let book = Notebook(name: "b")
        context.insert(note)
        context.insert(book)
        try context.save()
        func changes(_ read: () -> Void, _ change: () throws -> Void) rethrows -> Bool {
            nonisolated(unsafe) var heard = false
            withObservationTracking(read) { heard = true }
            try change()
            return heard
        }
        #expect(changes({ _ = note.title }, { note.title = "2" }))
        #expect(!changes({ _ = note.title }, { note.body = "2" }))
        #expect(changes({ _ = book.notes }, { note.notebook = book }))
        try context.save()
        let other = ModelContext(container)
        let same = try #require(try other.fetch(FetchDescriptor<Note>()).first)
        same.title = "3"
        try other.save()
        #expect(try changes({ _ = note.title }, { _ = try context.fetch(FetchDescriptor<Note>()) }))
        #expect(note.title == "3")
    }

    @Test("A tracking ends with the objects that it read", .behaviour("swiftdata.observation"))
    func endOfTracking() throws {
        final class Tracker: Sendable {}
        let container = try ModelContainer.inMemory(Note.self, Label.self)
        let writer = ModelContext(container)
        for number in 0..<20_000 { writer.insert(Label(name: String(number))) }
        try writer.save()
        // A context lets go of objects that nobody uses, once there are many of them.
        let context = ModelContext(container)
        var isFirst = true
        weak var first: Tracker?
        for offset in stride(from: 0, to: 20_000, by: 1_000) {
            var page = FetchDescriptor<Label>()
            page.fetchOffset = offset
            page.fetchLimit = 1_000
            for label in try context.fetch(page) {
                let tracker = Tracker()
                if isFirst { first = tracker }
                isFirst = false
                withObservationTracking {
                    _ = label.name
                } onChange: {
                    _ = tracker
                }
            }
        }
        #expect(first == nil)
    }

    @Test(
        "An identifier names the object before and after its first save, and encoded",
        .behaviour("swiftdata.identifiers"))
    func identifiers() throws {
        let container = try ModelContainer.inMemory(Note.self, Label.self)
        let context = ModelContext(container)
        let note = Note(title: "n")
        context.insert(note)
        let temporary = note.persistentModelID
        #expect(temporary.storeIdentifier == nil)
        #expect(context.model(for: temporary) === note)
        try context.save()
        #expect(note.persistentModelID != temporary)
        #expect(context.model(for: temporary) === note)
        let data = try JSONEncoder().encode(note.persistentModelID)
        let decoded = try JSONDecoder().decode(PersistentIdentifier.self, from: data)
        #expect(decoded == note.persistentModelID)
        #expect((ModelContext(container).model(for: decoded) as? Note)?.title == "n")
    }

    @Test("An object outlives its context and its container", .behaviour("swiftdata.outliving"))
    func outliving() throws {
        var container: ModelContainer? = try ModelContainer.inMemory(Note.self, Label.self)
        var notes: [Note] = []
        do {
            let context = ModelContext(container!)
            context.insert(Note(title: "n", notebook: Notebook(name: "b")))
            try context.save()
            notes = try ModelContext(container!).fetch(FetchDescriptor<Note>())
        }
        #expect(notes[0].notebook?.name == "b")
        #expect(notes[0].modelContext == nil || notes[0].modelContext?.container === container)
        container = nil
        #expect(notes[0].title == "n")
        notes[0].title = "2"
        #expect(notes[0].title == "2")
        #expect(notes[0].labels.isEmpty)
    }

    @Test("Pages, counts, batches and enumeration give every object once", .behaviour("swiftdata.pages"))
    func pages() throws {
        let container = try ModelContainer.inMemory(Note.self, Label.self)
        let context = ModelContext(container)
        for index in 0..<25 { context.insert(Note(title: "\(index)")) }
        try context.save()
        var descriptor = FetchDescriptor<Note>()
        descriptor.fetchLimit = 10
        descriptor.fetchOffset = 20
        #expect(try context.fetch(descriptor).count == 5)
        #expect(try context.fetchIdentifiers(FetchDescriptor<Note>()).count == 25)
        let other = ModelContext(container)
        let batched = try other.fetch(FetchDescriptor<Note>(), batchSize: 7)
        #expect(batched.map(\.title) == (0..<25).map(String.init))
        var seen: [String] = []
        try ModelContext(container).enumerate(FetchDescriptor<Note>(), batchSize: 4) { seen.append($0.title) }
        #expect(seen == (0..<25).map(String.init))
    }
}
