import CloudStore
import SchemaLanguage
import WebServices

extension Administration {
    /// The schema of a container's environment; that of an environment that nobody has used yet has the types that every
    /// container has.
    package func schema(of container: String, _ environment: CloudEnvironment) throws -> SchemaDefinition {
        try checkContainer(container)
        guard let store = try store.container(container, environment.rawValue, create: false) else {
            return SchemaDefinition().complete
        }
        return try store.read { try StoredSchema($0).definition }
    }

    /// What importing a schema into the development environment would change there, without doing it.
    ///
    /// - Throws: `AdministrationError.schemaRefused` where it could not be deployed without losing data in production.
    package func differenceOfImport(
        _ definition: SchemaDefinition, into container: String
    ) throws -> SchemaDifference {
        try checkContainer(container)
        try checkAgainstProduction(definition, of: container)
        return SchemaDifference(from: try schema(of: container, .development), to: definition)
    }

    /// Makes a schema the development environment's.
    ///
    /// - Parameters:
    ///   - allowingLoss: whether records of removed types and values of removed fields may be deleted.
    ///   - keys: of encrypted fields; needed where one of them is removed.
    /// - Returns: what was changed.
    /// - Throws: `AdministrationError.schemaLosesData` where that is not allowed, and `.schemaRefused` where the schema
    ///   could not be deployed. Nothing is changed then.
    @discardableResult
    package func importSchema(
        _ definition: SchemaDefinition, into container: String, allowingLoss: Bool = false, keys: EncryptionKeys? = nil
    ) throws -> SchemaDifference {
        try checkContainer(container)
        try checkAgainstProduction(definition, of: container)
        guard let store = try store.container(container, CloudEnvironment.development.rawValue, create: true) else {
            throw AdministrationError.noContainer(container)
        }
        return try SchemaTransition(store, to: definition, allowingLoss: allowingLoss, keys, random).run(
            now: clock.now())
    }

    /// What deploying would change in production, without doing it.
    ///
    /// - Throws: `AdministrationError.schemaRefused` where production would lose data.
    package func differenceOfDeployment(of container: String) throws -> SchemaDifference {
        let definition = try schema(of: container, .development)
        try checkAgainstProduction(definition, of: container)
        return SchemaDifference(from: try schema(of: container, .production), to: definition)
    }

    /// Makes the development environment's schema production's. Only ever adds: records and values stay as they are.
    ///
    /// - Returns: what was changed.
    /// - Throws: `AdministrationError.schemaRefused` where production would lose data. Nothing is changed then.
    @discardableResult
    package func deploySchema(of container: String) throws -> SchemaDifference {
        let definition = try schema(of: container, .development)
        try checkAgainstProduction(definition, of: container)
        guard let store = try store.container(container, CloudEnvironment.production.rawValue, create: true) else {
            throw AdministrationError.noContainer(container)
        }
        return try SchemaTransition(store, to: definition, allowingLoss: false).run(now: clock.now())
    }

    /// Makes the development environment what production is, and deletes everything that is stored in it.
    package func resetSchema(of container: String) throws {
        let definition = try schema(of: container, .production)
        guard let store = try store.container(container, CloudEnvironment.development.rawValue, create: false) else {
            return
        }
        let now = clock.now()
        var last: Int64 = 0
        while true {
            let ids = try store.read { try $0.zoneIDs(after: last, limit: 100) }
            guard let newest = ids.last else { break }
            last = newest
            try store.writeAndWait { writer in
                for id in ids {
                    guard let zone = try writer.lockZone(id) else { continue }
                    try writer.deleteZone(zone, reason: ZoneDeletionReason.deleted.rawValue, at: now)
                }
            }
        }
        try SchemaTransition(store, to: definition, allowingLoss: true).run(now: now)
    }

    /// Production's data is what nothing may lose. A role that nobody has there is no data.
    private func checkAgainstProduction(_ definition: SchemaDefinition, of container: String) throws {
        try checkContainer(container)
        guard let store = try store.container(container, CloudEnvironment.production.rawValue, create: false) else {
            return
        }
        let losses = try store.read { reader in
            let stored = try StoredSchema(reader)
            return stored.losses(SchemaDifference(from: stored.definition, to: definition))
        }
        guard losses.isEmpty else { throw AdministrationError.schemaRefused(losses) }
    }

    /// What an import would delete in the development environment, as sentences.
    package func losses(of difference: SchemaDifference, in container: String) throws -> [String] {
        guard let store = try store.container(container, CloudEnvironment.development.rawValue, create: false) else {
            return []
        }
        return try store.read { try StoredSchema($0).losses(difference) }
    }
}
