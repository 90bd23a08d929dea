#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
import Glibc

/// A folder that is filled under another name and gets its own when it is whole and on the disk.
struct PendingFolder {
    let pending: URL
    private let directory: URL

    init(for directory: URL) throws(StoreError) {
        self.directory = directory
        let manager = FileManager.default
        if manager.fileExists(atPath: directory.path) {
            let contents = try? manager.contentsOfDirectory(atPath: directory.path)
            guard let contents, contents.isEmpty else {
                throw StoreError(
                    .invalid, "\(directory.path) is not an empty folder. Name one that is, or one that does not exist.")
            }
        }
        let name = directory.lastPathComponent + ".partial"
        pending = directory.deletingLastPathComponent().appendingPathComponent(name)
        do {
            // An attempt that was interrupted left it.
            try? manager.removeItem(at: pending)
            try manager.createDirectory(
                at: DirectoryLayout(directory: pending).containers, withIntermediateDirectories: true)
        } catch {
            throw StoreError(.unavailable, "\(pending.path) cannot be made: \(error)")
        }
    }

    func finish() throws(StoreError) {
        let layout = DirectoryLayout(directory: pending)
        for folder in [layout.containers, pending] {
            let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
            for name in names { Self.sync(folder.appendingPathComponent(name).path) }
            Self.sync(folder.path)
        }
        _ = rmdir(directory.path)  // there when it was empty
        guard rename(pending.path, directory.path) == 0 else {
            throw StoreError(
                .unavailable, "\(pending.path) is whole, but cannot be renamed to \(directory.path): error \(errno).")
        }
        Self.sync(directory.deletingLastPathComponent().path)
    }

    private static func sync(_ path: String) {
        let descriptor = open(path, O_RDONLY)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }
}
