import CloudStore

extension Administration {
    package struct ContainerSummary: Sendable, Hashable {
        package var identifier: String
        /// Milliseconds since 1970-01-01 UTC.
        package var created: Int64
        /// The environments that hold data.
        package var environments: [String]
        /// How long its requests stay in the request log, in milliseconds; nil is as long as the server's setting says.
        package var requestLogLife: Int64?
    }

    /// The registered containers, by identifier.
    package func containers() throws -> [ContainerSummary] {
        let stored = try store.containers()
        return try control.containers().map { row in
            ContainerSummary(
                identifier: row.identifier, created: row.created,
                environments: stored.filter { $0.identifier == row.identifier }.map(\.environment),
                requestLogLife: row.requestLogLife)
        }
    }

    /// Registers a container, which apps can then use with a token of it.
    package func createContainer(_ identifier: String) throws {
        guard CloudServer.isContainerIdentifier(identifier) else {
            throw AdministrationError.invalid(
                "“\(identifier)” is no container identifier; they look like iCloud.com.example.app")
        }
        guard try control.insertContainer(identifier, created: clock.now()) else {
            throw AdministrationError.containerExists(identifier)
        }
    }

    /// Takes a container away from its apps and revokes its tokens and keys. Its data stays in the store, and is there again when
    /// the container is registered again.
    package func deleteContainer(_ identifier: String) throws {
        try checkContainer(identifier)
        for token in try control.apiTokens(container: identifier) { try control.deleteAPIToken(hash: token.tokenHash) }
        for key in try control.serverKeys() where key.container == identifier { try control.deleteServerKey(key) }
        try control.deleteContainer(identifier)
    }

    /// Says how long a container's requests stay in the request log.
    ///
    /// - Parameter life: milliseconds; nil goes back to the server's setting.
    package func keepRequestLog(of identifier: String, for life: Int64?) throws {
        if let life, life < 0 { throw AdministrationError.invalid("A log cannot be kept for less than no time") }
        guard try control.setRequestLogLife(life, container: identifier) else {
            throw AdministrationError.noContainer(identifier)
        }
    }

    func checkContainer(_ identifier: String) throws {
        guard try control.containers().contains(where: { $0.identifier == identifier }) else {
            throw AdministrationError.noContainer(identifier)
        }
    }
}
