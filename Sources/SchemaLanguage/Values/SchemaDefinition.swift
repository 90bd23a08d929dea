/// A container's schema: its record types and the roles that people can have.
///
/// A value without an order, as CloudKit's own is: neither comments nor the order of a file are kept.
package struct SchemaDefinition: Sendable, Hashable {
    /// Roles of the container's own; `_world`, `_icloud` and `_creator` are always there.
    package var roles: Set<String>
    package var recordTypes: [String: RecordTypeDefinition]

    package init(roles: Set<String> = [], recordTypes: [RecordTypeDefinition] = []) {
        self.roles = roles
        self.recordTypes = Dictionary(recordTypes.map { ($0.name, $0) }) { _, last in last }
    }

    /// The schema with the types that every container has, whether or not a file names them.
    package var complete: SchemaDefinition {
        var complete = self
        var users = recordTypes[RecordTypeDefinition.usersName] ?? .users
        users.fields[RecordTypeDefinition.rolesFieldName] =
            RecordTypeDefinition.users.fields[RecordTypeDefinition.rolesFieldName]
        complete.recordTypes[RecordTypeDefinition.usersName] = users
        return complete
    }

    package var sortedRecordTypes: [RecordTypeDefinition] { recordTypes.values.sorted { $0.name < $1.name } }

    /// Record types whose records nobody can reach in the public database, by name: mostly a forgotten GRANT.
    package var typesWithoutGrants: [String] {
        sortedRecordTypes.filter { $0.grants.isEmpty }.map(\.name)
    }
}

/// A record type: its fields, and who may do what with its records in the public database.
package struct RecordTypeDefinition: Sendable, Hashable {
    package var name: String
    /// The type's own fields.
    package var fields: [String: FieldDefinition]
    /// What the system's fields are indexed for; those that are absent are not indexed.
    package var systemIndexes: [SystemField: FieldIndexes]
    /// By role. A role without a permission is absent.
    package var grants: [String: Permissions]

    package init(
        name: String, fields: [FieldDefinition] = [], systemIndexes: [SystemField: FieldIndexes] = [:],
        grants: [String: Permissions] = [:]
    ) {
        self.name = name
        self.fields = Dictionary(fields.map { ($0.name, $0) }) { _, last in last }
        self.systemIndexes = systemIndexes.filter { !$0.value.isEmpty }
        self.grants = grants.filter { !$0.value.isEmpty }
    }

    package var sortedFields: [FieldDefinition] { fields.values.sorted { $0.name < $1.name } }

    /// What a type begins with that comes into being without a file.
    package static let initialGrants: [String: Permissions] = [
        SystemRole.world: .read, SystemRole.icloud: .create, SystemRole.creator: .write,
    ]

    package static let usersName = "Users"
    package static let shareName = "cloudkit.share"
    /// The field of `Users` that belongs to the server.
    package static let rolesFieldName = "roles"

    /// The type of the record that each person has in the public database.
    package static let users = RecordTypeDefinition(
        name: usersName,
        fields: [FieldDefinition(name: rolesFieldName, type: FieldDataType(.int64, isList: true))],
        grants: [SystemRole.creator: .write, SystemRole.world: .read])
}
