import FieldNotesModel
import Foundation
import SwiftData

extension StoredNote {
    public var state: SyncState {
        get { SyncState(rawValue: stateName) ?? .edited }
        set { stateName = newValue.rawValue }
    }

    /// The note as this device and the cloud last had it in common.
    public var base: Note? {
        get { baseData.flatMap { try? JSONDecoder().decode(Note.self, from: $0) } }
        set { baseData = newValue.flatMap { try? JSONEncoder().encode($0) } }
    }

    public var note: Note {
        Note(
            id: id, title: title, body: body, createdAt: createdAt, modifiedAt: modifiedAt, tags: tags,
            isPinned: isPinned, notebook: notebook, place: place, photos: photos)
    }

    /// Takes over everything that the user sees. What is the same already is not written again.
    public func take(_ note: Note) {
        if title != note.title { title = note.title }
        if body != note.body { body = note.body }
        if createdAt != note.createdAt { createdAt = note.createdAt }
        if modifiedAt != note.modifiedAt { modifiedAt = note.modifiedAt }
        if tags != note.tags { tags = note.tags }
        if isPinned != note.isPinned { isPinned = note.isPinned }
        if notebook != note.notebook { notebook = note.notebook }
        if place != note.place { place = note.place }
        if photos != note.photos { photos = note.photos }
    }
}

extension ModelContext {
    /// The rows of the notes that the user sees.
    public func visibleNotes() throws -> [StoredNote] {
        let deleted = SyncState.deleted.rawValue
        return try fetch(FetchDescriptor<StoredNote>(predicate: #Predicate { $0.stateName != deleted }))
    }

    /// The rows that the cloud does not have yet, the oldest edit first.
    public func pendingNotes() throws -> [StoredNote] {
        let synced = SyncState.synced.rawValue
        return try fetch(
            FetchDescriptor<StoredNote>(
                predicate: #Predicate { $0.stateName != synced }, sortBy: [SortDescriptor(\.modifiedAt)]))
    }

    /// The row of a note, also of one that waits for its deletion to be sent.
    public func storedNote(_ id: Note.ID) throws -> StoredNote? {
        var descriptor = FetchDescriptor<StoredNote>(predicate: #Predicate { $0.id == id })
        descriptor.fetchLimit = 1
        return try fetch(descriptor).first
    }

    /// Adds the note, or changes the one with its identifier: an upsert.
    public func upsert(_ note: Note) throws -> StoredNote {
        if let stored = try storedNote(note.id) {
            stored.take(note)
            return stored
        }
        let stored = StoredNote(id: note.id)
        insert(stored)
        stored.take(note)
        return stored
    }
}
