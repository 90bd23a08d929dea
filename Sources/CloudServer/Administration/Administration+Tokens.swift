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
    package func createToken(
        container: String, environment: CloudEnvironment, note: String = ""
    ) throws -> (token: String, row: APITokenRow) {
        try checkContainer(container)
        let token = Hex.encode(random.bytes(32))
        let row = APITokenRow(
            tokenHash: Identity.hash(apiToken: token), container: container, environment: environment.rawValue,
            note: note, created: clock.now(), prefix: String(token.prefix(Self.prefixLength)))
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
