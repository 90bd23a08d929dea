import FieldNotesModel
import FieldNotesStore
import Foundation
import SwiftData
import Testing

@Suite("Notes in a store")
final class SwiftDataNotePersistenceTests {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("fieldnotes-\(UUID().uuidString)")

    deinit { try? FileManager.default.removeItem(at: folder) }

    @Test("A note is there after the app has quit, with everything that is in it")
    func reopened() async throws {
        let note = Note(
            title: "Old oak", body: "Hollow\nat the base", tags: ["tree", "storm"], isPinned: true,
            notebook: "North slope")
        try await SwiftDataNotePersistence(directory: folder).save(note)
        #expect(try await SwiftDataNotePersistence(directory: folder).notes() == [note])
    }

    @Test("Saving a note again changes it; no second one comes to be")
    func upsert() async throws {
        let notes = try SwiftDataNotePersistence(directory: folder)
        var note = Note(title: "Heron", tags: ["bird"])
        try await notes.save(note)
        note.edit { $0.tags = [] }
        try await notes.save(note)
        #expect(try await notes.notes() == [note])
        let rows = try await notes.read { try $0.fetchCount(FetchDescriptor<StoredNote>()) }
        #expect(rows == 1)
    }

    @Test("A note that is deleted is seen no longer, and comes back when it is saved again")
    func deletion() async throws {
        let notes = try SwiftDataNotePersistence(directory: folder)
        let note = Note(title: "Heron")
        try await notes.save(note)
        try await notes.delete(note.id)
        #expect(try await notes.notes().isEmpty)
        try await notes.save(note)
        #expect(try await notes.notes() == [note])
    }

    @Test("An error in the middle of a change leaves everything as it was")
    func failure() async throws {
        struct Failure: Error {}
        let notes = try SwiftDataNotePersistence(directory: folder)
        let note = Note(title: "Heron")
        try await notes.save(note)
        await #expect(throws: Failure.self) {
            try await notes.update { context in
                try context.upsert(Note(title: "Moss")).state = .synced
                try context.storedNote(note.id)?.title = "Crane"
                throw Failure()
            }
        }
        #expect(try await notes.notes() == [note])
    }

    @Test("Two users of one store see each other's changes and lose none")
    func twoUsers() async throws {
        let (first, second) = try (
            SwiftDataNotePersistence(directory: folder), SwiftDataNotePersistence(directory: folder)
        )
        let shared = Note(title: "Shared")
        try await first.save(shared)
        try await withThrowingTaskGroup { group in
            for persistence in [first, second] {
                group.addTask {
                    for number in 0..<20 {
                        try await persistence.save(Note(title: "\(number)"))
                        try await persistence.update { try $0.storedNote(shared.id)?.body += "x" }
                    }
                }
            }
            try await group.waitForAll()
        }
        let notes = try await second.notes()
        #expect(notes.count == 41)
        #expect(notes.first { $0.id == shared.id }?.body.count == 40)
    }

    @Test("A file that is no store is refused and left as it is")
    func notAStore() throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let file = folder.appendingPathComponent("FieldNotes.store")
        let text = Data(String(repeating: "no store ", count: 1000).utf8)
        try text.write(to: file)
        #expect(throws: SwiftDataError.self) { try SwiftDataNotePersistence(directory: folder) }
        #expect(try Data(contentsOf: file) == text)
    }
}
