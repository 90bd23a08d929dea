/// Where a property of an entity lies in the file.
package struct PropertyLayout: Sendable {
    package enum Kind: Sendable {
        /// One column, or one for each leaf of a composite.
        case attribute(columns: [ColumnLayout])
        case toOne(ToOneLayout)
        case oneToMany(OneToManyLayout)
        case manyToMany(ManyToManyLayout)
    }

    /// The property's position in its entity's list, inherited ones first.
    package let index: Int
    package let name: String
    package let property: Property
    /// The number of the entity that declares it.
    package let declaringEntity: Int
    package let kind: Kind

    /// The columns of the entity's table that belong to it, in order.
    var columnNames: [String] {
        switch kind {
        case .attribute(let columns): columns.map(\.name)
        case .toOne(let toOne): toOne.entityColumn.map { [toOne.column, $0] } ?? [toOne.column]
        case .oneToMany, .manyToMany: []
        }
    }

    package var attribute: Attribute? {
        if case .attribute(let attribute) = property { attribute } else { nil }
    }

    package var relationship: Relationship? {
        if case .relationship(let relationship) = property { relationship } else { nil }
    }
}

/// A column of an attribute.
package struct ColumnLayout: Sendable, Hashable {
    package let name: String
    /// The attribute's name, or `composite.element`.
    package let path: String
    package let type: AttributeType
    /// Its bytes begin with a mark that tells whether they lie here or in a file of their own.
    package let isExternal: Bool
}

/// A column with the key of another row.
package struct ToOneLayout: Sendable, Hashable {
    /// The number of the entity that it leads to.
    package let destination: Int
    package let column: String
    /// The column with the number of the other row's entity, when it has several.
    package let entityColumn: String?
    /// The column with this row's place in the other's ordered list.
    package let orderColumn: String?
    /// The index of the inverse among the destination's properties.
    package let inverse: Int?
}

/// Rows of another table that lead here.
package struct OneToManyLayout: Sendable, Hashable {
    package let destination: Int
    /// The destination's table.
    package let table: String
    /// The destination's column that leads here.
    package let column: String
    /// The destination's column with the number of the owner's entity, when owners are of several.
    package let entityColumn: String?
    package let orderColumn: String?
    package let inverse: Int?
}

/// Rows of a join table.
package struct ManyToManyLayout: Sendable, Hashable {
    package let destination: Int
    /// The join table.
    package let table: String
    package let ownerColumn: String
    package let destinationColumn: String
    /// The column with a destination's place in the owner's ordered list.
    package let orderColumn: String?
    /// The column with the owner's place in the destination's ordered list.
    package let inverseOrderColumn: String?
    /// The relationship is its own inverse: each pair has two rows.
    package let isReflexive: Bool
    package let inverse: Int?
}
