import CloudKit
import CloudKitTesting
import FieldNotesCloud
import FieldNotesModel
import Foundation
import Testing

@Suite("Photos of notes", .timeLimit(.minutes(2)))
final class PhotoTests {
    let world: World
    let phone: NotesDevice
    let tablet: NotesDevice
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("photos-\(UUID().uuidString)")

    init() throws {
        world = try World()
        phone = try world.device("phone")
        tablet = try world.device("tablet")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    private func image(_ content: String) throws -> URL {
        let file = folder.appendingPathComponent("\(UUID().uuidString).JPG")
        try Data(content.utf8).write(to: file)
        return file
    }

    private func contents(_ device: NotesDevice, _ id: Note.ID) async throws -> Set<String> {
        let photos = try #require(try await device.note(id)).photos
        return try Set(photos.map { try String(contentsOf: device.store.file(of: $0), encoding: .utf8) })
    }

    private func syncAll() async throws {
        for _ in 0..<2 {
            for device in [phone, tablet] { _ = try await device.store.sync() }
        }
    }

    @Test("A photo reaches the other device with its note, and stays when the words are edited")
    func travels() async throws {
        var note = Note(title: "Heron", place: "Weir")
        note.photos = [try phone.store.addPhoto(image("heron at noon"))]
        try await phone.store.save(note)
        try await syncAll()
        #expect(try await tablet.note(note.id) == note)
        #expect(try await contents(tablet, note.id) == ["heron at noon"])
        try await tablet.edit(note.id) { $0.body = "Gone by three" }
        try await syncAll()
        #expect(try await contents(phone, note.id) == ["heron at noon"])
        #expect(try await phone.note(note.id)?.body == "Gone by three")
    }

    @Test("Photos that two devices add to one note are both kept, and one that was taken away is gone")
    func merged() async throws {
        var note = Note(title: "Heron")
        note.photos = [try phone.store.addPhoto(image("first"))]
        try await phone.store.save(note)
        try await syncAll()
        let mine = try phone.store.addPhoto(image("by phone"))
        let theirs = try tablet.store.addPhoto(image("by tablet"))
        try await phone.edit(note.id) { $0.photos.append(mine) }
        try await tablet.edit(note.id) { $0.photos = [theirs] }
        try await syncAll()
        for device in [phone, tablet] {
            #expect(try await contents(device, note.id) == ["by phone", "by tablet"])
        }
    }

    @Test("A file that no note refers to any more goes after a day")
    func unused() async throws {
        var note = Note(title: "Heron")
        let (kept, taken) = (try phone.store.addPhoto(image("kept")), try phone.store.addPhoto(image("taken away")))
        note.photos = [kept, taken]
        try await phone.store.save(note)
        try await syncAll()
        try await phone.edit(note.id) { $0.photos = [kept] }
        let fresh = try phone.store.addPhoto(image("of a note that is being written"))
        try await syncAll()
        func exists(_ photo: Photo) -> Bool { FileManager.default.fileExists(atPath: phone.store.file(of: photo).path) }
        #expect(exists(kept) && exists(taken) && exists(fresh))
        for photo in [kept, taken] {
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSinceNow: -25 * 3600)],
                ofItemAtPath: phone.store.file(of: photo).path)
        }
        _ = try await phone.store.sync()
        #expect(exists(kept) && !exists(taken) && exists(fresh))
    }

    @Test("Photos come by push as well")
    func live() async throws {
        let sync = LiveSync(tablet.store)
        try await sync.start()
        var note = Note(title: "Heron")
        note.photos = [try phone.store.addPhoto(image("live"))]
        try await phone.store.save(note)
        _ = try await phone.store.sync()
        for try await event in sync.events where event == .received(note) { break }
        #expect(try await contents(tablet, note.id) == ["live"])
        await sync.stop()
    }
}
