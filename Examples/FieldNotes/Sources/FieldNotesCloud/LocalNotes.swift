import CloudKit
import FieldNotesModel
import FieldNotesStore
import Foundation
import SwiftData

/// What this device knows, as one operation on the store sees it: its notes, what of them the cloud does not have yet, and
/// how far it has read the cloud's changes.
struct LocalNotes {
    let context: ModelContext
    let photos: PhotoFolder

    /// The one row about the cloud.
    func progress() throws -> StoredProgress {
        if let progress = try context.fetch(FetchDescriptor<StoredProgress>()).first { return progress }
        let progress = StoredProgress()
        context.insert(progress)
        return progress
    }

    /// Forgets the cloud and keeps the notes: they will all be sent again.
    func forgetCloud() throws {
        let progress = try progress()
        progress.changeToken = nil
        progress.present = nil
        progress.hasZone = false
        for row in try context.fetch(FetchDescriptor<StoredNote>()) {
            row.systemFields = nil
            row.base = nil
            if row.state == .synced { row.state = .edited }
            if row.state == .deleted { context.delete(row) }
        }
    }

    /// Removes the photos' files to which no note refers any more, and what a killed process left half copied.
    func removeUnusedPhotos() throws {
        let files = try photos.settledFiles()
        guard !files.isEmpty else { return }
        let rows = try context.fetch(FetchDescriptor<StoredNote>())
        let used = Set(rows.flatMap { $0.photos + ($0.base?.photos ?? []) }.map(\.fileName))
        for file in files where !used.contains(file.lastPathComponent) { try FileManager.default.removeItem(at: file) }
    }

    /// - Throws: `SyncError.otherAccount` where the notes are somebody else's.
    func claim(for user: String) throws {
        let progress = try progress()
        if let known = progress.userRecordName, known != user { throw SyncError.otherAccount }
        if progress.userRecordName == nil { progress.userRecordName = user }
    }
}

extension StoredProgress {
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

    var engineSerialization: CKSyncEngine.State.Serialization? {
        get { engineState.flatMap { try? JSONDecoder().decode(CKSyncEngine.State.Serialization.self, from: $0) } }
        set { engineState = newValue.flatMap { try? JSONEncoder().encode($0) } }
    }
}
