import CloudStore
import Cryptography
import WebServices

extension Identity {
    /// A person who has just signed in.
    package struct SignedIn: Sendable, Hashable {
        package var webAuthToken: String
        package var account: String
        package var userName: String
        /// When the token expires, in milliseconds since 1970-01-01 UTC.
        package var expires: Int64
    }

    /// Checks a password and begins a session.
    ///
    /// Takes tens of milliseconds, by design of the password hash: call it on a thread that serves nothing else. Throws
    /// `AUTHENTICATION_FAILED` where name and password do not fit, `THROTTLED` after several failures in a row.
    ///
    /// - Parameter network: where the attempt comes from; empty where that is not known.
    package func signIn(
        account name: String, password: String, keepSignedIn: Bool, from network: String = ""
    ) throws -> SignedIn {
        let account = try prove(account: name, password: password, from: network)
        return try beginSession(account, keepSignedIn: keepSignedIn, now: clock.now())
    }

    /// Checks a password, as one attempt of those that are counted.
    func prove(account name: String, password: String, from network: String) throws -> AccountRow {
        let now = clock.now()
        guard !name.isEmpty, name.utf8.count <= Limits.nameLength, password.utf8.count <= 1024 else {
            throw ServerError.authenticationFailed
        }
        let attempt = SignInThrottle.Attempt(account: name, network: network)
        let wait = throttle.wait(attempt, now: now)
        guard wait == 0 else {
            throw ServerError(
                .throttled, "Too many attempts to sign in", retryAfter: (Double(wait) / 1000).rounded(.up))
        }
        guard let account = try proven(name, password, now: now) else {
            throttle.failed(attempt, now: now)
            throw ServerError.authenticationFailed
        }
        throttle.succeeded(attempt, now: now)
        return account
    }

    private func proven(_ name: String, _ password: String, now: Int64) throws -> AccountRow? {
        guard let account = try control.account(name: name) else {
            if configuration.createsAccountsOnFirstUse { return try createAccount(name: name, password: password) }
            _ = PasswordHash.verify(password, against: nil)
            return nil
        }
        // An account without a password is the emulator's: whoever names it is in.
        if account.passwordHash == nil, configuration.createsAccountsOnFirstUse { return account }
        guard PasswordHash.verify(password, against: account.passwordHash) else { return nil }
        return account
    }

    /// Makes an account; without a password where it is empty, which only an emulator lets in.
    package func createAccount(
        name: String, password: String, firstName: String? = nil, lastName: String? = nil
    ) throws -> AccountRow {
        let account = AccountRow(
            id: random.uuid(), name: name, passwordHash: password.isEmpty ? nil : try PasswordHash.make(password),
            created: clock.now(), generation: 1, firstName: firstName, lastName: lastName)
        try control.insertAccount(account)
        return account
    }

    func beginSession(_ account: AccountRow, keepSignedIn: Bool, now: Int64) throws -> SignedIn {
        let life = configuration.tokenLife
        let session = SessionRow(
            id: Hex.encode(random.bytes(16)), account: account.id, created: now,
            expires: now + (keepSignedIn ? life.sessionKeptSignedIn : life.session), revoked: false)
        try control.insertSession(session)
        let token = WebToken(
            session: session.id, generation: account.generation, issued: now,
            expires: min(now + (keepSignedIn ? life.keptSignedIn : life.normal), session.expires))
        return SignedIn(
            webAuthToken: token.text(secret), account: account.id, userName: account.name, expires: token.expires)
    }

    /// Ends the session of a web token.
    ///
    /// Throws `AUTHENTICATION_FAILED` for a text that is none of this server's tokens.
    package func signOut(webAuthToken: String) throws {
        guard let token = WebToken(webAuthToken, secret) else { throw ServerError.authenticationFailed }
        try control.revokeSession(id: token.session)
        forgetSession(token.session)
    }
}
