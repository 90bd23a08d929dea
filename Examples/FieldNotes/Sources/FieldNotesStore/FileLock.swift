import Foundation

/// A file that one process holds at a time. The system takes it back from a process that ends, however it ends.
public struct FileLock: Sendable {
    private let descriptor: Int32

    /// Waits until nobody else holds it.
    public init(_ file: URL) throws {
        descriptor = try Self.open(file)
        while flock(descriptor, LOCK_EX) != 0 {
            guard errno == EINTR else {
                close(descriptor)
                throw CocoaError(.fileLocking)
            }
        }
    }

    /// nil where somebody else holds it.
    public init?(ifFree file: URL) throws {
        descriptor = try Self.open(file)
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            return nil
        }
    }

    public func release() {
        close(descriptor)
    }

    private static func open(_ file: URL) throws -> Int32 {
        let descriptor = Foundation.open(file.path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw CocoaError(.fileWriteNoPermission, userInfo: [NSURLErrorKey: file]) }
        return descriptor
    }
}
