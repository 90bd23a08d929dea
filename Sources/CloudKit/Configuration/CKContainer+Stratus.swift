import Foundation
import WebServices

/// Which cloud a container lives in and who speaks to it. Not part of Apple's framework, where the system knows both.
///
///     let cloud = StratusCloud(
///         url: URL(string: "https://cloud.example.com")!, apiToken: "…",
///         account: .password(account: "alice", password: "…"))
///     let container = CKContainer(identifier: "iCloud.com.example.notes", cloud: cloud)
///
/// Code that only says `CKContainer(identifier:)` is told by its surroundings: the environment variables `STRATUS_URL`,
/// `STRATUS_API_TOKEN`, `STRATUS_WEB_AUTH_TOKEN` or `STRATUS_ACCOUNT` with `STRATUS_PASSWORD`, and
/// `STRATUS_ENVIRONMENT`; what they leave open comes from the file that `stratus login` writes
/// (`~/.config/stratus/credentials.json`, or the path in `STRATUS_CREDENTIALS`).
public struct StratusCloud: Sendable, Hashable {
    /// The root of the server, without `/database/1`.
    public var url: URL
    /// Admits an app to a container; 64 hexadecimal characters.
    public var apiToken: String?
    public var account: Account
    public var environment: Environment
    /// The file that says who is signed in, and to which a refreshed web token is written back; nil when code or
    /// environment says it.
    package var credentialsFile: URL?
    /// Whom the credentials file names.
    package var accountName: String?

    /// Who is signed in.
    public enum Account: Sendable, Hashable {
        /// Nobody: the public database can be read, everything else is `CKError.notAuthenticated`.
        case none
        case webAuthToken(String)
        /// Signed in at the first request.
        case password(account: String, password: String)
    }

    public enum Environment: String, Sendable, Hashable, CaseIterable {
        case development, production
    }

    public init(
        url: URL, apiToken: String? = nil, account: Account = .none, environment: Environment = .development
    ) {
        self.url = url
        self.apiToken = apiToken
        self.account = account
        self.environment = environment
    }
}

extension CKContainer {
    /// A container of the given cloud, whatever the environment and the credentials file say.
    public convenience init(identifier containerIdentifier: String, cloud: StratusCloud) {
        self.init(core: ContainerCore(identifier: containerIdentifier, source: .cloud(cloud)))
    }

    /// A container behind the given connection: a server in this process, or one that fails on purpose.
    package convenience init(identifier containerIdentifier: String, connection: CloudConnection) {
        self.init(core: ContainerCore(identifier: containerIdentifier, source: .connection(connection)))
    }
}
