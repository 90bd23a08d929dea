import CloudStore
import Cryptography
import WebServices

/// What a person does with their own account.
extension Identity {
    /// Whose web token this is, read afresh; nil where it is none or its session has ended.
    func person(webAuthToken text: String) throws -> AccountRow? {
        let now = clock.now()
        guard let token = WebToken(text, secret), token.expires > now,
            let session = try control.session(id: token.session),
            !session.revoked, session.expires > now, let account = try control.account(id: session.account),
            account.generation == token.generation
        else { return nil }
        return account
    }

    /// Sets another password, which signs the account out everywhere, and begins a new session.
    ///
    /// Takes as long as two sign-ins. The old password is proved like at a sign-in: a stolen session is not enough.
    func changePassword(
        of account: AccountRow, from old: String, to new: String, network: String
    ) throws -> SignedIn {
        guard (1...1024).contains(new.utf8.count) else {
            throw ServerError.badRequest("A password has from 1 to 1024 bytes.")
        }
        let proven = try prove(account: account.name, password: old, from: network)
        guard proven.id == account.id else { throw ServerError.authenticationFailed }
        try signOutEverywhere(account, hash: try PasswordHash.make(new))
        guard let changed = try control.account(id: account.id) else { throw ServerError.authenticationFailed }
        return try beginSession(changed, keepSignedIn: false, now: clock.now())
    }

    /// Ends every session of an account.
    func signOutEverywhere(_ account: AccountRow) throws {
        try signOutEverywhere(account, hash: account.passwordHash)
    }

    private func signOutEverywhere(_ account: AccountRow, hash: String?) throws {
        try control.updatePassword(account: account.id, hash: hash)
        forgetSessions()
    }
}
