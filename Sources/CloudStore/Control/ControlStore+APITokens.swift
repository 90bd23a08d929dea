import SQL

extension ControlStore {
    private static let tokenColumns = "token_hash, container, environment, origins, note, created, prefix, callback"

    package func insertAPIToken(_ token: APITokenRow) throws(StoreError) {
        try write { session in
            try session.run("INSERT INTO api_token (\(Self.tokenColumns)) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)") {
                $0.bind(1, token.tokenHash)
                $0.bind(2, token.container)
                $0.bind(3, token.environment)
                $0.bind(4, token.origins)
                $0.bind(5, token.note)
                $0.bind(6, token.created)
                $0.bind(7, token.prefix)
                $0.bind(8, token.callback)
            }
        }
    }

    package func apiToken(hash: [UInt8]) throws(StoreError) -> APITokenRow? {
        try apiTokens("WHERE token_hash = ?1") { $0.bind(1, hash) }.first
    }

    /// A container's tokens, oldest first.
    package func apiTokens(container: String) throws(StoreError) -> [APITokenRow] {
        try apiTokens("WHERE container = ?1 ORDER BY created, prefix") { $0.bind(1, container) }
    }

    /// All tokens, by container, oldest first.
    package func apiTokens() throws(StoreError) -> [APITokenRow] {
        try apiTokens("ORDER BY container, created, prefix") { _ in }
    }

    package func deleteAPIToken(hash: [UInt8]) throws(StoreError) {
        try write { session in
            try session.run("DELETE FROM api_token WHERE token_hash = ?1") { $0.bind(1, hash) }
        }
    }

    private func apiTokens(_ rest: String, _ bind: (any Statement) -> Void) throws(StoreError) -> [APITokenRow] {
        try read { session in
            try session.rows("SELECT \(Self.tokenColumns) FROM api_token \(rest)", bind) {
                APITokenRow(
                    tokenHash: $0.blob(0), container: $0.text(1), environment: $0.text(2), origins: $0.text(3),
                    callback: $0.text(7), note: $0.text(4), created: $0.int64(5), prefix: $0.text(6))
            }
        }
    }
}
