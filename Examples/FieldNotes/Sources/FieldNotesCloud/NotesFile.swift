import Foundation

/// The file of a device's notes.
///
/// Several processes of the app may use it at a time, as a widget beside its app does: each change is made to the newest
/// state, under a lock, so that none loses another's edit. The file is replaced as a whole, so that whoever is killed in
/// the middle leaves the state before or the state after.
struct NotesFile {
    private let file: URL
    private let lock: URL
    private let doorbell: URL
    /// Which version of the file was read or written last.
    private var version: Version?

    private struct Version: Equatable {
        var number: Int?
        var size: Int?
        var date: Date?
    }

    init(_ directory: URL) {
        file = directory.appendingPathComponent("notes.json")
        lock = directory.appendingPathComponent("notes.lock")
        doorbell = directory.appendingPathComponent("notes.bell")
    }

    /// Reads what another process has written since.
    mutating func reload(_ local: inout LocalNotes) throws {
        let current = currentVersion()
        guard let current, current != version else { return }
        local = try JSONDecoder().decode(LocalNotes.self, from: Data(contentsOf: file))
        version = current
    }

    /// Changes the notes in their newest state and stores them. An error leaves them as they were.
    mutating func update<Value>(
        _ local: inout LocalNotes, _ change: (inout LocalNotes) throws -> Value
    ) throws -> Value {
        let held = try FileLock(lock)
        defer { held.release() }
        try reload(&local)
        var changed = local
        let value = try change(&changed)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        try encoder.encode(changed).write(to: file, options: .atomic)
        local = changed
        version = currentVersion()
        Doorbell.ring(doorbell)
        return value
    }

    private func currentVersion() -> Version? {
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: file.path) else { return nil }
        return Version(
            number: attributes[.systemFileNumber] as? Int, size: attributes[.size] as? Int,
            date: attributes[.modificationDate] as? Date)
    }
}
