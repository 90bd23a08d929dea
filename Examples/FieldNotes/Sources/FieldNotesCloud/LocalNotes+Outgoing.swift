import CloudKit
import FieldNotesModel
import FieldNotesStore
import Foundation
import SwiftData

/// An edit or a deletion on its way to the cloud.
struct OutgoingNote: Sendable {
    var note: Note
    var isDeletion: Bool
    var base: Note?
    var systemFields: Data?
    private let photos: PhotoFolder

    init(_ row: StoredNote, _ photos: PhotoFolder) {
        self.photos = photos
        note = row.note
        isDeletion = row.state == .deleted
        base = row.base
        systemFields = row.systemFields
    }

    var recordID: CKRecord.ID { NoteRecord.id(of: note.id) }

    /// The record as it is to be sent, with the fields that the cloud has otherwise.
    var record: CKRecord {
        let record =
            systemFields.flatMap(CKRecord.unarchive(systemFields:))
            ?? CKRecord(recordType: NoteRecord.type, recordID: recordID)
        note.write(to: record, since: base, photos)
        return record
    }

    /// What a sync engine is told of it.
    var change: CKSyncEngine.PendingRecordZoneChange {
        isDeletion ? .deleteRecord(recordID) : .saveRecord(recordID)
    }
}

extension LocalNotes {
    /// What the cloud does not have yet, the oldest edit first.
    func pending() throws -> [OutgoingNote] {
        try context.pendingNotes().map { OutgoingNote($0, photos) }
    }

    /// The cloud has taken the note. It may have been edited again while it was on its way: then it stays pending.
    func confirm(_ sent: Note, as record: CKRecord) throws {
        guard let row = try context.storedNote(sent.id) else { return }
        row.agree(on: sent, as: record, row.state == .edited && row.note == sent ? .synced : row.state)
    }

    /// The cloud has the note no longer. One that was brought back meanwhile stays.
    ///
    /// - Returns: The note, where it was to be deleted.
    func confirmDeletion(of recordID: CKRecord.ID) throws -> Note? {
        guard let id = NoteRecord.noteID(of: recordID), let row = try context.storedNote(id), row.state == .deleted
        else { return nil }
        let note = row.note
        context.delete(row)
        return note
    }
}
