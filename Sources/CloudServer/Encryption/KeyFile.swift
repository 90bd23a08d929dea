import Foundation

/// Tells one state of a file from another.
struct FileStamp: Sendable, Hashable {
    private var device: UInt64
    private var inode: UInt64
    private var size: Int64
    private var seconds: Int64
    private var nanoseconds: Int64

    init?(_ file: URL) {
        var information = stat()
        guard stat(file.path, &information) == 0 else { return nil }
        device = UInt64(information.st_dev)
        inode = UInt64(information.st_ino)
        size = Int64(information.st_size)
        seconds = Int64(information.st_mtim.tv_sec)
        nanoseconds = Int64(information.st_mtim.tv_nsec)
    }
}

/// The file that holds the wrapping keys: readable by its owner only, replaced in one step.
enum KeyFile {
    /// nil where there is no such file.
    static func read(_ file: URL) throws(EncryptionKeysError) -> (WrappingKeyList, FileStamp?)? {
        let stamp = FileStamp(file)
        let descriptor = open(file.path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw .unusable(path: file.path, reason: "cannot be read: \(String(cString: strerror(errno)))")
        }
        defer { close(descriptor) }
        var information = stat()
        guard fstat(descriptor, &information) == 0, information.st_mode & S_IFMT == S_IFREG else {
            throw .unusable(path: file.path, reason: "is no file")
        }
        // A group may read it: containers' secrets are often handed out that way.
        guard information.st_mode & 0o027 == 0 else {
            throw .unusable(path: file.path, reason: "can be read or changed by others: chmod 600 \(file.path)")
        }
        guard let data = try? FileHandle(fileDescriptor: descriptor, closeOnDealloc: false).readToEnd() else {
            throw .damaged("it holds no key")
        }
        return (try WrappingKeyList(text: String(decoding: data, as: UTF8.self)), stamp)
    }

    /// Makes the file; one that is there is left alone.
    static func create(_ list: WrappingKeyList, at file: URL) throws(EncryptionKeysError) {
        let temporary = try write(list, beside: file)
        defer { unlink(temporary) }
        guard link(temporary, file.path) == 0 || errno == EEXIST else { throw unwritable(file) }
        syncFolder(of: file)
    }

    static func replace(_ list: WrappingKeyList, at file: URL) throws(EncryptionKeysError) {
        let temporary = try write(list, beside: file)
        guard rename(temporary, file.path) == 0 else {
            let error = unwritable(file)
            unlink(temporary)
            throw error
        }
        syncFolder(of: file)
    }

    private static func write(_ list: WrappingKeyList, beside file: URL) throws(EncryptionKeysError) -> String {
        let temporary = file.deletingLastPathComponent().appendingPathComponent(
            ".\(file.lastPathComponent)-\(getpid())"
        ).path
        unlink(temporary)
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw unwritable(file) }
        defer { close(descriptor) }
        let bytes = Array(list.text.utf8)
        let written = bytes.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
        guard written == bytes.count, fsync(descriptor) == 0 else {
            let error = unwritable(file)
            unlink(temporary)
            throw error
        }
        return temporary
    }

    private static func syncFolder(of file: URL) {
        let descriptor = open(file.deletingLastPathComponent().path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }

    private static func unwritable(_ file: URL) -> EncryptionKeysError {
        .unusable(path: file.path, reason: "cannot be written: \(String(cString: strerror(errno)))")
    }
}
