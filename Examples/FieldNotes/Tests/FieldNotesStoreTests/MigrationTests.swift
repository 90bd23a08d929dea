import FieldNotesModel
import FieldNotesStore
import Foundation
import SwiftData
import Testing

@Suite("A store of the first version")
final class MigrationTests {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("fieldnotes-\(UUID().uuidString)")
    let heron = UUID()
    let moss = UUID()

    /// A store as the first version of the app left it, with two notes of one identifier.
    init() throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let container = try ModelContainer(
            for: Schema(versionedSchema: FieldNotesSchemaV1.self),
            configurations: ModelConfiguration(
                url: folder.appendingPathComponent("FieldNotes.store"), cloudKitDatabase: .none))
        let context = ModelContext(container)
        insert(heron, "Heron", "At the weir", changed: 100, tags: ["bird"], into: context)
        insert(heron, "Grey heron", "Still there at noon", changed: 200, tags: ["river"], into: context)
        insert(moss, "Moss", "", changed: 300, tags: [], into: context)
        try context.save()
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    @Test("Notes of one identifier become one, of the newest title and with every line; the others stay as they are")
    func deduplication() async throws {
        let notes = try await SwiftDataNotePersistence(directory: folder).notes()
        #expect(notes.count == 2)
        let merged = try #require(notes.first { $0.id == heron })
        #expect(merged.title == "Grey heron")
        #expect(Set(merged.body.split(separator: "\n")) == ["At the weir", "Still there at noon"])
        #expect(Set(merged.tags) == ["bird", "river"])
        #expect(merged.createdAt == Date(timeIntervalSince1970: 50))
        #expect(merged.modifiedAt == Date(timeIntervalSince1970: 200))
        let other = try #require(notes.first { $0.id == moss })
        #expect(other == Note(id: moss, title: "Moss", createdAt: other.createdAt, modifiedAt: other.modifiedAt))
    }

    @Test("All of them are yet to be sent to the cloud")
    func pending() async throws {
        let notes = try SwiftDataNotePersistence(directory: folder)
        #expect(try await notes.read { try $0.pendingNotes().map(\.id) } == [heron, moss])
    }

    @Test("It is brought up to date once; what is written then is there the next time")
    func twice() async throws {
        let note = Note(title: "Oak", notebook: "North slope")
        try await SwiftDataNotePersistence(directory: folder).save(note)
        let notes = try await SwiftDataNotePersistence(directory: folder).notes()
        #expect(notes.count == 3)
        #expect(notes.contains(note))
    }

    private func insert(
        _ id: UUID, _ title: String, _ body: String, changed: TimeInterval, tags: [String], into context: ModelContext
    ) {
        context.insert(
            FieldNotesSchemaV1.StoredNote(
                id: id, title: title, body: body, createdAt: Date(timeIntervalSince1970: changed - 50),
                modifiedAt: Date(timeIntervalSince1970: changed), tags: tags))
    }
}
