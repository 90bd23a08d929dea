import CloudKit
import CloudKitTesting
import FieldNotesCloud
import FieldNotesModel
import Foundation
import Testing

@Suite("Field guides")
struct FieldGuideTests {
    let world: World

    init() throws { world = try World() }

    private func guides(_ account: String?) -> FieldGuides {
        FieldGuides(container: world.cloud.device(account: account).container(NoteStore.containerIdentifier))
    }

    private let notes = [
        Note(title: "Heron", place: "Weir"), Note(title: "Reed", place: "Weir"), Note(title: "Moss", place: "Wood"),
        Note(title: "Cloud"),
    ]

    @Test("Everybody finds a published notebook by the places in it, newest first, with its cover")
    func found() async throws {
        let cover = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).png")
        let copy = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).png")
        try Data("cover".utf8).write(to: cover)
        let reader = guides(nil)
        #expect(try await reader.mentioning("Weir") == [])
        let river = try await guides("alice").publish("River", notes: notes, cover: cover)
        try await guides("bob").publish("Weirs", notes: [notes[0]])
        #expect(try await reader.mentioning("Weir").map(\.title) == ["Weirs", "River"])
        #expect(try await reader.mentioning("Wood") == [river])
        #expect(river.placeNames == ["Weir", "Wood"])
        #expect(try await reader.saveCover(of: river.id, to: copy))
        #expect(try Data(contentsOf: copy) == Data("cover".utf8))
        for file in [cover, copy] { try FileManager.default.removeItem(at: file) }
    }

    @Test("Publishing again updates the guide, from another device too; another person's of the same name is another")
    func again() async throws {
        let first = try await guides("alice").publish("River", notes: notes)
        let second = try await guides("alice").publish("River", notes: [notes[2]])
        #expect(second.id == first.id)
        #expect(try await guides("bob").publish("River", notes: notes).id != first.id)
        #expect(try await guides(nil).mentioning("Weir").count == 1)
        #expect(try await guides(nil).mentioning("Wood").count == 2)
    }

    @Test("Nobody publishes without an account")
    func noAccount() async throws {
        await #expect(throws: SyncError.noAccount) { try await guides(nil).publish("River", notes: notes) }
    }
}
