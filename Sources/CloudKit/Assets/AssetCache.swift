import Foundation
import Synchronization

/// Where fetched files lie until somebody cleans up: a folder of the user's cache, as on Apple's systems. An app that wants
/// to keep one moves or copies it.
package final class AssetCache: Sendable {
    static let shared = AssetCache(folder: AssetCache.defaultFolder)

    /// How long a file is left alone after its fetch, in seconds.
    package static let life: TimeInterval = 24 * 3600
    /// How often old files are looked for, in seconds.
    private static let round: TimeInterval = 3600

    private let folder: URL
    private let lastRound = Mutex<Date?>(nil)

    package init(folder: URL) {
        self.folder = folder
    }

    /// In the cache of whoever runs the program; where that cannot be written, among temporary files.
    private static var defaultFolder: URL {
        let name = "CloudKit/Assets"
        let manager = FileManager.default
        if let caches = manager.urls(for: .cachesDirectory, in: .userDomainMask).first {
            let folder = caches.appendingPathComponent(name)
            try? makeFolder(folder)
            if manager.isWritableFile(atPath: folder.path) { return folder }
        }
        return manager.temporaryDirectory.appendingPathComponent("\(name)-\(getuid())")
    }

    private static func makeFolder(_ folder: URL) throws {
        // What an account's records hold is nobody else's to read.
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    /// A name for a file that is about to be fetched, which nothing else has.
    package func newFile(now: Date = Date()) throws(CKError) -> URL {
        do {
            try Self.makeFolder(folder)
        } catch {
            throw CKError(.assetNotAvailable, reason: "The folder for fetched files cannot be made: \(error)")
        }
        cleanUp(now)
        return folder.appendingPathComponent(UUID().uuidString)
    }

    private func cleanUp(_ now: Date) {
        let isDue = lastRound.withLock { last in
            if let last, now.timeIntervalSince(last) < Self.round { return false }
            last = now
            return true
        }
        guard isDue else { return }
        let manager = FileManager.default
        for name in (try? manager.contentsOfDirectory(atPath: folder.path)) ?? [] {
            let file = folder.appendingPathComponent(name)
            let modified = try? manager.attributesOfItem(atPath: file.path)[.modificationDate] as? Date
            guard let modified, now.timeIntervalSince(modified) > Self.life else { continue }
            try? manager.removeItem(at: file)
        }
    }
}
