import Behaviours
import SwiftData
import Testing

@Model
final class Habit {
    var title: String
    @Attribute(.unique) var code: String = ""
    @Relationship(deleteRule: .deny) var records: [HabitRecord] = []
    var note: String?

    init(title: String) { self.title = title }
}

@Model
final class HabitRecord {
    var day: Date = Date(timeIntervalSinceReferenceDate: 0)

    init() {}
}

@Model
final class Trip {
    var name: String = ""
    var notes: String?
    @Relationship(deleteRule: .cascade, inverse: \Stay.trip) var stays: [Stay]?

    init(name: String) { self.name = name }
}

@Model
final class Stay {
    var place: String = ""
    var trip: Trip?

    init(place: String) { self.place = place }
}

@Suite("Containers")
struct ContainerTests {
    private func folder() throws -> URL {
        let url = FileManager.default.temporaryDirectory.appending(path: "model-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        return url
    }

    @Test("A file keeps its objects for the next container", .behaviour("swiftdata.files"))
    func files() throws {
        let folder = try folder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let configuration = ModelConfiguration(url: folder.appending(path: "trips.store"))
        do {
            let container = try ModelContainer(for: Trip.self, configurations: configuration)
            let context = ModelContext(container)
            let trip = Trip(name: "North")
            trip.stays = [Stay(place: "Oslo")]
            context.insert(trip)
            try context.save()
        }
        let container = try ModelContainer(for: Trip.self, Stay.self, configurations: configuration)
        let context = ModelContext(container)
        let trip = try #require(try context.fetch(FetchDescriptor<Trip>()).first)
        #expect(trip.stays?.map(\.place) == ["Oslo"])
    }

    @Test(
        "A schema that CloudKit cannot mirror is refused with every offender and its mend",
        .behaviour("swiftdata.cloudkit-rules"))
    func cloudKitRules() throws {
        let configuration = ModelConfiguration(
            isStoredInMemoryOnly: true, cloudKitDatabase: .private("iCloud.com.example.Habits"))
        let error = try #require(throws: SwiftDataError.self) {
            try ModelContainer(for: Habit.self, configurations: configuration)
        }
        #expect(error == SwiftDataError.loadIssueModelContainer)
        let text = error.description
        for message in [
            """
            CloudKit integration requires that all attributes be optional, or have a default value set. The following \
            attributes are marked non-optional but do not have a default value:
            Habit: title
            """,
            "CloudKit integration requires that all relationships be optional, the following are not:\nHabit: records",
            "CloudKit integration requires that all relationships have an inverse, the following do not:\nHabit: records",
            "CloudKit integration does not support unique constraints. The following entities are constrained:\nHabit: code",
            "The following relationships are configured with unsupported delete rules:\nHabit:records - Deny",
        ] {
            #expect(text.contains(message))
        }
        let underlying = try #require(error.underlying as NSError?)
        #expect(underlying.domain == NSCocoaErrorDomain && underlying.code == 134060)
    }

    @Test("A schema that follows CloudKit's rules is mirrored as told", .behaviour("swiftdata.cloudkit-private"))
    func cloudKitAccepted() throws {
        let configuration = ModelConfiguration(
            isStoredInMemoryOnly: true, cloudKitDatabase: .private("iCloud.com.example.Trips"))
        let container = try ModelContainer(for: Trip.self, Stay.self, configurations: configuration)
        #expect(container.configurations.first?.cloudKitContainerIdentifier == "iCloud.com.example.Trips")
    }

    @Test("Several configurations keep their models in files of their own", .behaviour("swiftdata.configurations"))
    func configurations() throws {
        let folder = try folder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let trips = ModelConfiguration("trips", schema: Schema([Trip.self]), url: folder.appending(path: "trips.store"))
        let notes = ModelConfiguration("notes", schema: Schema([Note.self]), url: folder.appending(path: "notes.store"))
        let container = try ModelContainer(for: Schema([Trip.self, Note.self]), configurations: trips, notes)
        let context = ModelContext(container)
        context.insert(Trip(name: "t"))
        context.insert(Note(title: "n"))
        try context.save()
        let only = try ModelContainer(for: Trip.self, configurations: trips)
        #expect(try ModelContext(only).fetchCount(FetchDescriptor<Trip>()) == 1)
        #expect(try ModelContext(container).fetch(FetchDescriptor<Note>()).map(\.title) == ["n"])
    }

    @Test(
        "Configurations with wrong names, one file twice or unknown models are refused",
        .behaviour("swiftdata.refused-configurations"))
    func refusedConfigurations() throws {
        #expect(throws: SwiftDataError.configurationFileNameContainsInvalidCharacters) {
            try ModelContainer(for: Trip.self, configurations: ModelConfiguration("a/b"))
        }
        #expect(throws: SwiftDataError.configurationFileNameTooLong) {
            try ModelContainer(
                for: Trip.self, configurations: ModelConfiguration(String(repeating: "a", count: 300)))
        }
        let folder = try folder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let one = ModelConfiguration(url: folder.appending(path: "x.store"))
        #expect(throws: SwiftDataError.duplicateConfiguration) {
            try ModelContainer(for: Trip.self, configurations: one, one)
        }
        #expect(throws: SwiftDataError.configurationSchemaNotFoundInContainerSchema) {
            try ModelContainer(
                for: Trip.self,
                configurations: ModelConfiguration(schema: Schema([Note.self]), isStoredInMemoryOnly: true))
        }
    }

    @Test("A store that was opened for reading reads and refuses to save", .behaviour("swiftdata.read-only"))
    func readOnly() throws {
        let folder = try folder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let url = folder.appending(path: "x.store")
        do {
            let context = ModelContext(
                try ModelContainer(for: Trip.self, configurations: ModelConfiguration(url: url)))
            context.insert(Trip(name: "t"))
            try context.save()
        }
        let container = try ModelContainer(
            for: Trip.self, configurations: ModelConfiguration(url: url, allowsSave: false))
        let context = ModelContext(container)
        #expect(try context.fetch(FetchDescriptor<Trip>()).map(\.name) == ["t"])
        context.insert(Trip(name: "u"))
        #expect(throws: SwiftDataError.self) { try context.save() }
    }

    @Test(
        "A delete that a relationship denies is refused by the save, unless what it leads to goes too",
        .behaviour("swiftdata.deny"))
    func denial() throws {
        let container = try ModelContainer.inMemory(Habit.self)
        let context = ModelContext(container)
        let habit = Habit(title: "h")
        habit.records = [HabitRecord()]
        context.insert(habit)
        try context.save()
        context.delete(habit)
        #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
        context.rollback()
        #expect(habit.records.count == 1)
        habit.records.forEach(context.delete)
        context.delete(habit)
        try context.save()
        #expect(try context.fetchCount(FetchDescriptor<Habit>()) == 0)
    }

    @Test(
        "Inserting an object of a class that the container has not is told by the save",
        .behaviour("swiftdata.unknown-model"))
    func unknownModel() throws {
        let context = ModelContext(try ModelContainer.inMemory(Trip.self))
        context.insert(Note(title: "n"))
        #expect(throws: SwiftDataError.unknownSchema) { try context.save() }
        #expect(throws: SwiftDataError.unknownSchema) { try context.fetch(FetchDescriptor<Note>()) }
    }

    @Test(
        "The main context is one for the container, and keeps what was inserted through it",
        .behaviour("swiftdata.main-context"))
    @MainActor
    func mainContext() throws {
        let container = try ModelContainer.inMemory(Trip.self)
        container.mainContext.insert(Trip(name: "t"))
        #expect(container.mainContext.hasChanges)
        #expect(container.mainContext == container.mainContext)
        #expect(container.mainContext.autosaveEnabled)
        try container.mainContext.save()
        #expect(try ModelContext(container).fetchCount(FetchDescriptor<Trip>()) == 1)
        #expect(!ModelContext(container).autosaveEnabled)
    }

    @Test("A context lets go of what nobody uses, also of objects that hold each other")
    func lettingGo() throws {
        let container = try ModelContainer.inMemory(Trip.self)
        do {
            let context = ModelContext(container)
            let trip = Trip(name: "t")
            context.insert(trip)
            for index in 0..<9000 {
                let stay = Stay(place: "\(index)")
                stay.trip = trip
                context.insert(stay)
            }
            try context.save()
        }
        let context = ModelContext(container)
        let trip = try #require(try context.fetch(FetchDescriptor<Trip>()).first)
        #expect(trip.stays?.count == 9000)
        #expect(context.core.registeredCount == 9001)
        _ = try context.fetch(FetchDescriptor<Trip>())
        #expect(context.core.registeredCount == 1)
        #expect(trip.stays?.count == 9000)
    }

    @Test("A schema is written to a file and read back equal", .behaviour("swiftdata.schema-file"))
    func schemaFiles() throws {
        let folder = try folder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let schema = Schema([Trip.self, Note.self])
        #expect(schema.entities.map(\.name) == ["Label", "Note", "Notebook", "Stay", "Trip"])
        #expect(schema.entitiesByName["Trip"]?.relationshipsByName["stays"]?.inverseName == "trip")
        #expect(schema.entitiesByName["Stay"]?.relationshipsByName["trip"]?.isToOneRelationship == true)
        let url = folder.appending(path: "schema.json")
        try schema.save(to: url)
        #expect(try Schema.load(from: url).entities.map(\.name) == schema.entities.map(\.name))
    }

    @Test(
        "Programs that name one group share a folder, and no name leads out of it",
        .behaviour("swiftdata.group-containers"))
    func groupContainers() throws {
        let name = "group.com.example.\(UUID().uuidString)"
        let url = try #require(FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: name))
        defer { try? FileManager.default.removeItem(at: url) }
        #expect(url.lastPathComponent == name)
        #expect(FileManager.default.fileExists(atPath: url.path))
        let configuration = ModelConfiguration(groupContainer: .identifier(name))
        #expect(configuration.url.path.hasPrefix(url.path))
        for wrong in ["../x", "", "a/b", ".."] {
            #expect(FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: wrong) == nil)
        }
    }
}
