import Behaviours
import Foundation
import SwiftData
import Synchronization
import Testing

@Suite("Notifications and autosave")
struct NotificationTests {
    @Test(
        "A save is told before and after, with the identifiers of what it changed",
        .behaviour("swiftdata.save-notifications"))
    func saving() throws {
        let context = ModelContext(try .inMemory(Note.self, Label.self))
        let kept = Note(title: "kept")
        let gone = Note(title: "gone")
        context.insert(kept)
        context.insert(gone)
        try context.save()
        let (keptID, goneID) = (kept.persistentModelID, gone.persistentModelID)

        let told = Mutex<[String: [PersistentIdentifier]]>([:])
        let before = Mutex(0)
        let center = NotificationCenter.default
        let observers = [
            center.addObserver(forName: ModelContext.willSave, object: context, queue: nil) { _ in
                before.withLock { $0 += 1 }
            },
            center.addObserver(forName: ModelContext.didSave, object: context, queue: nil) { notification in
                for (key, value) in notification.userInfo ?? [:] {
                    guard let key = key as? String, let value = value as? [PersistentIdentifier] else { continue }
                    told.withLock { $0[key] = value }
                }
            },
        ]
        defer { observers.forEach { center.removeObserver($0) } }
        let added = Note(title: "added")
        context.insert(added)
        kept.title = "changed"
        context.delete(gone)
        try context.save()
        let userInfo = told.withLock { $0 }
        #expect(before.withLock { $0 } == 1)
        #expect(userInfo[ModelContext.NotificationKey.insertedIdentifiers.rawValue] == [added.persistentModelID])
        #expect(userInfo[ModelContext.NotificationKey.updatedIdentifiers.rawValue] == [keptID])
        #expect(userInfo[ModelContext.NotificationKey.deletedIdentifiers.rawValue] == [goneID])
        // Nothing to save, nothing to tell.
        try context.save()
        #expect(before.withLock { $0 } == 1)
    }

    @Test("The main context saves by itself; another one only when it is told", .behaviour("swiftdata.autosave"))
    @MainActor func autosave() async throws {
        let container = try ModelContainer.inMemory(Note.self, Label.self)
        #expect(container.mainContext.autosaveEnabled)
        container.mainContext.insert(Note(title: "A"))
        // The main queue's next turns come before this one's continuation.
        while container.mainContext.hasChanges { await Task.yield() }
        #expect(try ModelContext(container).fetchCount(FetchDescriptor<Note>()) == 1)

        let other = ModelContext(container)
        #expect(!other.autosaveEnabled)
        other.insert(Note(title: "B"))
        other.processPendingChanges()
        #expect(other.hasChanges)
        other.autosaveEnabled = true
        other.processPendingChanges()
        #expect(!other.hasChanges)
    }

    @Test("With autosave off the main context keeps its changes to itself")
    @MainActor func noAutosave() async throws {
        let container = try ModelContainer.inMemory(Note.self, Label.self)
        container.mainContext.autosaveEnabled = false
        container.mainContext.insert(Note(title: "A"))
        // A turn of the main queue, in which it would have saved.
        await withCheckedContinuation { continuation in DispatchQueue.main.async { continuation.resume() } }
        #expect(container.mainContext.hasChanges)
    }
}
