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
///
/// Apple's own service is a cloud like others, at `https://api.apple-cloudkit.com`. People sign in to it by
/// `CKContainer.signInURL()`; a server has a key, in code or as `STRATUS_KEY_ID` with `STRATUS_PRIVATE_KEY`.
public struct StratusCloud: Sendable, Hashable {
    /// The root of the server, without `/database/1`.
    public var url: URL
    /// Admits an app to a container; 64 hexadecimal characters.
    public var apiToken: String?
    public var account: Account
    public var environment: Environment
    public var service: Service
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
        /// Another server in a person's place: it reads and writes the public database with a key of the container.
        /// [Apple:SettingUpWebServices]
        ///
        /// - Parameters:
        ///   - id: What names the key: 64 hexadecimal characters.
        ///   - privateKey: The key of the curve P-256 as `openssl ecparam -name prime256v1 -genkey` prints it (PEM).
        case serverKey(id: String, privateKey: String)
    }

    /// What a server speaks.
    public enum Service: String, Sendable, Hashable, CaseIterable {
        /// CloudKit Web Services, and what Stratus adds to it: dates to their last digit, why a zone went, requests of 400
        /// records.
        case stratus
        /// CloudKit Web Services and nothing else, as Apple's own service does.
        case cloudKit = "cloudkit"

        /// Of a server that nobody said it of.
        init(of url: URL) {
            let isApples = url.host?.lowercased().hasSuffix(".apple-cloudkit.com") ?? false
            self = isApples ? .cloudKit : .stratus
        }
    }

    public enum Environment: String, Sendable, Hashable, CaseIterable {
        case development, production
    }

    /// - Parameter service: nil for what the address says: Apple's own service at its address, else Stratus.
    public init(
        url: URL, apiToken: String? = nil, account: Account = .none, environment: Environment = .development,
        service: Service? = nil
    ) {
        self.url = url
        self.apiToken = apiToken
        self.account = account
        self.environment = environment
        self.service = service ?? Service(of: url)
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
