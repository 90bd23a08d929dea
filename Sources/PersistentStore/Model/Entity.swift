/// One kind of object: its own properties and where it stands in the inheritance.
package struct Entity: Sendable, Hashable, Codable {
    package var name: String
    /// The entity whose properties this one has too, and in whose table its rows lie.
    package var superentity: String?
    /// True: only subentities have rows.
    package var isAbstract: Bool
    /// The entity's own properties in the order they are declared, without the inherited ones.
    package var properties: [Property]
    /// Each is a list of property names whose values together occur in one row only.
    package var uniquenessConstraints: [[String]]
    package var indexes: [Index]
    /// The name that the entity had in the version before, when it was renamed.
    package var renamingIdentifier: String?
    /// Makes two versions differ that are else alike.
    package var versionHashModifier: String?

    package init(
        _ name: String, superentity: String? = nil, isAbstract: Bool = false, properties: [Property] = [],
        uniquenessConstraints: [[String]] = [], indexes: [Index] = [], renamingIdentifier: String? = nil,
        versionHashModifier: String? = nil
    ) {
        self.name = name
        self.superentity = superentity
        self.isAbstract = isAbstract
        self.properties = properties
        self.uniquenessConstraints = uniquenessConstraints
        self.indexes = indexes
        self.renamingIdentifier = renamingIdentifier
        self.versionHashModifier = versionHashModifier
    }
}

/// An index over columns of one entity.
package struct Index: Sendable, Hashable, Codable {
    package enum Kind: String, Sendable, Codable {
        case binary
        /// Ranges over several numbers at once. Accepted, and kept as an ordinary index: it changes how fast a query is, never
        /// its result.
        case rtree
    }

    package var name: String
    /// Names of attributes, elements of composites (`place.city`) or to-one relationships.
    package var properties: [String]
    package var kind: Kind
    package var isAscending: Bool

    package init(_ name: String, properties: [String], kind: Kind = .binary, isAscending: Bool = true) {
        self.name = name
        self.properties = properties
        self.kind = kind
        self.isAscending = isAscending
    }
}

/// An attribute or a relationship.
package enum Property: Sendable, Hashable, Codable {
    case attribute(Attribute)
    case relationship(Relationship)

    package var name: String {
        switch self {
        case .attribute(let attribute): attribute.name
        case .relationship(let relationship): relationship.name
        }
    }

    package var renamingIdentifier: String? {
        switch self {
        case .attribute(let attribute): attribute.renamingIdentifier
        case .relationship(let relationship): relationship.renamingIdentifier
        }
    }
}
