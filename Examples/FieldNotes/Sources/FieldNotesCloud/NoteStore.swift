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
    private let file: URL
    var local: LocalNotes

    /// Opens the notes in `directory`, which is made where it does not exist.
    public init(
        directory: URL, container: CKContainer = CKContainer(identifier: NoteStore.containerIdentifier)
    ) throws {
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        file = directory.appendingPathComponent("notes.json")
        local = try LocalNotes.read(file)
        self.container = container
    }

    public func notes() -> [Note] {
        local.notes
    }

    /// How many edits and deletions the cloud does not have yet.
    public var pendingCount: Int { local.pendingCount }

    public func save(_ note: Note) throws {
        local.save(note)
        try persist()
    }

    public func delete(_ id: Note.ID) throws {
        local.delete(id)
        try persist()
    }

    func persist() throws {
        try local.write(file)
    }
}
