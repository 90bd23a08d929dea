import CloudKit
import FieldNotesModel
import Foundation

extension LocalNotes {
    enum Outcome {
        case nothing, received, merged, removed
    }

    /// Takes in the cloud's newest state of a note. An edit made here meanwhile is merged and stays to be sent.
    mutating func receive(_ record: CKRecord) -> Outcome {
        guard let theirs = Note(record: record) else { return .nothing }
        guard var entry = entries[theirs.id] else {
            entries[theirs.id] = Entry(
                note: theirs, state: .synced, base: theirs, systemFields: record.archivedSystemFields)
            return .received
        }
        let before = entry.note
        let isNews = theirs != entry.base
        switch entry.state {
        case .synced:
            entry.note = theirs
        case .edited:
            entry.note = entry.note.merging(theirs, since: entry.base)
            if entry.note == theirs { entry.state = .synced }
        case .deleted where isNews:
            // Deleted here, edited elsewhere: the words win, a deletion is quickly made again.
            entry.note = theirs
            entry.state = .synced
        case .deleted:
            break
        }
        let outcome: Outcome =
            !isNews ? .nothing : entry.state == .edited ? .merged : before == theirs ? .nothing : .received
        entry.base = theirs
        entry.systemFields = record.archivedSystemFields
        entries[theirs.id] = entry
        return outcome
    }

    /// Takes in that the cloud has deleted a note. One edited here meanwhile is kept, and made anew in the cloud.
    mutating func receiveDeletion(of recordID: CKRecord.ID) -> Outcome {
        guard let id = NoteRecord.noteID(of: recordID), var entry = entries[id], entry.systemFields != nil else {
            return .nothing
        }
        guard entry.state == .edited else {
            let wasVisible = entry.state == .synced
            entries[id] = nil
            return wasVisible ? .removed : .nothing
        }
        entry.base = nil
        entry.systemFields = nil
        entries[id] = entry
        return .merged
    }

    /// After the whole zone was read from its beginning: what was not in it has been deleted in the cloud.
    ///
    /// - Returns: What the user sees no longer.
    mutating func receiveAbsence(ofAllBut present: Set<Note.ID>) -> [Note] {
        entries.values.filter { !present.contains($0.note.id) }.map(\.note).filter { note in
            receiveDeletion(of: NoteRecord.id(of: note.id)) == .removed
        }
    }
}
