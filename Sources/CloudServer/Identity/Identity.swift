import CloudStore
import Cryptography
import WebServices

/// Proves who calls: API tokens, web tokens and the accounts behind them. Other ways in (another identity provider,
/// server-to-server keys) belong here as well.
package final class Identity: Sendable {
    let control: ControlStore
    let secret: ServerSecret
    let configuration: ServerConfiguration
    let clock: ServerClock
    let random: RandomSource
    let throttle: SignInThrottle
    /// How long a revoked token or session may still pass, in milliseconds: the price of reading neither at each request.
    static let cacheLife: Int64 = 5000
    private let apiTokens = ExpiringCache<String, APITokenRow>(life: cacheLife)
    /// Tokens whose code was found right. What they say is still checked each time.
    private let webTokens = ExpiringCache<String, WebToken>(life: cacheLife)
    private let sessions = ExpiringCache<String, LiveSession>(life: cacheLife)
    let serverKeys = ExpiringCache<String, ServerKey>(life: cacheLife)
    private let recordNames = ExpiringCache<RecordNameKey, String>(life: 3_600_000)

    struct LiveSession: Sendable {
        var session: SessionRow
        var account: AccountRow
    }

    private struct RecordNameKey: Hashable, Sendable {
        var account: String
        var container: String
    }

    init(
        control: ControlStore, secret: ServerSecret, configuration: ServerConfiguration, clock: ServerClock,
        random: RandomSource
    ) {
        self.control = control
        self.secret = secret
        throttle = SignInThrottle(secret)
        self.configuration = configuration
        self.clock = clock
        self.random = random
    }

    /// What authentication found out.
    struct Proof: Sendable {
        var caller: Caller
        /// For the answer's header: the token that came in, or a younger one in its place.
        var freshToken: String?
    }

    /// Checks a call's credentials against what it asks for.
    ///
    /// Throws `AUTHENTICATION_FAILED` for an API token that is none or somebody else's, and `AUTHENTICATION_REQUIRED` (421)
    /// with the address of the sign-in page where a person has to sign in, for the first time or again.
    func authenticate(_ call: Call, now: Int64) throws -> Proof {
        if let signature = call.credentials.signature { return try authenticate(signature, call, now: now) }
        guard let apiToken = call.credentials.apiToken, try isValid(apiToken, for: call, now: now) else {
            throw ServerError.authenticationFailed
        }
        guard let text = call.credentials.webAuthToken, !text.isEmpty else {
            if call.needsUser { throw signInRequired(call) }
            return Proof(caller: .anonymous)
        }
        // Expired, revoked, damaged or another server's: whatever it is, signing in again mends it.
        guard let token = webTokens.value(text, now: now, load: { WebToken(text, secret) }),
            let live = try session(token.session, now: now), token.expires > now,
            live.session.expires > now, !live.session.revoked, live.account.generation == token.generation
        else { throw signInRequired(call) }
        let recordName = userRecordName(account: live.account.id, container: call.container, now: now)
        return Proof(
            caller: .user(
                Caller.User(
                    recordName: recordName, account: live.account.id, firstName: live.account.firstName,
                    lastName: live.account.lastName,
                    emailAddress: live.account.name.contains("@") ? live.account.name : nil)),
            freshToken: fresh(token, text, live.session, now: now))
    }

    private func isValid(_ apiToken: String, for call: Call, now: Int64) throws -> Bool {
        if let universal = configuration.universalAPIToken, universal == apiToken { return true }
        guard apiToken.utf8.count == 64, apiToken.utf8.allSatisfy({ Hex.value(of: $0) != nil }) else { return false }
        let row = try apiTokens.value(apiToken, now: now) { try control.apiToken(hash: Self.hash(apiToken: apiToken)) }
        return row?.container == call.container && row?.environment == call.environment.rawValue
    }

    /// Whether a page of this origin may use the API token. [Apple:SettingUpWebServices]
    func admits(origin: String, apiToken: String?, now: Int64) throws -> Bool {
        guard let apiToken, apiToken.utf8.count == 64,
            let row = try apiTokens.value(
                apiToken, now: now, load: { try control.apiToken(hash: Self.hash(apiToken: apiToken)) })
        else { return true }
        return row.origins.isEmpty || row.origins.split(separator: " ").contains { $0 == origin }
    }

    /// What the control store keeps of an API token.
    package static func hash(apiToken: String) -> [UInt8] { SHA256.hash(apiToken.lowercased()) }

    private func session(_ id: String, now: Int64) throws -> LiveSession? {
        try sessions.value(id, now: now) {
            guard let session = try control.session(id: id), let account = try control.account(id: session.account)
            else { return nil }
            return LiveSession(session: session, account: account)
        }
    }

    /// The user record name of an account in a container.
    func userRecordName(account: String, container: String, now: Int64) -> String {
        let name = recordNames.value(RecordNameKey(account: account, container: container), now: now) {
            secret.userRecordName(account: account, container: container)
        }
        return name ?? secret.userRecordName(account: account, container: container)
    }

    /// The protocol gives a token with every answer. A token is only replaced once it has aged a little: until then the
    /// answer carries the one that came, which is as good. Old ones stay valid until they expire, as Apple's do.
    private func fresh(_ token: WebToken, _ text: String, _ session: SessionRow, now: Int64) -> String {
        guard now - token.issued >= configuration.tokenLife.renewal else { return text }
        var renewed = token
        renewed.issued = now
        // As long again as it was issued for, but never longer than its session.
        renewed.expires = min(now + (token.expires - token.issued), session.expires)
        return renewed.text(secret)
    }

    /// 421 with the sign-in page's address; without a configured one just its path, which the HTTP front completes.
    func signInRequired(_ call: Call) -> ServerError {
        ServerError(
            .authenticationRequired, "request needs authorization",
            redirectURL: "\(configuration.publicURL ?? "")\(Self.signInPath)?container=\(call.container)\(app(call))")
    }

    /// Tells the sign-in page whose settings say where the token goes; nothing for an emulator's token.
    private func app(_ call: Call) -> String {
        guard let token = call.credentials.apiToken, token != configuration.universalAPIToken else { return "" }
        return "&app=\(Hex.encode(Self.hash(apiToken: token)))"
    }

    static let signInPath = "/stratus/sign-in"

    /// Forgets a session, so that revoking it takes effect at once in this process.
    package func forgetSession(_ id: String) { sessions.forget(id) }

    /// The same for all of them.
    func forgetSessions() { sessions.forgetAll() }
}

extension Call {
    /// Everything but the public database's records belongs to somebody. [Apple:SettingUpWebServices]
    var needsUser: Bool {
        switch operation {
        case .usersCaller, .usersCurrent, .usersDiscover, .usersLookupEmail, .usersLookupID, .usersLookupContacts,
            .usersPermission, .subscriptionsList, .subscriptionsLookup, .subscriptionsModify, .tokensCreate,
            .tokensRegister:
            true
        default: database != .public
        }
    }
}

extension ServerError {
    static let authenticationFailed = ServerError(.authenticationFailed, "Authentication failed")
}
