import CloudKit
import CloudKitTesting
import FieldNotesCloud
import FieldNotesModel
import Foundation
import Synchronization
import Testing

@Suite("Two devices of one account")
struct SyncTests {
    let world: World
    let phone: NotesDevice
    let tablet: NotesDevice

    init() throws {
        world = try World()
        phone = try world.device("phone")
        tablet = try world.device("tablet")
    }

    @Test("A note reaches the other device with everything that is in it")
    func aNote() async throws {
        let note = Note(
            title: "Old oak", body: "Hollow\nat the base", tags: ["tree", "storm"], isPinned: true,
            notebook: "North slope")
        try await phone.store.save(note)
        let sent = try await phone.store.sync()
        let received = try await tablet.store.sync()
        #expect(sent.sent == 1)
        #expect(received.received == 1)
        #expect(try await tablet.note(note.id) == note)
    }

    @Test("A second sync has nothing to do")
    func nothingNew() async throws {
        try await phone.add("Heron")
        _ = try await phone.store.sync()
        #expect(try await phone.store.sync() == SyncReport())
    }

    @Test("What was edited offline is sent when the network is back, also after a restart of the app")
    func offline() async throws {
        phone.device.isOffline = true
        try await phone.add("Heron")
        #expect(try await phone.store.sync().isOffline)
        let reopened = try phone.reopened()
        #expect(try await reopened.store.pendingCount == 1)
        phone.device.isOffline = false
        _ = try await reopened.store.sync()
        _ = try await tablet.store.sync()
        #expect(try await tablet.titles == ["Heron"])
    }

    @Test("Edits of one note on both devices are merged")
    func conflict() async throws {
        let note = try await phone.add("Heron", body: "At the weir")
        try await syncAll()
        try await phone.edit(note.id) { $0.body += "\nStill there at noon" }
        try await tablet.edit(note.id) { $0.isPinned = true }
        try await syncAll()
        let merged = try #require(try await phone.note(note.id))
        #expect(merged.body == "At the weir\nStill there at noon")
        #expect(merged.isPinned)
        #expect(try await tablet.note(note.id) == merged)
    }

    @Test("A note edited on one device and deleted on the other stays", arguments: [true, false])
    func editAgainstDeletion(deletionIsFirst: Bool) async throws {
        let note = try await phone.add("Heron")
        try await syncAll()
        try await phone.store.delete(note.id)
        try await tablet.edit(note.id) { $0.title = "Grey heron" }
        for device in deletionIsFirst ? [phone, tablet] : [tablet, phone] { _ = try await device.store.sync() }
        try await syncAll()
        #expect(try await phone.titles == ["Grey heron"])
        #expect(try await tablet.titles == ["Grey heron"])
    }

    @Test("A deletion reaches the other device")
    func deletion() async throws {
        let note = try await phone.add("Heron")
        try await syncAll()
        try await tablet.store.delete(note.id)
        #expect(try await tablet.store.sync().deleted == 1)
        #expect(try await phone.store.sync().removed == 1)
        #expect(try await phone.titles.isEmpty)
    }

    @Test("A save whose answer is lost is neither lost nor doubled")
    func lostAnswer() async throws {
        let note = try await phone.add("Heron", body: "one")
        _ = try await phone.store.sync()
        try await phone.edit(note.id) { $0.body += "\ntwo" }
        phone.device.setFaults { request in request.operation == "records/modify" ? .answerLost : nil }
        #expect(try await phone.store.sync().isOffline)
        phone.device.setFaults(nil)
        try await syncAll()
        #expect(try await tablet.note(note.id)?.body == "one\ntwo")
        #expect(try await phone.store.pendingCount == 0)
    }

    @Test("More notes than one request may carry go in several")
    func manyNotes() async throws {
        for number in 0..<450 { try await phone.add("Note \(number)") }
        try await syncAll()
        #expect(try await tablet.contents.count == 450)
        #expect(try await tablet.contents == phone.contents)
    }

    @Test("After the zone was deleted in the cloud, a device brings its notes back")
    func deletedZone() async throws {
        try await phone.add("Heron")
        try await syncAll()
        let database = tablet.device.container(NoteStore.containerIdentifier).privateCloudDatabase
        _ = try await database.deleteRecordZone(withID: CKRecordZone.ID(zoneName: "Notes"))
        try await syncAll()
        #expect(try await phone.titles == ["Heron"])
        #expect(try await tablet.titles == ["Heron"])
    }

    @Test("A device whose change token has expired reads everything anew and notices deletions")
    func expiredToken() async throws {
        let gone = try await phone.add("Wet socks")
        try await phone.add("Heron")
        try await syncAll()
        try await phone.store.delete(gone.id)
        _ = try await phone.store.sync()
        let unsent = try await tablet.add("Moss")
        let isFirst = Mutex(true)
        tablet.device.setFaults { request in
            guard request.operation == "changes/zone" else { return nil }
            return isFirst.withLock { isFirst in
                defer { isFirst = false }
                return isFirst ? .refused(.changeTokenExpired) : nil
            }
        }
        #expect(try await tablet.store.sync().removed == 1)
        #expect(try await tablet.titles == ["Heron", "Moss"])
        _ = try await phone.store.sync()
        #expect(try await phone.note(unsent.id) != nil)
    }

    @Test("Without an account nothing is exchanged, and another account's notes are not mixed in")
    func accounts() async throws {
        try await phone.add("Heron")
        _ = try await phone.store.sync()
        phone.device.signOut()
        await #expect(throws: SyncError.noAccount) { try await phone.reopened().store.sync() }
        phone.device.signIn("bob")
        await #expect(throws: SyncError.otherAccount) { try await phone.reopened().store.sync() }
    }

    @Test("The cloud finds notes by tag and by the beginning of their title")
    func cloudSearch() async throws {
        try await phone.add("Old oak", tags: ["tree"])
        try await phone.add("Heron", tags: ["bird", "Old"])
        try await phone.add("Moss")
        _ = try await phone.store.sync()
        #expect(try await tablet.store.searchCloud("Old").map(\.title).sorted() == ["Heron", "Old oak"])
        #expect(try await tablet.store.searchCloud("bird").map(\.title) == ["Heron"])
        #expect(try await tablet.store.searchCloud("stone").isEmpty)
    }

    /// Twice: the first round merges, the second brings what was merged to everybody.
    private func syncAll() async throws {
        for _ in 0..<2 {
            for device in [phone, tablet] { _ = try await device.store.sync() }
        }
    }
}
