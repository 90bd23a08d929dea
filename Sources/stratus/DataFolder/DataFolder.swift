import CloudServer
import CloudStore
import Foundation

/// The folder of `--data`, and the lock that a running server holds on it.
struct DataFolder: Sendable {
    var url: URL

    init(_ arguments: Arguments) {
        url = URL(filePath: arguments.value("data") ?? "stratus-data", directoryHint: .isDirectory)
    }

    init(_ url: URL) {
        self.url = url
    }

    var path: String { url.path.hasSuffix("/") && url.path != "/" ? String(url.path.dropLast()) : url.path }
    var lockFile: String { url.appending(path: "stratus.lock").path }

    /// Whether a cloud has been here.
    var holdsCloud: Bool {
        FileManager.default.fileExists(atPath: url.appending(path: "control.sqlite").path)
    }

    /// Opens the store of a folder that holds a cloud.
    func openExisting() throws -> CloudStore {
        guard holdsCloud else {
            throw Failure(
                .notFound, "There is no cloud in \(path).",
                remedy: "Name its folder with --data, or start one there with `stratus serve --data \(path)`.")
        }
        return try open()
    }

    /// Opens the store, and makes the folder where it is not there.
    func open() throws -> CloudStore {
        try makeFolder()
        do {
            return try CloudStore(directory: url)
        } catch {
            throw Failure(.failure, error.message)
        }
    }

    func makeFolder() throws {
        do {
            // A cloud's data is nobody else's to read.
            try FileManager.default.createDirectory(
                at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw Failure(
                .failure, "The folder \(path) cannot be made: \(String(cString: strerror(errno))).",
                remedy: "Name another with --data, or make it and give it to the user that runs the server.")
        }
        guard access(url.path, R_OK | W_OK | X_OK) == 0 else {
            throw Failure(
                .failure, "The folder \(path) cannot be written by this user (\(userName)).",
                remedy: "sudo chown -R \(userName) \(path)")
        }
    }

    private var userName: String { ProcessInfo.processInfo.userName }

    /// Takes the folder for one server; the lock goes with the process, however it ends.
    func lock() throws -> FolderLock {
        try makeFolder()
        return try FolderLock(self)
    }
}

/// Held by the one process that serves a folder.
final class FolderLock {
    private let descriptor: Int32

    init(_ folder: DataFolder) throws {
        descriptor = Foundation.open(folder.lockFile, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw Failure(.failure, "\(folder.lockFile) cannot be written: \(String(cString: strerror(errno))).")
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let holder = Self.holder(of: folder).map { ", process \($0)" } ?? ""
            throw Failure(
                .refused, "Another server is running on \(folder.path)\(holder).",
                remedy: "Stop it first, or name another folder with --data.")
        }
        let text = "\(getpid())\n"
        ftruncate(descriptor, 0)
        pwrite(descriptor, text, text.utf8.count, 0)
    }

    deinit { close(descriptor) }

    /// The process that holds the lock; nil when nobody does.
    static func holder(of folder: DataFolder) -> Int32? {
        let descriptor = Foundation.open(folder.lockFile, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        if flock(descriptor, LOCK_SH | LOCK_NB) == 0 { return nil }
        var buffer = [UInt8](repeating: 0, count: 32)
        let count = read(descriptor, &buffer, buffer.count)
        guard count > 0 else { return 0 }
        return Int32(String(decoding: buffer[..<count], as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines))
    }
}
