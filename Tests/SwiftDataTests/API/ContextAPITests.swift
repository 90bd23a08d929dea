import Behaviours
import SwiftData
import Testing

private func containers(_ schema: Schema) throws {
    let _: KeyPath<ModelContainer, Schema> = \.schema
    let _: KeyPath<ModelContainer, (any SchemaMigrationPlan.Type)?> = \.migrationPlan
    let _: ReferenceWritableKeyPath<ModelContainer, Set<ModelConfiguration>> = \.configurations
    let memory = ModelConfiguration(isStoredInMemoryOnly: true)
    _ = try ModelContainer(for: Note.self, Label.self, migrationPlan: nil, configurations: memory)
    _ = try ModelContainer(for: schema, migrationPlan: nil, configurations: memory)
    _ = try ModelContainer(for: schema, migrationPlan: nil, configurations: [memory])
    let stores: [any DataStoreConfiguration] = [memory]
    _ = try ModelContainer(for: Note.self, configurations: stores[0])
    let container = try ModelContainer(for: schema, configurations: stores)
    try container.erase()
    let _: String? = container.configurationName(forStoreIdentifier: "s")
    let _: String? = container.storeIdentifier(forConfigurationNamed: "default")
    let _: Notification.Name = ModelContainer.remoteChange
    func equatable<Value: Equatable>(_ type: Value.Type) {}
    equatable(ModelContainer.self)
    sendable(ModelContainer.self)
}

private func configurations(_ schema: Schema) throws {
    let _: KeyPath<ModelConfiguration, URL> = \.url
    let _: KeyPath<ModelConfiguration, URL> = \.id
    let _: KeyPath<ModelConfiguration, String> = \.name
    let _: KeyPath<ModelConfiguration, String?> = \.groupAppContainerIdentifier
    let _: KeyPath<ModelConfiguration, String?> = \.cloudKitContainerIdentifier
    let _: KeyPath<ModelConfiguration, ModelConfiguration.GroupContainer> = \.groupContainer
    let _: KeyPath<ModelConfiguration, ModelConfiguration.CloudKitDatabase> = \.cloudKitDatabase
    let _: WritableKeyPath<ModelConfiguration, Schema?> = \.schema
    let _: KeyPath<ModelConfiguration, Bool> = \.allowsSave
    let _: KeyPath<ModelConfiguration, Bool> = \.isStoredInMemoryOnly
    _ = ModelConfiguration()
    _ = ModelConfiguration(isStoredInMemoryOnly: false)
    _ = ModelConfiguration(for: Note.self, Label.self, isStoredInMemoryOnly: false)
    _ = ModelConfiguration(
        "n", schema: schema, isStoredInMemoryOnly: false, allowsSave: true, groupContainer: .automatic,
        cloudKitDatabase: .automatic)
    let configuration = ModelConfiguration(
        nil, schema: nil, url: URL(filePath: "/dev/null"), allowsSave: true, cloudKitDatabase: .none)
    try configuration.validate()
    let _: [ModelConfiguration.CloudKitDatabase] = [.automatic, .none, .private("c")]
    let _: [ModelConfiguration.GroupContainer] = [.automatic, .none, .identifier("g")]
    sendable(ModelConfiguration.CloudKitDatabase.self)
    sendable(ModelConfiguration.GroupContainer.self)
    hashable(ModelConfiguration.self)
    sendable(ModelConfiguration.self)
    debugDescribable(ModelConfiguration.self)
    identifiable(ModelConfiguration.self, by: URL.self)
    let _: ModelConfiguration.Store.Type = DefaultStore.self
}

private func contexts(_ context: ModelContext, _ identifier: PersistentIdentifier) throws {
    let _: KeyPath<ModelContext, ModelContainer> = \.container
    let _: ReferenceWritableKeyPath<ModelContext, Bool> = \.autosaveEnabled
    let _: KeyPath<ModelContext, Bool> = \.hasChanges
    let _: ReferenceWritableKeyPath<ModelContext, UndoManager?> = \.undoManager
    let _: ReferenceWritableKeyPath<ModelContext, String?> = \.author
    let _: ReferenceWritableKeyPath<ModelContext, EditingState> = \.editingState
    let _: [KeyPath<ModelContext, [any PersistentModel]>] = [
        \.insertedModelsArray, \.changedModelsArray, \.deletedModelsArray,
    ]
    let _: any PersistentModel = context.model(for: identifier)
    let _: Note? = context.registeredModel(for: identifier)
    let note = Note(title: "n")
    context.insert(note)
    context.delete(note)
    try context.delete(model: Note.self)
    try context.delete(model: Note.self, where: #Predicate { $0.rating > 9 }, includeSubclasses: true)
    context.rollback()
    context.processPendingChanges()
    try context.transaction { try context.save() }
    try context.save()
    let descriptor = FetchDescriptor<Note>()
    let _: [Note] = try context.fetch(descriptor)
    let _: FetchResultsCollection<Note> = try context.fetch(descriptor, batchSize: 10)
    let _: Int = try context.fetchCount(descriptor)
    let _: [PersistentIdentifier] = try context.fetchIdentifiers(descriptor)
    let _: FetchResultsCollection<PersistentIdentifier> = try context.fetchIdentifiers(descriptor, batchSize: 10)
    try context.enumerate(descriptor) { (_: Note) in }
    try context.enumerate(descriptor, batchSize: 5000, allowEscapingMutations: false) { (_: Note) throws in }
    let _: [Notification.Name] = [ModelContext.willSave, ModelContext.didSave]
    let _: [ModelContext.NotificationKey] = [
        .queryGeneration, .invalidatedAllIdentifiers, .insertedIdentifiers, .updatedIdentifiers, .deletedIdentifiers,
    ]
    raw(ModelContext.NotificationKey.self, String.self)
    debugDescribable(ModelContext.self)
    func equatable<Value: Equatable & SendableMetatype>(_ type: Value.Type) {}
    equatable(ModelContext.self)
}

private func descriptors() {
    typealias Descriptor = FetchDescriptor<Note>
    let _: WritableKeyPath<Descriptor, Predicate<Note>?> = \.predicate
    let _: WritableKeyPath<Descriptor, [SortDescriptor<Note>]> = \.sortBy
    let _: WritableKeyPath<Descriptor, Int?> = \.fetchLimit
    let _: WritableKeyPath<Descriptor, Int?> = \.fetchOffset
    let _: WritableKeyPath<Descriptor, Bool> = \.includePendingChanges
    let _: WritableKeyPath<Descriptor, [PartialKeyPath<Note>]> = \.propertiesToFetch
    let _: WritableKeyPath<Descriptor, [PartialKeyPath<Note>]> = \.relationshipKeyPathsForPrefetching
    _ = Descriptor(predicate: nil, sortBy: [])
    sendable(Descriptor.self)
    func collection<Value: RandomAccessCollection>(_ type: Value.Type) where Value.Index == Int {}
    collection(FetchResultsCollection<Note>.self)
    identifiable(EditingState.self, by: UUID.self)
    sendable(EditingState.self)
    let _: WritableKeyPath<EditingState, String?> = \.author
}

private func errors() {
    let all: [SwiftDataError] = [
        .includePendingChangesWithBatchSize, .unsupportedPredicate, .unsupportedKeyPath,
        .sortingPendingChangesWithIdentifiers, .unsupportedSortDescriptor, .duplicateConfiguration,
        .configurationFileNameTooLong, .configurationFileNameContainsInvalidCharacters,
        .configurationSchemaNotFoundInContainerSchema, .loadIssueModelContainer, .modelValidationFailure,
        .missingModelContext, .backwardMigration, .unknownSchema, .unknownDataStoreSchema, .historyTokenExpired,
        .invalidTransactionFetchRequest,
    ]
    #expect(Set(all).count == all.count)
    error(SwiftDataError.self)
    hashable(SwiftDataError.self)
}

@Suite("Containers and contexts of the public interface")
struct ContextAPITests {
    @Test("Containers, configurations, contexts and descriptors", .behaviour("swiftdata.api"))
    func run() throws {
        let schema = Schema([Note.self])
        try containers(schema)
        try configurations(schema)
        descriptors()
        errors()
        let container = try ModelContainer(
            for: schema, configurations: ModelConfiguration("own", schema: schema, isStoredInMemoryOnly: true))
        let context = ModelContext(container)
        let note = Note(title: "n")
        context.insert(note)
        #expect(context.debugDescription.hasSuffix("1 inserted, 0 changed, 0 deleted"))
        try context.save()
        try contexts(context, note.persistentModelID)
        var state = context.editingState
        state.author = "me"
        context.editingState = state
        #expect(context.author == "me")
    }

    @Test("A container's configurations and stores name each other")
    func names() throws {
        let container = try ModelContainer(
            for: Schema([Note.self]), configurations: ModelConfiguration("own", isStoredInMemoryOnly: true))
        let context = ModelContext(container)
        let note = Note(title: "n")
        context.insert(note)
        try context.save()
        let store = try #require(container.storeIdentifier(forConfigurationNamed: "own"))
        #expect(note.persistentModelID.storeIdentifier == store)
        #expect(container.configurationName(forStoreIdentifier: store) == "own")
        #expect(container.storeIdentifier(forConfigurationNamed: "other") == nil)
        #expect(container.configurationName(forStoreIdentifier: "other") == nil)
    }

    @Test("An error is matched by what it equals")
    func matching() {
        let failure: any Error = SwiftDataError.unknownSchema
        do { throw failure } catch SwiftDataError.backwardMigration {
            Issue.record("matched another error")
        } catch SwiftDataError.unknownSchema {} catch { Issue.record("not matched") }
    }

    @MainActor @Test("The main context is the main actor's")
    func mainContext() throws {
        let container = try ModelContainer(
            for: Note.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
        let _: ModelContext = container.mainContext
    }
}
