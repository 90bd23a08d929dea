import Foundation
import Synchronization
import WebServices

/// What the instances of one container share with their databases: how to reach the cloud, and the queue of operations.
package final class ContainerCore: Sendable {
    /// Where the connection comes from.
    package enum Source: Sendable {
        /// A connection at hand: a test's device.
        case connection(CloudConnection)
        /// Given in code.
        case cloud(StratusCloud)
        /// Environment and credentials file, read at the first request.
        case surroundings
    }

    package let identifier: String
    package let source: Source
    /// Operations added to the container or one of its databases. `OperationQueue` is thread-safe.
    let operationQueue: OperationQueue

    package init(identifier: String, source: Source) {
        self.identifier = identifier
        self.source = source
        operationQueue = OperationQueue()
        operationQueue.name = "CloudKit.\(identifier)"
    }

    /// The container's connection.
    ///
    /// - Throws: `.missingEntitlement` where no cloud is configured; the text says what to set.
    package func connection() throws(CKError) -> CloudConnection {
        switch source {
        case .connection(let connection): connection
        case .cloud(let cloud): try CloudConnections.shared.connection(to: cloud)
        case .surroundings: try CloudConnections.shared.connectionToSurroundings()
        }
    }
}

extension CloudConnection {
    /// A connection over HTTP.
    ///
    /// - Throws: `.notAuthenticated` for a server's key that is none.
    package convenience init(_ cloud: StratusCloud) throws(CKError) {
        var signer: RequestSigner?
        if case .serverKey(let id, let key) = cloud.account { signer = try RequestSigner(keyID: id, privateKey: key) }
        let account = AccountSession(
            cloud.account, tokenChanged: cloud.credentialsFile.map { CredentialsWriter(file: $0, cloud: cloud).write })
        let variables = ProcessInfo.processInfo.environment
        self.init(
            transport: HTTPTransport(root: cloud.url, signer: signer), account: account,
            // A request has one or the other. [Apple:SettingUpWebServices]
            apiToken: signer == nil ? cloud.apiToken : nil,
            environment: CloudEnvironment(rawValue: cloud.environment.rawValue) ?? .development, service: cloud.service,
            // A name that a person gave this device, else one for the life of the process.
            deviceID: variables["STRATUS_DEVICE"] ?? UUID().uuidString)
    }
}

/// Writes refreshed tokens back to the file they came from. Every answer carries a new token while the old ones stay
/// good until they expire, so a write a minute is plenty.
private final class CredentialsWriter: Sendable {
    private let file: URL
    private let url: String
    private let lastWrite = Mutex<ContinuousClock.Instant?>(nil)

    init(file: URL, cloud: StratusCloud) {
        self.file = file
        url = cloud.url.absoluteString
    }

    @Sendable func write(_ token: String) {
        lastWrite.withLock { last in
            if let last, last.duration(to: .now) < .seconds(60) { return }
            // Another program may have signed in elsewhere, or out, since: then the file is no longer ours.
            guard var stored = try? CredentialsFile.read(file), stored.url == url, stored.webAuthToken != nil else {
                return
            }
            stored.webAuthToken = token
            do {
                try stored.write(to: file)
                last = .now
            } catch {
                // The token in the file stays good until it expires; the next answer tries again.
            }
        }
    }
}
