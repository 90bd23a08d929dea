import CloudKit
import CloudKitTesting
import FieldNotesCloud
import FieldNotesModel
import Foundation
import Synchronization
import Testing

@Suite("Two devices that watch", .timeLimit(.minutes(2)))
struct LiveSyncTests {
    let world: World
    let phone: NotesDevice
    let tablet: NotesDevice

    init() throws {
        world = try World()
        phone = try world.device("phone")
        tablet = try world.device("tablet")
    }

    @Test("An edit on one device arrives on the other by push, as do its later edit and its deletion")
    func push() async throws {
        let (left, right) = (try await Watching(phone), try await Watching(tablet))
        try await left.wait(for: .upToDate)
        try await right.wait(for: .upToDate)
        let note = try await phone.add("Heron", body: "At the weir", tags: ["bird"])
        try await right.wait(for: .received(note))
        #expect(try await tablet.note(note.id) == note)
        try await tablet.edit(note.id) { $0.isPinned = true }
        let pinned = try #require(try await tablet.note(note.id))
        try await left.wait(for: .received(pinned))
        try await phone.store.delete(note.id)
        try await right.wait(for: .removed(pinned))
        #expect(try await tablet.titles.isEmpty)
        await left.stop()
        await right.stop()
    }

    @Test("What another process of the app edits is sent too, and neither loses the other's edits")
    func otherProcess() async throws {
        let (left, right) = (try await Watching(phone), try await Watching(tablet))
        let other = try phone.reopened()
        var notes: Set<Note> = []
        for number in 0..<10 {
            notes.insert(try await other.add("Theirs \(number)"))
            notes.insert(try await phone.add("Ours \(number)"))
        }
        try await right.wait(until: notes.map { .received($0) })
        #expect(try await tablet.contents == notes)
        #expect(try await phone.contents == notes)
        await left.stop()
        await right.stop()
    }

    @Test("Both edit one note while one is offline: nothing is lost")
    func conflict() async throws {
        let (left, right) = (try await Watching(phone), try await Watching(tablet))
        let note = try await phone.add("Heron", body: "At the weir")
        try await right.wait(for: .received(note))
        tablet.device.isOffline = true
        try await tablet.edit(note.id) { $0.body += "\nStill there at noon" }
        try await phone.edit(note.id) { $0.tags = ["bird"] }
        try await left.wait { if case .sent(let sent) = $0 { sent.tags == ["bird"] } else { false } }
        tablet.device.isOffline = false
        for side in [left, right] {
            try await side.wait { event in
                switch event {
                case .received(let note), .merged(let note), .sent(let note):
                    note.tags == ["bird"] && note.body == "At the weir\nStill there at noon"
                default: false
                }
            }
        }
        await left.stop()
        await right.stop()
    }

    @Test("What was edited before, and without a network, is sent as soon as one watches")
    func earlierEdits() async throws {
        let note = try await phone.add("Heron")
        phone.device.isOffline = true
        let left = try await Watching(phone)
        try await left.wait(for: .offline)
        phone.device.isOffline = false
        try await left.wait(for: .sent(note))
        await left.stop()
        let right = try await Watching(tablet)
        try await right.wait(for: .received(note))
        await right.stop()
        #expect(try await phone.store.pendingCount == 0)
    }

    @Test("An app killed between any two requests loses nothing and brings nothing twice")
    func kills() async throws {
        for title in ["Moss", "Oak"] { try await tablet.add(title) }
        let elsewhere = try await Watching(tablet)
        try await elsewhere.wait { if case .sent(let note) = $0 { note.title == "Oak" } else { false } }
        let copies = Mutex<[URL]>([])
        phone.device.setFaults { [phone] _ in
            copies.withLock { copies in
                let copy = phone.folder.deletingLastPathComponent().appendingPathComponent("copy-\(copies.count)")
                try? FileManager.default.copyItem(at: phone.folder, to: copy)
                copies.append(copy)
            }
            return nil
        }
        let note = try await phone.add("Heron")
        let left = try await Watching(phone)
        try await left.wait(for: .sent(note))
        await left.stop()
        phone.device.setFaults(nil)
        await elsewhere.stop()
        for copy in copies.withLock({ $0 }) {
            let killed = try NotesDevice(world.cloud.device(account: "alice"), folder: copy)
            guard try await killed.note(note.id) != nil else { continue }
            let again = try await Watching(killed)
            try await again.wait(for: .upToDate)
            await again.stop()
            _ = try await killed.store.sync()
            #expect(try await killed.titles == ["Heron", "Moss", "Oak"], "\(copy.lastPathComponent)")
        }
        _ = try await tablet.store.sync()
        #expect(try await tablet.contents == phone.contents)
    }

    @Test("What was deleted elsewhere while nobody was signed in here is removed")
    func signedOut() async throws {
        let note = try await phone.add("Heron")
        try await phone.add("Moss")
        let (left, right) = (try await Watching(phone), try await Watching(tablet))
        try await right.wait(for: .received(note))
        phone.device.signOut()
        try await left.wait(for: .signedOut)
        try await tablet.store.delete(note.id)
        try await right.wait(for: .deleted(note))
        phone.device.signIn("alice")
        try await left.wait(for: .removed(note))
        #expect(try await phone.titles == ["Moss"])
        await left.stop()
        await right.stop()
    }

    @Test("Another account's notes are not mixed in")
    func otherAccount() async throws {
        let left = try await Watching(phone)
        let note = try await phone.add("Heron")
        try await left.wait(for: .sent(note))
        phone.device.signIn("bob")
        await #expect(throws: SyncError.otherAccount) { try await left.wait { _ in false } }
        await #expect(throws: SyncError.otherAccount) { try await Watching(phone.reopened()) }
        phone.device.signOut()
        await #expect(throws: SyncError.noAccount) { try await Watching(phone.reopened()) }
        #expect(try await phone.titles == ["Heron"])
    }

    @Test("A deleted zone is made again with its notes")
    func deletedZone() async throws {
        let note = try await phone.add("Heron")
        let left = try await Watching(phone)
        try await left.wait(for: .sent(note))
        let other = try await tablet.add("Moss")
        _ = try await tablet.store.sync()
        try await left.wait(for: .received(other))
        let database = tablet.device.container(NoteStore.containerIdentifier).privateCloudDatabase
        _ = try await database.deleteRecordZone(withID: CKRecordZone.ID(zoneName: "Notes"))
        try await left.wait(until: [.sent(note), .sent(other)])
        await left.stop()
        _ = try await tablet.store.sync()
        #expect(try await tablet.titles == ["Heron", "Moss"])
    }

    @Test("Only one process watches a device's notes")
    func twice() async throws {
        let left = try await Watching(phone)
        await #expect(throws: SyncError.alreadyWatching) { try await Watching(phone.reopened()) }
        await left.stop()
        await (try Watching(phone.reopened())).stop()
    }
}

/// A device that watches, and what has happened since.
final class Watching: Sendable {
    private let live: LiveSync

    init(_ device: NotesDevice) async throws {
        live = LiveSync(device.store)
        try await live.start()
    }

    func stop() async { await live.stop() }

    /// Returns when all of them have happened, in any order.
    func wait(until events: [LiveSync.Event]) async throws {
        var missing = events
        try await wait { event in
            missing.removeAll { $0 == event }
            return missing.isEmpty
        }
    }

    func wait(for event: LiveSync.Event) async throws {
        try await wait { $0 == event }
    }

    /// Returns with the first event that fits, of those that nobody has waited for yet.
    func wait(until fits: (LiveSync.Event) -> Bool) async throws {
        for try await event in live.events where fits(event) { return }
    }
}
