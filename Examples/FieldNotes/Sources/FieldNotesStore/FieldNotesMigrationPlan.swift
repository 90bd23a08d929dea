import FieldNotesModel
import Foundation
import SwiftData

/// How stores of earlier versions become today's.
public enum FieldNotesMigrationPlan: SchemaMigrationPlan {
    public static var schemas: [any VersionedSchema.Type] {
        [FieldNotesSchemaV1.self, FieldNotesSchemaV2.self, FieldNotesSchemaV3.self]
    }
    public static var stages: [MigrationStage] { [oneNoteForEachIdentifier, placesAndPhotos] }

    /// Columns come, and nothing else.
    static var placesAndPhotos: MigrationStage {
        .lightweight(fromVersion: FieldNotesSchemaV2.self, toVersion: FieldNotesSchemaV3.self)
    }

    /// The second version's identifiers are unique. Notes that share one become one before the column is made so, and no
    /// line of theirs is lost.
    static var oneNoteForEachIdentifier: MigrationStage {
        .custom(
            fromVersion: FieldNotesSchemaV1.self, toVersion: FieldNotesSchemaV2.self,
            willMigrate: { context in
                let oldestFirst = [SortDescriptor(\FieldNotesSchemaV1.StoredNote.modifiedAt)]
                let rows = try context.fetch(FetchDescriptor<FieldNotesSchemaV1.StoredNote>(sortBy: oldestFirst))
                for (_, copies) in Dictionary(grouping: rows, by: \.id) where copies.count > 1 {
                    guard let kept = copies.last else { continue }
                    let merged = copies.dropLast().reduce(Note(kept)) { $0.merging(Note($1), since: nil) }
                    kept.take(merged)
                    for copy in copies.dropLast() { context.delete(copy) }
                }
                try context.save()
            },
            didMigrate: nil)
    }
}

extension Note {
    fileprivate init(_ row: FieldNotesSchemaV1.StoredNote) {
        self.init(
            id: row.id, title: row.title, body: row.body, createdAt: row.createdAt, modifiedAt: row.modifiedAt,
            tags: row.tags, isPinned: row.isPinned)
    }
}

extension FieldNotesSchemaV1.StoredNote {
    fileprivate func take(_ note: Note) {
        title = note.title
        body = note.body
        createdAt = note.createdAt
        modifiedAt = note.modifiedAt
        tags = note.tags
        isPinned = note.isPinned
    }
}
