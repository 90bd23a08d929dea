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

@Suite("A store of the second version")
struct SecondVersionTests {
    @Test("Its notes are there, with what they need for the cloud; places and photos can be added")
    func opened() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("fieldnotes-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let id = UUID()
        do {
            let container = try ModelContainer(
                for: Schema(versionedSchema: FieldNotesSchemaV2.self),
                configurations: ModelConfiguration(
                    url: folder.appendingPathComponent("FieldNotes.store"), cloudKitDatabase: .none))
            let context = ModelContext(container)
            let row = FieldNotesSchemaV2.StoredNote(id: id)
            row.title = "Heron"
            row.tags = ["bird"]
            row.stateName = SyncState.synced.rawValue
            row.systemFields = Data([1, 2, 3])
            // As that version encoded it: without place and photos.
            row.baseData = Data(
                """
                {"id":"\(id.uuidString)","title":"Heron","body":"","createdAt":0,"modifiedAt":0,"tags":["bird"],"isPinned":false}
                """.utf8)
            context.insert(row)
            try context.save()
        }
        let persistence = try SwiftDataNotePersistence(directory: folder)
        let row = try await persistence.read { context in
            try context.storedNote(id).map { ($0.note, $0.base, $0.systemFields, $0.state) }
        }
        let (note, base, systemFields, state) = try #require(row)
        #expect(note.title == "Heron" && note.tags == ["bird"] && note.place == nil && note.photos == [])
        #expect(base?.title == "Heron" && systemFields == Data([1, 2, 3]) && state == .synced)
        var edited = note
        edited.edit {
            $0.place = "Weir"
            $0.photos = [Photo(format: "jpg")]
        }
        try await persistence.save(edited)
        #expect(try await SwiftDataNotePersistence(directory: folder).notes() == [edited])
    }
}
