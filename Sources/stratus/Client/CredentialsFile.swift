import Foundation

/// What `login` leaves for apps: where the cloud is and who is signed in. CloudKit reads the same file; the program has
/// its own reader since the server must not carry CloudKit's networking.
struct CredentialsFile: Codable, Sendable, Equatable {
    var url: String
    var apiToken: String?
    var account: String?
    var webAuthToken: String?
    var environment: String?

    /// `STRATUS_CREDENTIALS`, else `stratus/credentials.json` below the user's configuration folder.
    static func location(_ environment: [String: String]) -> URL {
        if let path = environment["STRATUS_CREDENTIALS"], !path.isEmpty { return URL(filePath: path) }
        if let folder = environment["XDG_CONFIG_HOME"], folder.hasPrefix("/") {
            return URL(filePath: folder).appending(path: "stratus/credentials.json")
        }
        // Foundation asks the user database, and who sets HOME means it.
        if let home = environment["HOME"], home.hasPrefix("/") {
            return URL(filePath: home).appending(path: ".config/stratus/credentials.json")
        }
        return FileManager.default.homeDirectoryForCurrentUser.appending(path: ".config/stratus/credentials.json")
    }

    /// nil where there is no such file.
    static func read(_ file: URL) throws -> CredentialsFile? {
        guard FileManager.default.fileExists(atPath: file.path) else { return nil }
        do {
            return try JSONDecoder().decode(CredentialsFile.self, from: Data(contentsOf: file))
        } catch {
            throw Failure(
                .failure, "The credentials file \(file.path) cannot be read.",
                remedy: "Sign in again with `stratus login`, which writes a new one.")
        }
    }

    /// Replaces the file in one step. Only its owner can read it: it holds a secret.
    func write(_ file: URL) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        try PrivateFile.write(Array(try encoder.encode(self)), to: file)
    }

    static func mode(_ file: URL) -> mode_t? {
        var information = stat()
        return stat(file.path, &information) == 0 ? information.st_mode & 0o777 : nil
    }
}

/// Files that only their owner may read, replaced in one step.
enum PrivateFile {
    static func write(_ bytes: [UInt8], to file: URL) throws {
        let folder = file.deletingLastPathComponent()
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let temporary = folder.appending(path: ".\(file.lastPathComponent)-\(getpid())").path
        unlink(temporary)
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure(file) }
        let written = bytes.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
        let isComplete = written == bytes.count && fsync(descriptor) == 0
        close(descriptor)
        guard isComplete, rename(temporary, file.path) == 0 else {
            defer { unlink(temporary) }
            throw failure(file)
        }
    }

    private static func failure(_ file: URL) -> Failure {
        Failure(.failure, "\(file.path) cannot be written: \(String(cString: strerror(errno))).")
    }
}
