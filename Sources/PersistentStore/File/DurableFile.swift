import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#elseif canImport(Darwin)
    import Darwin
#endif

/// Files that are on the disk, and not only in the system's memory, when the call returns.
enum DurableFile {
    static func write(_ data: Data, to path: String) throws(PersistentStoreError) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw error(path) }
        var failure: PersistentStoreError?
        data.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let written = rest.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
                if written < 0, errno == EINTR { continue }
                guard written > 0 else {
                    failure = error(path)
                    return
                }
                rest = rest.dropFirst(written)
            }
        }
        if failure == nil, fsync(descriptor) != 0 { failure = error(path) }
        close(descriptor)
        if let failure {
            unlink(path)
            throw failure
        }
    }

    /// Makes what a folder names durable.
    static func synchronize(_ folder: String) throws(PersistentStoreError) {
        let descriptor = open(folder, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw error(folder) }
        let result = fsync(descriptor)
        close(descriptor)
        // Some file systems have nothing to do for a folder and say so.
        guard result == 0 || errno == EINVAL else { throw error(folder) }
    }

    private static func error(_ path: String) -> PersistentStoreError {
        let code = errno
        if code == ENOSPC || code == EDQUOT { return .full(path: path) }
        return .cannotOpen(path: path, reason: String(cString: strerror(code)))
    }
}
