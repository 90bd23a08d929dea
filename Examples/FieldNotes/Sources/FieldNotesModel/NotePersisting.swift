import Foundation

/// Where notes are kept. The app's screens know this and no store.
public protocol NotePersisting: Sendable {
    func notes() async throws -> [Note]
    /// Adds the note, or replaces the one with its identifier.
    func save(_ note: Note) async throws
    func delete(_ id: Note.ID) async throws
}
