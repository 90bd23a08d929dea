import CloudKit
import FieldNotesModel
import FieldNotesStore
import Foundation
import SwiftData

extension LocalNotes {
    enum Outcome {
        case nothing, received, merged, removed
    }

    /// Takes in the cloud's newest state of a note. An edit made here meanwhile is merged and stays to be sent.
    func receive(_ record: CKRecord) throws -> Outcome {
        guard let theirs = Note(record: record) else { return .nothing }
        for case (let photo, let file?) in record.photos { try photos.keep(file, as: photo) }
        guard let row = try context.storedNote(theirs.id) else {
            try context.upsert(theirs).agree(on: theirs, as: record, .synced)
            return .received
        }
        let before = row.note
        let isNews = theirs != row.base
        var state = row.state
        switch state {
        case .synced:
            row.take(theirs)
        case .edited:
            let merged = before.merging(theirs, since: row.base)
            row.take(merged)
            if merged == theirs { state = .synced }
        case .deleted where isNews:
            // Deleted here, edited elsewhere: the words win, a deletion is quickly made again.
            row.take(theirs)
            state = .synced
        case .deleted:
            break
        }
        row.agree(on: theirs, as: record, state)
        return !isNews ? .nothing : state == .edited ? .merged : before == theirs ? .nothing : .received
    }

    /// Takes in that the cloud has deleted a note. One edited here meanwhile is kept, and made anew in the cloud.
    func receiveDeletion(of recordID: CKRecord.ID) throws -> Outcome {
        guard let id = NoteRecord.noteID(of: recordID), let row = try context.storedNote(id) else { return .nothing }
        return receiveDeletion(row)
    }

    private func receiveDeletion(_ row: StoredNote) -> Outcome {
        guard row.systemFields != nil else { return .nothing }
        guard row.state == .edited else {
            let wasVisible = row.state == .synced
            context.delete(row)
            return wasVisible ? .removed : .nothing
        }
        row.base = nil
        row.systemFields = nil
        return .merged
    }

    /// After the whole zone was read from its beginning: what was not in it has been deleted in the cloud.
    ///
    /// - Returns: What the user sees no longer.
    func receiveAbsence(ofAllBut present: Set<Note.ID>) throws -> [Note] {
        try context.fetch(FetchDescriptor<StoredNote>()).filter { !present.contains($0.id) }.compactMap { row in
            let note = row.note
            return receiveDeletion(row) == .removed ? note : nil
        }
    }
}

extension StoredNote {
    /// The cloud has the note as it is in `record`.
    func agree(on base: Note, as record: CKRecord, _ state: SyncState) {
        self.base = base
        systemFields = record.archivedSystemFields
        self.state = state
    }
}
