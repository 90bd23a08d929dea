import CloudStore

extension Administration {
    package struct ContainerSummary: Sendable, Hashable {
        package var identifier: String
        /// Milliseconds since 1970-01-01 UTC.
        package var created: Int64
        /// The environments that hold data.
        package var environments: [String]
    }

    /// The registered containers, by identifier.
    package func containers() throws -> [ContainerSummary] {
        let stored = try store.containers()
        return try control.containers().map { row in
            ContainerSummary(
                identifier: row.identifier, created: row.created,
                environments: stored.filter { $0.identifier == row.identifier }.map(\.environment))
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

    /// Takes a container away from its apps and revokes its tokens. Its data stays in the store, and is there again when
    /// the container is registered again.
    package func deleteContainer(_ identifier: String) throws {
        try checkContainer(identifier)
        for token in try control.apiTokens(container: identifier) { try control.deleteAPIToken(hash: token.tokenHash) }
        try control.deleteContainer(identifier)
    }

    func checkContainer(_ identifier: String) throws {
        guard try control.containers().contains(where: { $0.identifier == identifier }) else {
            throw AdministrationError.noContainer(identifier)
        }
    }
}
