import Foundation
import SwiftData

/// The notes as the first version of the app kept them. Frozen: stores of that version are opened by it.
public enum FieldNotesSchemaV1: VersionedSchema {
    public static let versionIdentifier = Schema.Version(1, 0, 0)
    public static var models: [any PersistentModel.Type] { [StoredNote.self] }

    @Model
    public final class StoredNote {
        // Not unique: an import on each of two devices could leave two notes of one identifier.
        public var id: UUID = UUID()
        public var title: String = ""
        public var body: String = ""
        public var createdAt: Date = Date()
        public var modifiedAt: Date = Date()
        public var tags: [String] = []
        public var isPinned: Bool = false

        public init(id: UUID, title: String, body: String, createdAt: Date, modifiedAt: Date, tags: [String]) {
            self.id = id
            self.title = title
            self.body = body
            self.createdAt = createdAt
            self.modifiedAt = modifiedAt
            self.tags = tags
        }
    }
}
