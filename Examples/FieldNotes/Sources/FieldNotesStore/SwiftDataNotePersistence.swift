import FieldNotesModel
import Foundation
import SwiftData

/// Keeps a device's notes in a SwiftData store. It knows no cloud: a widget, or an importer, saves through it as the app
/// does, and whoever syncs hears the doorbell.
///
/// Several processes may use one store at a time. Each operation has a context of its own, so it sees what the others have
/// written; changes are made under a lock, so that none loses another's edit; and each is saved as a whole or not at all,
/// so that whoever is killed in the middle leaves the state before or the state after.
public actor SwiftDataNotePersistence: NotePersisting {
    /// The folder of the store.
    public nonisolated let directory: URL
    public nonisolated let photos: PhotoFolder
    private let container: ModelContainer

    /// Opens the notes in `directory`, which is made where it does not exist. A store of an earlier version of the app is
    /// brought up to date.
    ///
    /// - Throws: `SwiftDataError` for a file that is no store of this app.
    public init(directory: URL) throws {
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        self.directory = directory
        photos = PhotoFolder(directory.appendingPathComponent("Photos", isDirectory: true))
        let lock = try FileLock(Self.lock(directory))
        defer { lock.release() }
        container = try ModelContainer(
            for: Schema(versionedSchema: FieldNotesSchemaV3.self), migrationPlan: FieldNotesMigrationPlan.self,
            configurations: ModelConfiguration(
                url: directory.appendingPathComponent("FieldNotes.store"), cloudKitDatabase: .none))
    }

    public func notes() throws -> [Note] {
        try read { try $0.visibleNotes().map(\.note) }
    }

    public func save(_ note: Note) throws {
        try update { try $0.upsert(note).state = .edited }
    }

    /// Also a note that the cloud never saw stays, unseen, until its deletion was sent: it may be on its way there right
    /// now.
    public func delete(_ id: Note.ID) throws {
        try update { try $0.storedNote(id)?.state = .deleted }
    }

    /// Looks at what is stored.
    public func read<Value: Sendable>(_ body: @Sendable (ModelContext) throws -> Value) throws -> Value {
        try body(context())
    }

    /// Changes what is stored, in its newest state. An error leaves everything as it was.
    public func update<Value: Sendable>(_ change: @Sendable (ModelContext) throws -> Value) throws -> Value {
        let lock = try FileLock(Self.lock(directory))
        defer { lock.release() }
        let context = context()
        let value = try change(context)
        if context.hasChanges {
            try context.save()
            Doorbell.ring(directory)
        }
        return value
    }

    /// Calls `changed` after this or another process has changed the notes, once for one or more changes, as long as the
    /// result lives.
    public nonisolated func observe(_ changed: @escaping @Sendable () -> Void) throws -> Doorbell {
        try Doorbell(directory, changed)
    }

    private func context() -> ModelContext {
        let context = ModelContext(container)
        context.autosaveEnabled = false
        return context
    }

    private static func lock(_ directory: URL) -> URL {
        directory.appendingPathComponent("FieldNotes.lock")
    }
}
