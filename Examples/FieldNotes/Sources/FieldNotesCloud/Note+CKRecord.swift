import CloudKit
import FieldNotesModel
import FieldNotesStore
import Foundation

/// How a note looks in the cloud: a record "Note" in the zone "Notes" of its owner's private database, named by the
/// note's identifier.
enum NoteRecord {
    static let type = "Note"
    static let zoneID = CKRecordZone.ID(zoneName: "Notes", ownerName: CKCurrentUserDefaultName)

    static func id(of note: Note.ID) -> CKRecord.ID {
        CKRecord.ID(recordName: note.uuidString, zoneID: zoneID)
    }

    static func noteID(of record: CKRecord.ID) -> Note.ID? {
        UUID(uuidString: record.recordName)
    }
}

extension Note {
    /// nil for a record that is no note: a newer version of the app may keep other things in the same zone.
    init?(record: CKRecord) {
        guard record.recordType == NoteRecord.type, let id = NoteRecord.noteID(of: record.recordID) else { return nil }
        let createdAt = record["createdAt"] as? Date ?? record.creationDate ?? Date(timeIntervalSince1970: 0)
        self.init(
            id: id, title: record["title"] as? String ?? "", body: record["body"] as? String ?? "",
            createdAt: createdAt, modifiedAt: record["modifiedAt"] as? Date ?? record.modificationDate ?? createdAt,
            tags: record["tags"] as? [String] ?? [], isPinned: record["isPinned"] as? Bool ?? false,
            notebook: record["notebook"] as? String, place: record["place"] as? String,
            photos: record.photos.map(\.photo))
    }

    /// Writes into `record` what differs from `base`, the note as the cloud has it, so that only those fields are sent.
    func write(to record: CKRecord, since base: Note?, _ folder: PhotoFolder) {
        if title != base?.title { record["title"] = title }
        if body != base?.body { record["body"] = body }
        if createdAt != base?.createdAt { record["createdAt"] = createdAt }
        if modifiedAt != base?.modifiedAt { record["modifiedAt"] = modifiedAt }
        // An empty list has no type, and a field without a type cannot come into being.
        if tags != base?.tags ?? [] { record["tags"] = tags.isEmpty ? nil : tags }
        if isPinned != base?.isPinned { record["isPinned"] = isPinned }
        if notebook != base?.notebook { record["notebook"] = notebook }
        if place != base?.place { record["place"] = place }
        if photos != base?.photos ?? [] {
            record["photoNames"] = photos.isEmpty ? nil : photos.map(\.fileName)
            record["photos"] = photos.isEmpty ? nil : photos.map { CKAsset(fileURL: folder.url(of: $0)) }
        }
    }
}

extension CKRecord {
    /// The photos of a note's record; a file only where the record was fetched, not where an error carries it.
    var photos: [(photo: Photo, file: URL?)] {
        let names = self["photoNames"] as? [String] ?? []
        let assets = self["photos"] as? [CKAsset] ?? []
        return zip(names, assets).compactMap { name, asset in Photo(fileName: name).map { ($0, asset.fileURL) } }
    }

    /// The record without its fields: its identity and its change tag, to be kept beside the note.
    var archivedSystemFields: Data {
        let archiver = NSKeyedArchiver(requiringSecureCoding: true)
        encodeSystemFields(with: archiver)
        archiver.finishEncoding()
        return archiver.encodedData
    }

    static func unarchive(systemFields data: Data) -> CKRecord? {
        guard let unarchiver = try? NSKeyedUnarchiver(forReadingFrom: data) else { return nil }
        unarchiver.requiresSecureCoding = true
        defer { unarchiver.finishDecoding() }
        return CKRecord(coder: unarchiver)
    }
}
