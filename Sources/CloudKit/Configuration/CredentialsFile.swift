import Foundation

/// What `stratus login` writes and a client reads. The file is its owner's alone (mode 600).
package struct CredentialsFile: Codable, Sendable, Equatable {
    package var url: String
    package var apiToken: String?
    package var account: String?
    package var webAuthToken: String?
    package var environment: String?
    /// `stratus` or `cloudkit`.
    package var service: String?

    package init(
        url: String, apiToken: String? = nil, account: String? = nil, webAuthToken: String? = nil,
        environment: String? = nil, service: String? = nil
    ) {
        self.url = url
        self.apiToken = apiToken
        self.account = account
        self.webAuthToken = webAuthToken
        self.environment = environment
        self.service = service
    }

    /// `STRATUS_CREDENTIALS`, else `stratus/credentials.json` below the user's configuration folder.
    package static func path(from variables: [String: String]) -> URL {
        if let path = variables["STRATUS_CREDENTIALS"], !path.isEmpty {
            return URL(fileURLWithPath: path)
        }
        let configuration: URL
        if let folder = variables["XDG_CONFIG_HOME"], folder.hasPrefix("/") {
            configuration = URL(fileURLWithPath: folder)
        } else if let home = variables["HOME"], home.hasPrefix("/") {
            // Foundation asks the user database, and who sets HOME means it.
            configuration = URL(fileURLWithPath: home).appendingPathComponent(".config")
        } else {
            configuration = FileManager.default.homeDirectoryForCurrentUser.appendingPathComponent(".config")
        }
        return configuration.appendingPathComponent("stratus/credentials.json")
    }

    /// nil where there is no such file. One that cannot be read or understood is an error: quietly having no account
    /// would be worse.
    package static func read(_ file: URL) throws(CKError) -> CredentialsFile? {
        guard FileManager.default.fileExists(atPath: file.path) else { return nil }
        do {
            return try JSONDecoder().decode(CredentialsFile.self, from: Data(contentsOf: file))
        } catch {
            throw CKError(
                .notAuthenticated,
                reason: "The credentials file \(file.path) cannot be read (\(error)); `stratus login` writes a new one")
        }
    }

    /// Replaces the file in one step.
    package func write(to file: URL) throws {
        let folder = file.deletingLastPathComponent()
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let temporary = folder.appendingPathComponent(".credentials-\(UUID().uuidString)")
        let mode: [FileAttributeKey: Any] = [.posixPermissions: 0o600]
        guard
            FileManager.default.createFile(
                atPath: temporary.path, contents: try encoder.encode(self), attributes: mode)
        else { throw CocoaError(.fileWriteUnknown) }
        // rename(2) and not FileManager's replacing: it is atomic and keeps the new file's mode.
        guard rename(temporary.path, file.path) == 0 else {
            try? FileManager.default.removeItem(at: temporary)
            throw CocoaError(.fileWriteUnknown)
        }
    }
}
