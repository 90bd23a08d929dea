import Behaviours
import Foundation
import SwiftData
import Testing

/// Written down so that a declaration which loses its name, a label, a default or a conformance no longer compiles.
@Suite("Models, contexts and containers are declared as in Apple's interface")
struct ModelAPITests {
    let container: ModelContainer

    init() throws {
        container = try ModelContainer(
            for: Note.self, Label.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    }

    @Test("PersistentModel and BackingData", .behaviour("swiftdata.api"))
    func model() {
        func conforms<T: PersistentModel & Observable & Hashable & Identifiable & SendableMetatype>(_ value: T) -> T {
            value
        }
        let context = ModelContext(container)
        let note = conforms(Note(title: "oak"))
        context.insert(note)
        let _: any BackingData<Note> = note.persistentBackingData
        let backing = Note.createBackingData() as any BackingData<Note>
        let _: (PersistentIdentifier?, Any) = (backing.persistentModelID, backing.metadata)
        let made = Note(backingData: backing)
        made.persistentBackingData = backing
        let _: any PersistentModel.Type = Note.Root.self
        let title: String = note.getValue(forKey: \.title)
        let body: String? = note.getValue(forKey: \.body)
        let notebook: Notebook? = note.getValue(forKey: \.notebook)
        let labels: [Label] = note.getValue(forKey: \.labels)
        #expect(title == "oak" && body == nil && notebook == nil && labels == [])
        note.setValue(forKey: \.title, to: "elm")
        note.setValue(forKey: \.notebook, to: Notebook(name: "b"))
        note.setValue(forKey: \.notebook, to: nil)
        note.setValue(forKey: \.labels, to: [])
        note.setTransformableValue(forKey: \.title, to: "ash")
        let transformable: String = note.getTransformableValue(forKey: \.title)
        #expect(transformable == "ash")
        let _: ModelContext? = note.modelContext
        let _: [PersistentIdentifier] = [note.persistentModelID, note.id]
        let _: [Bool] = [note.hasChanges, note.isDeleted, note == note]
        func collects<C: RelationshipCollection>(_ type: C.Type) -> any PersistentModel.Type {
            C.PersistentElement.self
        }
        #expect(collects([Note].self) is Note.Type)
        #expect(collects([Note]?.self) is Note.Type)
    }

    @Test("ModelContainer", .behaviour("swiftdata.api"))
    @MainActor
    func containers() throws {
        let memory = ModelConfiguration(isStoredInMemoryOnly: true)
        let schema = Schema([Note.self])
        let containers = [
            try ModelContainer(
                for: Note.self, Label.self, migrationPlan: OnePlan.self, configurations: memory),
            try ModelContainer(for: Note.self, configurations: memory),
            try ModelContainer(for: schema, configurations: memory),
            try ModelContainer(for: schema, migrationPlan: nil, configurations: [memory]),
            try ModelContainer(for: schema, configurations: [memory] as [any DataStoreConfiguration]),
        ]
        func conforms<T: Equatable & Sendable>(_ value: T) -> T { value }
        let container = conforms(containers[1])
        let _: (Schema, (any SchemaMigrationPlan.Type)?) = (container.schema, container.migrationPlan)
        let _: Set<ModelConfiguration> = container.configurations
        let context: ModelContext = container.mainContext
        #expect(context.autosaveEnabled)
        try container.erase()
    }

    enum OnePlan: SchemaMigrationPlan {
        static var schemas: [any VersionedSchema.Type] { [SchemaAPITests.VersionOne.self] }
        static var stages: [MigrationStage] { [] }
    }

    @available(*, deprecated)
    func deleteAllData() { container.deleteAllData() }

    @Test("ModelConfiguration", .behaviour("swiftdata.api"))
    func configurations() throws {
        func conforms<T: Identifiable & Hashable & Sendable & DataStoreConfiguration & CustomDebugStringConvertible>(
            _ value: T
        ) -> T { value }
        let _: DefaultStore.Type = ModelConfiguration.Store.self
        let url = URL(filePath: "/tmp/notes.store")
        let configurations = [
            ModelConfiguration(),
            ModelConfiguration(isStoredInMemoryOnly: true),
            ModelConfiguration(for: Note.self, Label.self, isStoredInMemoryOnly: true),
            ModelConfiguration("name"),
            ModelConfiguration(
                "name", schema: Schema([Note.self]), isStoredInMemoryOnly: true, allowsSave: false,
                groupContainer: .identifier("group.example"), cloudKitDatabase: .private("iCloud.example")),
            ModelConfiguration(
                "name", schema: nil, isStoredInMemoryOnly: true, groupContainer: .automatic,
                cloudKitDatabase: .automatic),
            ModelConfiguration(groupContainer: .none, cloudKitDatabase: .none),
            ModelConfiguration("name", schema: nil, url: url, allowsSave: true, cloudKitDatabase: .none),
            ModelConfiguration(url: url),
        ]
        var configuration = conforms(configurations[4])
        let _: (URL, URL, String) = (configuration.url, configuration.id, configuration.name)
        let _: (String?, String?) = (
            configuration.groupAppContainerIdentifier, configuration.cloudKitContainerIdentifier
        )
        let _: ModelConfiguration.GroupContainer = configuration.groupContainer
        let _: ModelConfiguration.CloudKitDatabase = configuration.cloudKitDatabase
        let _: (Bool, Bool) = (configuration.allowsSave, configuration.isStoredInMemoryOnly)
        configuration.schema = nil
        #expect(configuration.schema == nil && configurations[4].schema != nil)
        try configurations[1].validate()
        #expect(configuration.cloudKitContainerIdentifier == "iCloud.example")
    }

    @Test("ModelContext", .behaviour("swiftdata.api"))
    func context() throws {
        func conforms<T: Equatable & SendableMetatype>(_ value: T) -> T { value }
        let context = conforms(ModelContext(container))
        let _: ModelContainer = context.container
        context.autosaveEnabled = false
        context.author = "me"
        context.undoManager = nil
        let _: EditingState = context.editingState
        let note = Note(title: "oak")
        context.insert(note)
        let _: [[any PersistentModel]] = [
            context.insertedModelsArray, context.changedModelsArray, context.deletedModelsArray,
        ]
        context.processPendingChanges()
        try context.transaction { note.title = "elm" }
        try context.save()
        let model: any PersistentModel = context.model(for: note.persistentModelID)
        let registered: Note? = context.registeredModel(for: note.persistentModelID)
        #expect(model === note && registered === note && !context.hasChanges)
        let all = FetchDescriptor<Note>()
        let _: [Note] = try context.fetch(all)
        let _: FetchResultsCollection<Note> = try context.fetch(all, batchSize: 10)
        let _: Int = try context.fetchCount(all)
        let _: [PersistentIdentifier] = try context.fetchIdentifiers(all)
        let _: FetchResultsCollection<PersistentIdentifier> = try context.fetchIdentifiers(all, batchSize: 10)
        try context.enumerate(all) { (_: Note) in }
        try context.enumerate(all, batchSize: 10, allowEscapingMutations: true) { (_: Note) in }
        let _: [DefaultHistoryTransaction] = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
        try context.deleteHistory(HistoryDescriptor<DefaultHistoryTransaction>())
        context.delete(note)
        context.rollback()
        try context.delete(model: Note.self)
        try context.delete(model: Note.self, where: #Predicate { $0.rating > 5 }, includeSubclasses: false)
        let _: [Notification.Name] = [ModelContext.willSave, ModelContext.didSave]
        let keys: [ModelContext.NotificationKey] = [
            .queryGeneration, .invalidatedAllIdentifiers, .insertedIdentifiers, .updatedIdentifiers,
            .deletedIdentifiers,
        ]
        #expect(Set(keys.map(\.rawValue)).count == 5)
    }

    @Test("FetchDescriptor and FetchResultsCollection", .behaviour("swiftdata.api"))
    func descriptors() throws {
        func conforms<T: Sendable & Equatable>(_ value: T) -> T { value }
        let _ = FetchDescriptor<Note>()
        var descriptor = conforms(
            FetchDescriptor<Note>(predicate: #Predicate { $0.rating == 3 }, sortBy: [SortDescriptor(\.title)]))
        let _: (Predicate<Note>?, [SortDescriptor<Note>]) = (descriptor.predicate, descriptor.sortBy)
        descriptor.fetchLimit = Optional(1)
        descriptor.fetchOffset = Optional(0)
        descriptor.includePendingChanges = true
        descriptor.propertiesToFetch = [\.title]
        descriptor.relationshipKeyPathsForPrefetching = [\.labels]
        func random<C: RandomAccessCollection>(_ collection: C) -> Int { collection.count }
        #expect(random(try ModelContext(container).fetch(FetchDescriptor<Note>(), batchSize: 5)) == 0)
    }

    @Test("SwiftDataError", .behaviour("swiftdata.api"))
    func errors() {
        func conforms<T: Error & Hashable>(_ value: T) -> T { value }
        let errors: [SwiftDataError] = [
            .includePendingChangesWithBatchSize, .unsupportedPredicate, .unsupportedKeyPath,
            .sortingPendingChangesWithIdentifiers, .unsupportedSortDescriptor, .duplicateConfiguration,
            .configurationFileNameTooLong, .configurationFileNameContainsInvalidCharacters,
            .configurationSchemaNotFoundInContainerSchema, .loadIssueModelContainer, .modelValidationFailure,
            .missingModelContext, .backwardMigration, .unknownSchema, .historyTokenExpired,
            .invalidTransactionFetchRequest,
        ]
        #expect(Set(errors.map(conforms)).count == 16)
        do { throw SwiftDataError.unknownSchema } catch SwiftDataError.unknownSchema {} catch { Issue.record(error) }
    }

    @Test("PersistentIdentifier", .behaviour("swiftdata.api"))
    func identifiers() throws {
        func conforms<T: Hashable & Identifiable & Comparable & Codable & Sendable>(_ value: T) -> T { value }
        let identifier = conforms(
            try PersistentIdentifier.identifier(for: "store", entityName: "Note", primaryKey: "p1"))
        func conforms<T: Hashable & Sendable>(id: T) {}
        conforms(id: identifier.id as PersistentIdentifier.ID)
        let _: (String, String?) = (identifier.entityName, identifier.storeIdentifier)
        #expect(identifier.entityName == "Note" && identifier.storeIdentifier == "store")
    }

    @Test("ModelActor", .behaviour("swiftdata.api"))
    func actors() async throws {
        func conforms<T: ModelActor>(_ value: T) -> (ModelContainer, any ModelExecutor, UnownedSerialExecutor) {
            (value.modelContainer, value.modelExecutor, value.unownedExecutor)
        }
        let clerk = Clerk(modelContainer: container)
        let (_, executor, _) = conforms(clerk)
        let _: ModelContext = executor.modelContext
        #expect(executor is any SerialModelExecutor)
        func made<T: SerialModelExecutor & SerialExecutor & Sendable>(_ value: T) -> T { value }
        let _ = made(DefaultSerialModelExecutor(modelContext: ModelContext(container)))
        let identifier = try await clerk.add("oak")
        #expect(await clerk.title(identifier) == "oak")
    }
}

@ModelActor
actor Clerk {
    func add(_ title: String) throws -> PersistentIdentifier {
        let note = Note(title: title)
        modelContext.insert(note)
        try modelContext.save()
        return note.persistentModelID
    }

    func title(_ identifier: PersistentIdentifier) -> String? { self[identifier, as: Note.self]?.title }
}
