import CloudKit
import FieldNotesModel
import Foundation

extension NoteStore {
    /// Asks the cloud itself for notes with a tag, or whose title begins with the text, newest first. It also finds what
    /// this device has not synced yet.
    public func searchCloud(_ text: String) async throws -> [Note] {
        var found: [Note.ID: Note] = [:]
        // CloudKit's predicates have no OR, so these are two queries.
        for predicate in [
            NSPredicate(format: "tags CONTAINS %@", text), NSPredicate(format: "title BEGINSWITH %@", text),
        ] {
            let query = CKQuery(recordType: NoteRecord.type, predicate: predicate)
            query.sortDescriptors = [NSSortDescriptor(key: "modifiedAt", ascending: false)]
            for note in try await notes(matching: query) { found[note.id] = note }
        }
        return NoteSortOrder.newest.sorted(found.values)
    }

    private func notes(matching query: CKQuery) async throws -> [Note] {
        var page = try await database.records(matching: query, inZoneWith: NoteRecord.zoneID)
        var notes = try page.matchResults.compactMap { try Note(record: $0.1.get()) }
        while let cursor = page.queryCursor {
            page = try await database.records(continuingMatchFrom: cursor)
            notes += try page.matchResults.compactMap { try Note(record: $0.1.get()) }
        }
        return notes
    }
}
