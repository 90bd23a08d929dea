import FieldNotesModel
import Foundation
import SwiftData

/// The notes as they are kept today: the third version knows places and photos.
public enum FieldNotesSchemaV3: VersionedSchema {
    public static let versionIdentifier = Schema.Version(3, 0, 0)
    public static var models: [any PersistentModel.Type] { [StoredNote.self, StoredProgress.self] }

    @Model
    public final class StoredNote {
        @Attribute(.unique) public var id: UUID = UUID()
        public var title: String = ""
        public var body: String = ""
        public var createdAt: Date = Date()
        public var modifiedAt: Date = Date()
        public var tags: [String] = []
        public var isPinned: Bool = false
        public var notebook: String?
        public var place: String?
        /// The files are in the device's `PhotoFolder`.
        public var photos: [Photo] = []
        /// The `state`, as the text that predicates can compare.
        public var stateName: String = SyncState.edited.rawValue
        /// The encoded `base`.
        public var baseData: Data?
        /// Identity and change tag of the cloud's record; nil while the cloud has none.
        public var systemFields: Data?

        public init(id: UUID) {
            self.id = id
        }
    }
}

public typealias StoredNote = FieldNotesSchemaV3.StoredNote
public typealias StoredProgress = FieldNotesSchemaV2.StoredProgress

/// What the cloud knows of a note's newest state here.
public enum SyncState: String, Codable, Sendable {
    case synced, edited
    /// Kept until the deletion was sent.
    case deleted
}
