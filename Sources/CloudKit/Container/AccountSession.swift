import Foundation
import Synchronization
import WebServices

/// Whether somebody is signed in on this device, and the web token that proves it.
package final class AccountSession: Sendable {
    /// What the device knows of its account, without asking the server.
    package enum Status: Sendable, Equatable {
        case available, noAccount, restricted, couldNotDetermine, temporarilyUnavailable
    }

    private struct State {
        var status: Status
        var token: String?
        /// Signs in again when the token has run out.
        var password: (account: String, password: String)?
        var wasSignedIn = false
        var signingIn: Task<Result<String, CKError>, Never>?
        var userRecordName: String?
        var hasRunOut = false
        /// A server's key, with which the transport signs, in place of a person.
        var isServer = false
        /// Raised by each sign-in, sign-out and change of status.
        var revision: UInt64 = 0

        /// The server wants a sign-in that nobody but the user can give it.
        mutating func runOut() {
            guard status != .noAccount else { return }
            revision += 1
            status = .noAccount
            hasRunOut = true
        }

        init(_ account: StratusCloud.Account) {
            status = .available
            switch account {
            case .none: status = .noAccount
            case .webAuthToken(let token): self.token = token
            case .password(let account, let password): self.password = (account, password)
            case .serverKey:
                status = .noAccount
                isServer = true
            }
        }
    }

    private let state: Mutex<State>
    private let observers = Mutex<[@Sendable () -> Void]>([])

    /// Told of each refreshed token; the credentials file listens here.
    private let tokenChanged: (@Sendable (String) -> Void)?

    package init(
        _ account: StratusCloud.Account = .none, tokenChanged: (@Sendable (String) -> Void)? = nil
    ) {
        state = Mutex(State(account))
        self.tokenChanged = tokenChanged
    }

    package var status: Status { state.withLock { $0.status } }
    /// Whether requests are signed with a server's key: nobody is signed in, and the public database can be written.
    var isServer: Bool { state.withLock { $0.isServer } }
    /// The token that is at hand now.
    var token: String? { state.withLock { $0.token } }
    /// Whether a token is at hand, from an earlier launch or an earlier request.
    package var hasToken: Bool { state.withLock { $0.token != nil } }

    /// Whether there is no account only because the server refused its token: nobody signed out.
    package var hasRunOut: Bool { state.withLock { $0.hasRunOut } }

    /// What a test's device shows; the token stays.
    package func setStatus(_ status: Status) {
        let changed = state.withLock { state in
            guard state.status != status else { return false }
            state.status = status
            state.revision += 1
            return true
        }
        if changed { announceChange() }
    }

    /// Signs somebody else in, or nobody.
    package func replace(with account: StratusCloud.Account) {
        let changed = state.withLock { state in
            let (before, revision) = (state.status, state.revision)
            let changed = before != .noAccount || account != .none
            state = State(account)
            state.revision = changed ? revision + 1 : revision
            return changed
        }
        if changed { announceChange() }
    }

    /// Another number after each sign-in, sign-out and change of status.
    package var revision: UInt64 { state.withLock { $0.revision } }

    /// Calls `observer` after each sign-in, sign-out and change of status, on the thread that made it.
    package func observe(_ observer: @escaping @Sendable () -> Void) {
        observers.withLock { $0.append(observer) }
    }

    func announceChange() {
        for observer in observers.withLock({ $0 }) { observer() }
        NotificationCenter.default.post(name: .CKAccountChanged, object: nil)
    }

    /// The signed-in user's record name, once a request has told it.
    package var userRecordName: String? {
        get { state.withLock { $0.userRecordName } }
        set { state.withLock { $0.userRecordName = newValue } }
    }

    /// The same; nil where another account than that of this revision is signed in.
    func userRecordName(of revision: UInt64?) -> String? {
        state.withLock { revision == nil || revision == $0.revision ? $0.userRecordName : nil }
    }

    /// Takes over what a request told of the account that was signed in then.
    func learn(userRecordName: String, at revision: UInt64) {
        state.withLock { if $0.revision == revision { $0.userRecordName = userRecordName } }
    }

    /// What a request proves its account with, and the account's revision.
    struct Proof: Sendable {
        /// nil for a read of the public database without an account.
        var token: String?
        var revision: UInt64
    }

    /// The token to send.
    ///
    /// - Parameter revision: Of the account that it must be; nil for whoever is signed in.
    /// - Throws: `.notAuthenticated` without an account and for another one, `.accountTemporarilyUnavailable` while it
    ///   needs the user's attention.
    func proof(
        of revision: UInt64?, anonymousAllowed: Bool, transport: any Transport, limits: RequestLimits
    ) async throws(CKError) -> Proof {
        let (status, token, present) = state.withLock { ($0.status, $0.token, $0.revision) }
        if let revision, revision != present {
            throw CKError(.notAuthenticated, reason: "Another account has been signed in since")
        }
        switch status {
        case .available: break
        case _ where anonymousAllowed: return Proof(token: nil, revision: present)
        case .temporarilyUnavailable:
            throw CKError(.accountTemporarilyUnavailable, reason: "The account needs attention before it can be used")
        default:
            throw CKError(.notAuthenticated, reason: "No account is signed in")
        }
        if let token { return Proof(token: token, revision: present) }
        return Proof(token: try await signIn(transport, limits).get(), revision: present)
    }

    /// All callers that come while a sign-in runs wait for that one.
    private func signIn(_ transport: any Transport, _ limits: RequestLimits) async -> Result<String, CKError> {
        let task: Task<Result<String, CKError>, Never>? = state.withLock { state in
            if let running = state.signingIn { return running }
            guard let (account, password) = state.password else { return nil }
            let revision = state.revision
            let task = Task { await self.exchange(account, password, revision, transport, limits) }
            state.signingIn = task
            return task
        }
        guard let task else {
            return .failure(CKError(.notAuthenticated, reason: "The web token has run out; sign in again"))
        }
        return await task.value
    }

    private func exchange(
        _ account: String, _ password: String, _ revision: UInt64, _ transport: any Transport, _ limits: RequestLimits
    ) async -> Result<String, CKError> {
        let result: Result<String, CKError>
        do throws(TransportError) {
            result = try await transport.signIn(account: account, password: password, limits: limits).result
                .mapError { CKError($0) }
        } catch {
            result = .failure(CKError(error, changesState: false))
        }
        let (isPresent, hasRunOut) = state.withLock { state in
            guard state.revision == revision else { return (false, false) }
            state.signingIn = nil
            switch result {
            case .success(let token):
                state.token = token
                state.wasSignedIn = true
            case .failure(let error):
                // The password was good once: it has been changed since.
                guard error.code == .notAuthenticated, state.wasSignedIn else { break }
                state.password = nil
                state.runOut()
                return (true, true)
            }
            return (true, false)
        }
        if hasRunOut { announceChange() }
        return isPresent
            ? result : .failure(CKError(.notAuthenticated, reason: "Another account has been signed in since"))
    }

    /// Takes over the token that came with an answer.
    ///
    /// - Parameter revision: Of the account that the request was made for: another one's token is nothing to the present
    ///   one. nil where it is known to be the present one's.
    func rotate(to token: String, of revision: UInt64? = nil) {
        let changed = state.withLock { state in
            guard state.token != token, state.status != .noAccount, revision == nil || revision == state.revision
            else { return false }
            state.token = token
            return true
        }
        if changed { tokenChanged?(token) }
    }

    /// Takes over a token of the same account that another program refreshed.
    func adopt(_ token: String) {
        state.withLock { if $0.status != .noAccount { $0.token = token } }
    }

    /// Forgets a token that the server refused.
    ///
    /// - Returns: Whether another attempt has a chance: somebody rotated it meanwhile, or there is a password.
    func expire(_ token: String) -> Bool {
        let (canRetry, signedOut) = state.withLock { state in
            if state.token == token { state.token = nil }
            let before = state.status
            if state.token == nil && state.password == nil { state.runOut() }
            return (state.token != nil || state.password != nil, state.status != before)
        }
        if signedOut { announceChange() }
        return canRetry
    }
}
