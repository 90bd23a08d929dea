import Foundation
import Synchronization

/// The connections of this process, one for each cloud and account.
package final class CloudConnections: Sendable {
    package static let shared = CloudConnections()

    private struct State {
        var connections: [StratusCloud: CloudConnection] = [:]
        var signedInByFile: [Place: SignedIn] = [:]
    }

    /// A cloud whose account is whoever the credentials file names at the moment.
    private struct Place: Hashable {
        var url: URL
        var apiToken: String?
        var environment: StratusCloud.Environment
        var file: URL

        init?(_ cloud: StratusCloud) {
            guard let file = cloud.credentialsFile else { return nil }
            self.file = file
            (url, apiToken, environment) = (cloud.url, cloud.apiToken, cloud.environment)
        }
    }

    private struct SignedIn {
        var connection: CloudConnection
        var account: StratusCloud.Account
        var accountName: String?
    }

    private let state = Mutex(State())

    package init() {}

    package func connection(to cloud: StratusCloud) throws(CKError) -> CloudConnection {
        try state.withLock { state throws(CKError) in
            if let known = state.connections[cloud] { return known }
            let connection = try CloudConnection(cloud)
            state.connections[cloud] = connection
            return connection
        }
    }

    /// The connection that environment and credentials file name now.
    ///
    /// The file's token changes with each refresh, by this program or another, and the connection takes it over. Another
    /// account in the file, or none, is a sign-in or a sign-out, and posts `CKAccountChanged`.
    package func connectionToSurroundings(
        _ variables: [String: String] = ProcessInfo.processInfo.environment
    ) throws(CKError) -> CloudConnection {
        let cloud: StratusCloud
        do throws(CKError) {
            cloud = try StratusCloud.resolved(from: variables)
        } catch {
            signOut(of: CredentialsFile.path(from: variables))
            throw error
        }
        guard let place = Place(cloud) else { return try connection(to: cloud) }
        let (connection, before) = try state.withLock { state throws(CKError) -> (CloudConnection, SignedIn?) in
            let before = state.signedInByFile[place]
            let connection: CloudConnection
            if let known = before?.connection { connection = known } else { connection = try CloudConnection(cloud) }
            state.signedInByFile[place] = SignedIn(
                connection: connection, account: cloud.account, accountName: cloud.accountName)
            return (connection, before)
        }
        if let before, before.account != cloud.account {
            if case .webAuthToken(let token) = cloud.account, before.account != .none,
                before.accountName == cloud.accountName, connection.account.status != .noAccount
            {
                connection.account.adopt(token)
            } else {
                connection.account.replace(with: cloud.account)
            }
        }
        return connection
    }

    /// The file is gone, and with it whoever was signed in through it.
    private func signOut(of file: URL) {
        guard !FileManager.default.fileExists(atPath: file.path) else { return }
        let left = state.withLock { state in
            let places = state.signedInByFile.filter { $0.key.file == file && $0.value.account != .none }
            for place in places.keys { state.signedInByFile[place]?.account = .none }
            return places.values.map(\.connection)
        }
        for connection in left { connection.account.replace(with: .none) }
    }
}
