import CTLS
import Foundation
import WebServices

/// A file to upload, as it was when the save began.
struct LocalFile: Equatable, Sendable {
    let url: URL
    let size: Int64
    private let modified: Moment
    private let identity: UInt64

    struct Moment: Equatable, Sendable {
        var seconds: Int
        var nanoseconds: Int
    }

    /// - Throws: `.assetFileNotFound` where there is none, `.assetNotAvailable` where it cannot be read.
    init(_ url: URL?, named key: String) throws(CKError) {
        guard let url, url.isFileURL else {
            throw CKError(.assetFileNotFound, reason: "Field '\(key)': the asset has no file")
        }
        var status = stat()
        guard stat(url.path, &status) == 0 else {
            throw CKError(.assetFileNotFound, reason: "Field '\(key)': there is no file at \(url.path)")
        }
        guard status.st_mode & S_IFMT == S_IFREG, access(url.path, R_OK) == 0 else {
            throw CKError(.assetNotAvailable, reason: "Field '\(key)': \(url.path) is no file that can be read")
        }
        self.url = url
        size = Int64(status.st_size)
        modified = Moment(seconds: status.st_mtim.tv_sec, nanoseconds: status.st_mtim.tv_nsec)
        identity = UInt64(status.st_ino)
    }

    /// - Throws: `.assetFileModified` where it is another than at the beginning, `.assetFileNotFound` where it is gone.
    func checkUnchanged(named key: String) throws(CKError) {
        guard try LocalFile(url, named: key) == self else { throw Self.modified(url, key) }
    }

    static func modified(_ url: URL, _ key: String) -> CKError {
        CKError(.assetFileModified, reason: "Field '\(key)': \(url.path) was changed while it was uploaded")
    }
}

/// The checksum with which our own servers describe a file.
enum FileChecksum {
    /// nil where the file cannot be read. Reads a piece at a time.
    static func of(_ file: URL) -> String? {
        let descriptor = open(file.path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0, let context = EVP_MD_CTX_new() else { return nil }
        defer {
            close(descriptor)
            EVP_MD_CTX_free(context)
        }
        guard EVP_DigestInit_ex(context, EVP_sha256(), nil) == 1 else { return nil }
        var buffer = [UInt8](repeating: 0, count: 256 << 10)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            guard count >= 0 else { return nil }
            if count == 0 { break }
            guard EVP_DigestUpdate(context, buffer, count) == 1 else { return nil }
        }
        var digest = [UInt8](repeating: 0, count: 32)
        guard EVP_DigestFinal_ex(context, &digest, nil) == 1 else { return nil }
        return Base64.encode([1] + digest.prefix(20))
    }
}
