import CloudKit
import CloudKitTesting
import FieldNotesCloud
import FieldNotesModel
import Foundation
import Testing

/// A cloud, and devices with a folder each.
final class World: Sendable {
    let cloud: Cloud
    private let folder: URL

    init(seed: UInt64 = 0) throws {
        cloud = try Cloud(seed: seed)
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("fieldnotes-\(UUID().uuidString)")
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func device(_ name: String, account: String? = "alice") throws -> NotesDevice {
        try NotesDevice(cloud.device(account: account), folder: folder.appendingPathComponent(name))
    }
}

/// FieldNotes on one device.
struct NotesDevice: Sendable {
    let device: Device
    let folder: URL
    let store: NoteStore

    init(_ device: Device, folder: URL) throws {
        self.device = device
        self.folder = folder
        store = try NoteStore(directory: folder, container: device.container(NoteStore.containerIdentifier))
    }

    /// The app quits and starts again.
    func reopened() throws -> NotesDevice {
        try NotesDevice(device, folder: folder)
    }

    @discardableResult
    func add(_ title: String, body: String = "", tags: [String] = []) async throws -> Note {
        let note = Note(title: title, body: body, tags: tags)
        try await store.save(note)
        return note
    }

    func edit(_ id: Note.ID, _ change: (inout Note) -> Void) async throws {
        var note = try #require(try await note(id))
        note.edit(change)
        try await store.save(note)
    }

    func note(_ id: Note.ID) async throws -> Note? {
        try await store.notes().first { $0.id == id }
    }

    var titles: [String] {
        get async throws { try await store.notes().map(\.title).sorted() }
    }

    /// The notes, for a comparison of devices.
    var contents: Set<Note> {
        get async throws { try await Set(store.notes()) }
    }
}
