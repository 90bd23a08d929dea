import CloudKit
import FieldNotesModel
import Foundation

/// The user's notes on this device, which follow them to their other devices.
///
/// Reading and editing never need the network: edits wait in a file until `sync()` can send them.
public actor NoteStore: NotePersisting {
    /// The app's container in iCloud.
    public static let containerIdentifier = "iCloud.com.example.fieldnotes"

    let container: CKContainer
    var database: CKDatabase { container.privateCloudDatabase }
    /// The folder of this device.
    nonisolated let directory: URL
    private var file: NotesFile
    private(set) var local = LocalNotes()

    /// Opens the notes in `directory`, which is made where it does not exist.
    public init(
        directory: URL, container: CKContainer = CKContainer(identifier: NoteStore.containerIdentifier)
    ) throws {
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        self.directory = directory
        self.container = container
        file = NotesFile(directory)
        try file.reload(&local)
    }

    public func notes() -> [Note] {
        local.notes
    }

    /// How many edits and deletions the cloud does not have yet.
    public var pendingCount: Int { local.pendingCount }

    public func save(_ note: Note) throws {
        try update { $0.save(note) }
    }

    public func delete(_ id: Note.ID) throws {
        try update { $0.delete(id) }
    }

    /// Reads what another process has changed.
    func reload() throws {
        try file.reload(&local)
    }

    /// Changes what this device knows, and stores it before anybody hears of it.
    func update<Value: Sendable>(_ change: @Sendable (inout LocalNotes) throws -> Value) throws -> Value {
        try file.update(&local, change)
    }
}
