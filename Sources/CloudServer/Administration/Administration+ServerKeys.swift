import CloudStore
import WebServices

extension Administration {
    /// The keys of a container, or all.
    package func serverKeys(container: String? = nil) throws -> [ServerKeyRow] {
        guard let container else { return try control.serverKeys() }
        try checkContainer(container)
        return try control.serverKeys().filter { $0.container == container }
    }

    /// Lets a server that has the private half of a key into a container's environment.
    ///
    /// - Parameter pem: the public key, as `openssl ec -pubout` writes it.
    package func addServerKey(
        pem: String, container: String, environment: CloudEnvironment, note: String = ""
    ) throws -> ServerKeyRow {
        try checkContainer(container)
        guard let key = ServerKey(pem: pem) else {
            let hint =
                pem.contains("PRIVATE KEY")
                ? "This is a private key, which never leaves its server"
                : "This is no public key of the curve prime256v1 in PEM"
            throw AdministrationError.invalid(hint)
        }
        let row = ServerKeyRow(
            id: key.id, container: container, environment: environment.rawValue, publicKey: key.der, note: note,
            created: clock.now())
        do {
            try control.insertServerKey(row)
        } catch  where error.kind == .constraint {
            throw AdministrationError.keyExists(key.id)
        }
        return row
    }

    /// Revokes the key with this identifier, or with one that begins so.
    ///
    /// - Parameters:
    ///   - container: where the same key is in several.
    @discardableResult
    package func deleteServerKey(
        _ text: String, container: String? = nil, environment: CloudEnvironment? = nil
    ) throws -> ServerKeyRow {
        let text = text.lowercased()
        let found = try control.serverKeys().filter { row in
            text.count >= 4 && row.id.hasPrefix(text) && container.map { $0 == row.container } ?? true
                && environment.map { $0.rawValue == row.environment } ?? true
        }
        guard let key = found.first else { throw AdministrationError.noKey(text) }
        guard found.count == 1 else { throw AdministrationError.ambiguousKey(text) }
        try control.deleteServerKey(key)
        return key
    }
}
