import Behaviours
import SwiftData
import Testing

private func models() {
    let _: any BackingData<Note> = Note.createBackingData()
    let _: (any BackingData<Note>) -> Note = Note.init(backingData:)
    let _: ReferenceWritableKeyPath<Note, any BackingData<Note>> = \.persistentBackingData
    let _: [Schema.PropertyMetadata] = Note.schemaMetadata
    let _: Note.Root.Type = Note.self
    let _: KeyPath<Note, ModelContext?> = \.modelContext
    let _: KeyPath<Note, PersistentIdentifier> = \.persistentModelID
    let _: KeyPath<Note, PersistentIdentifier> = \.id
    let _: KeyPath<Note, Bool> = \.hasChanges
    let _: KeyPath<Note, Bool> = \.isDeleted
    hashable(Note.self)
    identifiable(Note.self, by: PersistentIdentifier.self)
    func observable<Value: Observable & SendableMetatype>(_ type: Value.Type) {}
    observable(Note.self)
    let _: [Note].PersistentElement.Type = Note.self
    let _: [Note]?.PersistentElement.Type = Note.self
}

private func values(_ note: Note, _ data: any BackingData<Note>) {
    let _: String = note.getValue(forKey: \.title)
    let _: Notebook? = note.getValue(forKey: \.notebook)
    let _: [Label] = note.getValue(forKey: \.labels)
    let _: String = note.getTransformableValue(forKey: \.title)
    note.setValue(forKey: \.title, to: "t")
    note.setValue(forKey: \.notebook, to: nil)
    note.setValue(forKey: \.labels, to: [])
    note.setTransformableValue(forKey: \.title, to: "t")
    // A constant takes values too: backing data refers to them.
    let _: String = data.getValue(forKey: \.title)
    let _: Notebook? = data.getValue(forKey: \.notebook)
    let _: [Label] = data.getValue(forKey: \.labels)
    let _: String = data.getTransformableValue(forKey: \.title)
    data.setValue(forKey: \.title, to: "d")
    data.setValue(forKey: \.notebook, to: nil)
    data.setValue(forKey: \.labels, to: [])
    data.setTransformableValue(forKey: \.title, to: "d")
    let _: Any = data.metadata
}

private func identifiers() throws {
    let _: KeyPath<PersistentIdentifier, PersistentIdentifier.ID> = \.id
    let _: KeyPath<PersistentIdentifier, String> = \.entityName
    let _: KeyPath<PersistentIdentifier, String?> = \.storeIdentifier
    hashable(PersistentIdentifier.self)
    comparable(PersistentIdentifier.self)
    codable(PersistentIdentifier.self)
    sendable(PersistentIdentifier.self)
    identifiable(PersistentIdentifier.self, by: PersistentIdentifier.ID.self)
    hashable(PersistentIdentifier.ID.self)
    sendable(PersistentIdentifier.ID.self)
    let _: PersistentIdentifier = try .identifier(for: "store", entityName: "Note", primaryKey: 7)
}

private func actors() {
    let _: (ModelContext) -> DefaultSerialModelExecutor = DefaultSerialModelExecutor.init(modelContext:)
    let _: KeyPath<DefaultSerialModelExecutor, ModelContext> = \.modelContext
    let _: (DefaultSerialModelExecutor) -> () -> UnownedSerialExecutor =
        DefaultSerialModelExecutor.asUnownedSerialExecutor
    sendable(DefaultSerialModelExecutor.self)
    func executor<Value: SerialModelExecutor & ModelExecutor & SerialExecutor>(_ type: Value.Type) {}
    executor(DefaultSerialModelExecutor.self)
    func actor<Value: ModelActor & Actor>(_ value: Value) -> UnownedSerialExecutor { value.unownedExecutor }
}

@Suite("Models, identifiers and actors of the public interface")
struct ModelsAPITests {
    @Test("Values go through a model and its backing data by key path", .behaviour("swiftdata.api"))
    func run() throws {
        models()
        actors()
        try identifiers()
        let note = Note(title: "n")
        values(note, note.persistentBackingData)
        #expect(note.title == "d")
    }
}
