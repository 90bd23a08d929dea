import Foundation
import SwiftData

/// The notes as the second version of the app kept them: one row for each identifier, notebooks, and what a note's way to the
/// cloud needs. Frozen: stores of that version are opened by it.
public enum FieldNotesSchemaV2: VersionedSchema {
    public static let versionIdentifier = Schema.Version(2, 0, 0)
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

    /// How far this device has read the cloud. There is one, in the notes' own file, so that the two never disagree.
    @Model
    public final class StoredProgress {
        /// The archived CKServerChangeToken of the zone.
        public var changeToken: Data?
        /// How far a sync engine has come, encoded.
        public var engineState: Data?
        /// The notes that came since a sync engine began to read the zone anew; nil while it does not.
        public var present: [UUID]?
        /// Whose notes these are.
        public var userRecordName: String?
        public var hasZone: Bool = false

        public init() {}
    }
}
