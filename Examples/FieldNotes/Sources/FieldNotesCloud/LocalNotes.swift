import CloudKit
import FieldNotesModel
import Foundation

/// What this device knows: its notes, what of them the cloud does not have yet, and how far it has read the cloud's
/// changes. One JSON file, so that notes, change token and the sync engine's state can never disagree.
struct LocalNotes: Codable {
    struct Entry: Codable {
        enum State: String, Codable {
            case synced, edited, deleted
        }

        var note: Note
        var state: State
        /// The note as this device and the cloud last had it in common.
        var base: Note?
        /// Identity and change tag of the cloud's record; nil while the cloud has none.
        var systemFields: Data?
    }

    var entries: [Note.ID: Entry] = [:]
    /// The archived CKServerChangeToken of the zone.
    var changeToken: Data?
    /// How far the sync engine of `LiveSync` has come.
    var engineState: CKSyncEngine.State.Serialization?
    /// The notes that came since the engine began to read the zone anew; nil while it does not.
    var present: Set<Note.ID>?
    /// Whose notes these are.
    var userRecordName: String?
    var hasZone = false

    /// The notes that the user sees.
    var notes: [Note] {
        entries.values.filter { $0.state != .deleted }.map(\.note)
    }

    var pendingCount: Int {
        entries.values.count { $0.state != .synced }
    }

    mutating func save(_ note: Note) {
        var entry = entries[note.id] ?? Entry(note: note, state: .edited)
        entry.note = note
        entry.state = .edited
        entries[note.id] = entry
    }

    /// Also a note that the cloud never saw stays until its deletion was sent: it may be on its way there right now.
    mutating func delete(_ id: Note.ID) {
        entries[id]?.state = .deleted
    }

    var serverChangeToken: CKServerChangeToken? {
        get {
            changeToken.flatMap { try? NSKeyedUnarchiver.unarchivedObject(ofClass: CKServerChangeToken.self, from: $0) }
        }
        set {
            changeToken = newValue.flatMap {
                try? NSKeyedArchiver.archivedData(withRootObject: $0, requiringSecureCoding: true)
            }
        }
    }

    /// Forgets the cloud and keeps the notes: they will all be sent again.
    mutating func forgetCloud() {
        changeToken = nil
        present = nil
        hasZone = false
        for (id, var entry) in entries {
            entry.systemFields = nil
            entry.base = nil
            if entry.state == .synced { entry.state = .edited }
            entries[id] = entry.state == .deleted ? nil : entry
        }
    }
}
