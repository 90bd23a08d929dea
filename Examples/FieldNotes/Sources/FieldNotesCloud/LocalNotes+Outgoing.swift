import CloudKit
import FieldNotesModel
import Foundation

extension LocalNotes {
    /// What the cloud does not have yet, the oldest edit first.
    var pending: [Entry] {
        entries.values.filter { $0.state != .synced }.sorted { $0.note.modifiedAt < $1.note.modifiedAt }
    }

    /// The cloud has taken the note. It may have been edited again while it was on its way: then it stays pending.
    mutating func confirm(_ sent: Note, as record: CKRecord) {
        guard var entry = entries[sent.id] else { return }
        entry.base = sent
        entry.systemFields = record.archivedSystemFields
        if entry.note == sent, entry.state == .edited { entry.state = .synced }
        entries[sent.id] = entry
    }

    /// The cloud has the note no longer. One that was brought back meanwhile stays.
    ///
    /// - Returns: Whether it was to be deleted.
    mutating func confirmDeletion(of recordID: CKRecord.ID) -> Bool {
        guard let id = NoteRecord.noteID(of: recordID), entries[id]?.state == .deleted else { return false }
        entries[id] = nil
        return true
    }
}

extension LocalNotes.Entry {
    /// The record as it is to be sent, with the fields that the cloud has otherwise.
    var record: CKRecord {
        let record =
            systemFields.flatMap(CKRecord.unarchive(systemFields:))
            ?? CKRecord(recordType: NoteRecord.type, recordID: NoteRecord.id(of: note.id))
        note.write(to: record, since: base)
        return record
    }
}
