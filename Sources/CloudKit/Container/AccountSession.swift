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
        var signingIn: Task<Result<String, CKError>, Never>?
        var userRecordName: String?
        var hasRunOut = false

        init(_ account: StratusCloud.Account) {
            status = .available
            switch account {
            case .none: status = .noAccount
            case .webAuthToken(let token): self.token = token
            case .password(let account, let password): self.password = (account, password)
            }
        }
    }

    private let state: Mutex<State>
    private let changes = Mutex(Changes())

    private struct Changes {
        var revision: UInt64 = 0
        var observers: [@Sendable () -> Void] = []
    }

    /// Told of each refreshed token; the credentials file listens here.
    private let tokenChanged: (@Sendable (String) -> Void)?

    package init(
        _ account: StratusCloud.Account = .none, tokenChanged: (@Sendable (String) -> Void)? = nil
    ) {
        state = Mutex(State(account))
        self.tokenChanged = tokenChanged
    }

    package var status: Status { state.withLock { $0.status } }
    /// Whether a token is at hand, from an earlier launch or an earlier request.
    package var hasToken: Bool { state.withLock { $0.token != nil } }

    /// Whether there is no account only because the server refused its token: nobody signed out.
    package var hasRunOut: Bool { state.withLock { $0.hasRunOut } }

    /// What a test's device shows; the token stays.
    package func setStatus(_ status: Status) {
        let changed = state.withLock { state in
            defer { state.status = status }
            return state.status != status
        }
        if changed { announceChange() }
    }

    /// Signs somebody else in, or nobody.
    package func replace(with account: StratusCloud.Account) {
        let before = state.withLock { state in
            defer { state = State(account) }
            return state.status
        }
        if before != .noAccount || account != .none { announceChange() }
    }

    /// Another number after each sign-in, sign-out and change of status.
    package var revision: UInt64 { changes.withLock { $0.revision } }

    /// Calls `observer` after each sign-in, sign-out and change of status, on the thread that made it.
    package func observe(_ observer: @escaping @Sendable () -> Void) {
        changes.withLock { $0.observers.append(observer) }
    }

    private func announceChange() {
        let observers = changes.withLock { changes in
            changes.revision += 1
            return changes.observers
        }
        for observer in observers { observer() }
        NotificationCenter.default.post(name: .CKAccountChanged, object: nil)
    }

    /// The signed-in user's record name, once a request has told it.
    package var userRecordName: String? {
        get { state.withLock { $0.userRecordName } }
        set { state.withLock { $0.userRecordName = newValue } }
    }

    /// The token to send.
    ///
    /// - Returns: nil for a read of the public database without an account.
    /// - Throws: `.notAuthenticated` without an account, `.accountTemporarilyUnavailable` while it needs the user's
    ///   attention.
    func webAuthToken(
        anonymousAllowed: Bool, transport: any Transport, limits: RequestLimits
    ) async throws(CKError) -> String? {
        let (status, token) = state.withLock { ($0.status, $0.token) }
        switch status {
        case .available: break
        case _ where anonymousAllowed: return nil
        case .temporarilyUnavailable:
            throw CKError(.accountTemporarilyUnavailable, reason: "The account needs attention before it can be used")
        default:
            throw CKError(.notAuthenticated, reason: "No account is signed in")
        }
        if let token { return token }
        return try await signIn(transport, limits).get()
    }

    /// All callers that come while a sign-in runs wait for that one.
    private func signIn(_ transport: any Transport, _ limits: RequestLimits) async -> Result<String, CKError> {
        let task: Task<Result<String, CKError>, Never>? = state.withLock { state in
            if let running = state.signingIn { return running }
            guard let (account, password) = state.password else { return nil }
            let task = Task { await self.exchange(account, password, transport, limits) }
            state.signingIn = task
            return task
        }
        guard let task else {
            return .failure(CKError(.notAuthenticated, reason: "The web token has run out; sign in again"))
        }
        return await task.value
    }

    private func exchange(
        _ account: String, _ password: String, _ transport: any Transport, _ limits: RequestLimits
    ) async -> Result<String, CKError> {
        let result: Result<String, CKError>
        do throws(TransportError) {
            result = try await transport.signIn(account: account, password: password, limits: limits).result
                .mapError { CKError($0) }
        } catch {
            result = .failure(CKError(error, changesState: false))
        }
        state.withLock { state in
            state.signingIn = nil
            if case .success(let token) = result { state.token = token }
        }
        return result
    }

    /// Takes over the token that came with an answer.
    func rotate(to token: String) {
        let changed = state.withLock { state in
            guard state.token != token, state.status != .noAccount else { return false }
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
            if state.token == nil && state.password == nil {
                state.status = .noAccount
                state.hasRunOut = true
            }
            return (state.token != nil || state.password != nil, state.status != before)
        }
        if signedOut { announceChange() }
        return canRetry
    }
}
