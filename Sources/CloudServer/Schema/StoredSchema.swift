import CloudStore
import SchemaLanguage

/// A container's schema and roles, as one snapshot has them.
struct StoredSchema {
    let schema: Schema
    let definition: SchemaDefinition
    /// Roles that somebody has.
    private let usedRoles: Set<String>

    init(_ reader: ContainerReader) throws {
        schema = Schema(version: try reader.schemaVersion(), types: try reader.types(), fields: try reader.fields())
        definition = schema.definition(roles: try reader.roles())
        usedRoles = Set(try reader.roleMembers().map(\.role))
    }

    /// What a change of this schema would lose, as sentences. A role that nobody has is no loss.
    func losses(_ difference: SchemaDifference) -> [String] {
        difference.losses.filter { change in
            if case .roleRemoved(let role) = change { usedRoles.contains(role) } else { true }
        }.compactMap(\.loss)
    }
}
