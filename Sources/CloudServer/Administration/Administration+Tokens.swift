import CloudStore
import WebServices

extension Administration {
    /// How many of a token's characters are kept to tell it apart.
    private static let prefixLength = 8

    /// API tokens of a container, or all.
    package func tokens(container: String? = nil) throws -> [APITokenRow] {
        guard let container else { return try control.apiTokens() }
        try checkContainer(container)
        return try control.apiTokens(container: container)
    }

    /// Makes an API token for a container's environment. The store keeps only its hash: it is told this once.
    ///
    /// - Parameters:
    ///   - origins: the web pages that may use it, such as `https://notes.example.com`; none means all.
    ///   - callback: where a browser goes after a sign-in, with the web token in its query; else the page that opened the
    ///     sign-in is sent a message.
    package func createToken(
        container: String, environment: CloudEnvironment, note: String = "", origins: [String] = [],
        callback: String? = nil
    ) throws -> (token: String, row: APITokenRow) {
        try checkContainer(container)
        for origin in origins where !WebAddress.isOrigin(origin) {
            throw AdministrationError.invalid(
                "“\(origin)” is no origin; they look like https://notes.example.com or http://localhost:8000")
        }
        if let callback, WebAddress.origin(of: callback) == nil {
            throw AdministrationError.invalid("“\(callback)” is no http or https address")
        }
        let token = Hex.encode(random.bytes(32))
        let row = APITokenRow(
            tokenHash: Identity.hash(apiToken: token), container: container, environment: environment.rawValue,
            origins: origins.joined(separator: " "), callback: callback ?? "", note: note, created: clock.now(),
            prefix: String(token.prefix(Self.prefixLength)))
        try control.insertAPIToken(row)
        return (token, row)
    }

    /// Revokes the token that is given, or that begins with the given characters.
    @discardableResult
    package func deleteToken(_ text: String) throws -> APITokenRow {
        let text = text.lowercased()
        let hash = Identity.hash(apiToken: text)
        let all = try control.apiTokens()
        let found = all.filter { row in
            row.tokenHash == hash || (text.count >= 4 && text.count <= Self.prefixLength && row.prefix.hasPrefix(text))
        }
        guard let token = found.first else { throw AdministrationError.noToken(text) }
        guard found.count == 1 else { throw AdministrationError.ambiguousToken(text) }
        try control.deleteAPIToken(hash: token.tokenHash)
        return token
    }
}
