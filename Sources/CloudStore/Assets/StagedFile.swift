import Glibc
import Synchronization

/// A file that is being filled, in the folder where it may stay. It is gone with this object unless a folder kept it.
package final class StagedFile: Sendable {
    private struct State {
        var path: String
        var size: Int64 = 0
        var isKept = false
        /// Up to which size the disk's room has been looked at.
        var checkedSize = StagedFile.step
    }

    /// After how many bytes the disk is looked at again: many files may be on their way.
    private static let step: Int64 = 256 << 10

    private let descriptor: Int32
    private let state: Mutex<State>
    private let hasRoom: @Sendable () -> Bool

    /// - Parameter hasRoom: whether the disk has room for more than what is there.
    init(path: String, hasRoom: @escaping @Sendable () -> Bool = { true }) throws(StoreError) {
        self.hasRoom = hasRoom
        // Nobody else's to read, whatever the process's mask.
        descriptor = open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw StoreError(fileError: errno, path) }
        state = Mutex(State(path: path))
    }

    deinit {
        close(descriptor)
        let state = state.withLock { $0 }
        if !state.isKept { unlink(state.path) }
    }

    package var size: Int64 { state.withLock { $0.size } }

    /// - Throws: `.full` where the disk has no room for it.
    package func append(_ bytes: UnsafeRawBufferPointer) throws(StoreError) {
        try state.withLock { state throws(StoreError) in
            guard state.size + Int64(bytes.count) > state.checkedSize else { return }
            guard hasRoom() else { throw StoreError(fileError: ENOSPC, state.path) }
            state.checkedSize = state.size + Int64(bytes.count) + Self.step
        }
        var rest = bytes
        while let address = rest.baseAddress, !rest.isEmpty {
            let written = write(descriptor, address, rest.count)
            guard written > 0 else {
                if written < 0, errno == EINTR { continue }
                throw StoreError(fileError: written < 0 ? errno : EIO, state.withLock { $0.path })
            }
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(written))
        }
        state.withLock { $0.size += Int64(bytes.count) }
    }

    /// Gives it its own name and brings it to the disk: after the rename, so that one commit of the file system's journal
    /// holds both. Until this returns, nothing refers to the name.
    func move(to path: String) throws(StoreError) {
        try state.withLock { state throws(StoreError) in
            guard rename(state.path, path) == 0 else { throw StoreError(fileError: errno, path) }
            state.path = path
        }
        guard fsync(descriptor) == 0 else { throw StoreError(fileError: errno, path) }
        state.withLock { $0.isKept = true }
    }
}

extension StoreError {
    /// - Parameter code: what the system said of a file or a folder.
    init(fileError code: Int32, _ path: String) {
        let reason = String(cString: strerror(code))
        switch code {
        case ENOSPC, EDQUOT, EFBIG:
            self.init(.full, "No room for \(path): \(reason). Free some space; the store goes on by itself.")
        default:
            self.init(
                .unavailable, "\(path) cannot be used: \(reason). Check that its folder exists and may be written.")
        }
    }
}
