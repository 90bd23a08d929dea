/// A record type of a container's environment.
package struct TypeRow: Sendable, Equatable {
    package var id: Int64
    package var name: String
    /// Who may do what with its records, in a form that the store does not read; nil while nobody has said.
    package var grants: String?

    package init(id: Int64, name: String, grants: String? = nil) {
        self.id = id
        self.name = name
        self.grants = grants
    }
}

/// That a person has a role.
package struct RoleMemberRow: Sendable, Hashable {
    /// The person's record name.
    package var owner: String
    package var role: String

    package init(owner: String, role: String) {
        self.owner = owner
        self.role = role
    }
}

/// A field of a record type.
package struct FieldRow: Sendable, Equatable {
    package var id: Int64
    /// The id of the record type.
    package var type: Int64
    package var name: String
    /// The field's type, and below which indexes it has: numbers that the store does not read.
    package var kind: Int64
    package var flags: Int64

    package init(id: Int64, type: Int64, name: String, kind: Int64, flags: Int64) {
        self.id = id
        self.type = type
        self.name = name
        self.kind = kind
        self.flags = flags
    }
}
