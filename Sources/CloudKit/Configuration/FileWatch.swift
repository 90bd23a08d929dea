import Dispatch
import Foundation
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#endif

/// Calls a closure when a file comes, changes or goes, also where its folder is not there yet.
final class FileWatch: Sendable {
    private let folder: String
    private let name: String
    private let inotify: Int32
    /// What is watched: the file's folder, or the nearest one above it that is there.
    private let watched = Mutex<(folder: String, number: Int32)?>(nil)
    // Made here, cancelled in deinit, and used by nobody else.
    private nonisolated(unsafe) let source: any DispatchSourceRead

    /// - Returns: nil where the system has no more watches to give.
    init?(_ file: URL, changed: @escaping @Sendable () -> Void) {
        inotify = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
        guard inotify >= 0 else { return nil }
        let descriptor = inotify
        folder = file.deletingLastPathComponent().path
        name = file.lastPathComponent
        source = DispatchSource.makeReadSource(
            fileDescriptor: descriptor, queue: DispatchQueue(label: "CloudKit.FileWatch"))
        source.setCancelHandler { close(descriptor) }
        source.setEventHandler { [weak self] in
            guard let self else { return }
            let concerns = self.readEvents()
            let moved = self.follow()
            if concerns || moved { changed() }
        }
        source.activate()
        _ = follow()
    }

    deinit { source.cancel() }

    /// Takes what has happened off the queue.
    ///
    /// - Returns: Whether it may concern the file.
    private func readEvents() -> Bool {
        let isInFolder = watched.withLock { $0?.folder == folder }
        var concerns = false
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = read(inotify, &buffer, buffer.count)
            guard count > 0 else { return concerns }
            guard isInFolder else { continue }
            var offset = 0
            let header = MemoryLayout<inotify_event>.size
            while offset + header <= count {
                let event = buffer.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: inotify_event.self) }
                let end = min(offset + header + Int(event.len), count)
                let text = String(decoding: buffer[offset + header..<end].prefix { $0 != 0 }, as: UTF8.self)
                // Nameless ones are of the folder itself.
                if text == name || text.isEmpty { concerns = true }
                offset = end
            }
        }
    }

    /// Watches the folder that is nearest to the file now.
    ///
    /// - Returns: Whether that is another one than before.
    private func follow() -> Bool {
        watched.withLock { watched in
            var nearest = folder
            while true {
                let number = inotify_add_watch(inotify, nearest, nearest == folder ? Self.inFolder : Self.above)
                if number >= 0 {
                    // A folder has one number, however often it is added.
                    guard watched?.number != number else { return false }
                    if let before = watched { inotify_rm_watch(inotify, before.number) }
                    watched = (nearest, number)
                    return true
                }
                guard nearest != "/" else { return false }
                nearest = URL(fileURLWithPath: nearest).deletingLastPathComponent().path
            }
        }
    }

    private static let above = UInt32(IN_CREATE | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR)
    private static let inFolder = above | UInt32(IN_CLOSE_WRITE | IN_MOVED_FROM | IN_DELETE)
}
