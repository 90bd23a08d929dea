import Foundation
import Synchronization

/// The connections of this process, one for each cloud and account.
package final class CloudConnections: Sendable {
    package static let shared = CloudConnections()

    private struct State {
        var connections: [StratusCloud: CloudConnection] = [:]
        var signedInByFile: [Place: SignedIn] = [:]
        var files: [URL: File] = [:]

        /// Nobody is signed in there any more.
        mutating func leave(_ place: Place) -> CloudConnection? {
            signedInByFile[place]?.account = .none
            return signedInByFile[place]?.connection
        }
    }

    /// A credentials file that says, or may say later, who is signed in.
    private struct File {
        var watch: FileWatch?
        /// What it named last; nil where no cloud was configured when it was first asked.
        var place: Place?
        var wasAsked = false
    }

    /// A cloud whose account is whoever the credentials file names at the moment.
    private struct Place: Hashable {
        var url: URL
        var apiToken: String?
        var environment: StratusCloud.Environment
        var service: StratusCloud.Service
        var file: URL

        init?(_ cloud: StratusCloud) {
            guard let file = cloud.credentialsFile else { return nil }
            self.file = file
            (url, apiToken, environment, service) = (cloud.url, cloud.apiToken, cloud.environment, cloud.service)
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
    /// account in the file, or none, is a sign-in or a sign-out, and posts `CKAccountChanged`; the file is watched, so that
    /// this happens also while nobody makes a request. Who is signed out by the file's removal can still read the public
    /// database.
    package func connectionToSurroundings(
        _ variables: [String: String] = ProcessInfo.processInfo.environment
    ) throws(CKError) -> CloudConnection {
        let file = CredentialsFile.path(from: variables)
        let isOfFile = ["STRATUS_WEB_AUTH_TOKEN", "STRATUS_ACCOUNT", "STRATUS_KEY_ID"].allSatisfy {
            variables[$0] == nil
        }
        if isOfFile {
            watch(file, variables)
            if let connection = signOut(of: file, variables) { return connection }
        }
        defer { state.withLock { $0.files[file]?.wasAsked = true } }
        let cloud = try StratusCloud.resolved(from: variables)
        guard let place = Place(cloud) else { return try connection(to: cloud) }
        return try signIn(cloud, at: place)
    }

    private func watch(_ file: URL, _ variables: [String: String]) {
        state.withLock { state in
            guard state.files[file] == nil else { return }
            state.files[file] = File(
                watch: FileWatch(file) { [weak self] in _ = try? self?.connectionToSurroundings(variables) })
        }
    }

    private func signIn(_ cloud: StratusCloud, at place: Place) throws(CKError) -> CloudConnection {
        typealias Outcome = (CloudConnection, before: SignedIn?, left: CloudConnection?, isNews: Bool)
        let (connection, before, left, isNews) = try state.withLock { state throws(CKError) -> Outcome in
            let before = state.signedInByFile[place]
            let connection: CloudConnection
            if let known = before?.connection { connection = known } else { connection = try CloudConnection(cloud) }
            state.signedInByFile[place] = SignedIn(
                connection: connection, account: cloud.account, accountName: cloud.accountName)
            let last = state.files[place.file]
            state.files[place.file]?.place = place
            guard let last, last.wasAsked, last.place != place else {
                return (connection, before, nil, false)
            }
            return (connection, before, last.place.flatMap { state.leave($0) }, cloud.account != .none)
        }
        // The file names another cloud than before.
        left?.account.replace(with: .none)
        if let before, before.account != cloud.account {
            if case .webAuthToken(let token) = cloud.account, before.account != .none,
                before.accountName == cloud.accountName, connection.account.status != .noAccount
            {
                connection.account.adopt(token)
            } else {
                connection.account.replace(with: cloud.account)
            }
        } else if isNews {
            connection.account.announceChange()
        }
        return connection
    }

    /// The file is gone, and with it whoever was signed in through it.
    ///
    /// - Returns: The connection, now without an account; nil where the file is there, or never named this cloud.
    private func signOut(of file: URL, _ variables: [String: String]) -> CloudConnection? {
        guard !FileManager.default.fileExists(atPath: file.path) else { return nil }
        let left = state.withLock { state -> CloudConnection? in
            guard let place = state.files[file]?.place else { return nil }
            let address = variables["STRATUS_URL"] ?? ""
            return address.isEmpty || address == place.url.absoluteString ? state.leave(place) : nil
        }
        left?.account.replace(with: .none)
        return left
    }
}
