import CloudKit
import FieldNotesModel
import FieldNotesStore
import Foundation
import SwiftData

/// The user's notes on this device, which follow them to their other devices.
///
/// Reading and editing never need the network: edits wait in the store until `sync()`, or a `LiveSync`, can send them.
public actor NoteStore: NotePersisting {
    /// The app's container in iCloud.
    public static let containerIdentifier = "iCloud.com.example.fieldnotes"

    let container: CKContainer
    var database: CKDatabase { container.privateCloudDatabase }
    nonisolated let persistence: SwiftDataNotePersistence

    /// Opens the notes in `directory`, which is made where it does not exist.
    public init(
        directory: URL, container: CKContainer = CKContainer(identifier: NoteStore.containerIdentifier)
    ) throws {
        self.container = container
        persistence = try SwiftDataNotePersistence(directory: directory)
    }

    public func notes() async throws -> [Note] {
        try await persistence.notes()
    }

    /// How many edits and deletions the cloud does not have yet.
    public var pendingCount: Int {
        get async throws { try await persistence.read { try $0.pendingNotes().count } }
    }

    /// Where a photo's file is. One of a note that another device edited meanwhile comes with the next sync.
    public nonisolated func file(of photo: Photo) -> URL { persistence.photos.url(of: photo) }

    /// Copies a file, for a note to refer to.
    public nonisolated func addPhoto(_ file: URL) throws -> Photo { try persistence.photos.add(file) }

    public func save(_ note: Note) async throws {
        try await persistence.save(note)
    }

    public func delete(_ id: Note.ID) async throws {
        try await persistence.delete(id)
    }

    /// Looks at what this device knows.
    func read<Value: Sendable>(_ body: @Sendable (LocalNotes) throws -> Value) async throws -> Value {
        try await persistence.read { try body(LocalNotes(context: $0, photos: persistence.photos)) }
    }

    /// Changes what this device knows, and stores it before anybody hears of it.
    @discardableResult
    func update<Value: Sendable>(_ change: @Sendable (LocalNotes) throws -> Value) async throws -> Value {
        try await persistence.update { try change(LocalNotes(context: $0, photos: persistence.photos)) }
    }
}
