/// A value of an entity's rows.
package struct Attribute: Sendable, Hashable, Codable {
    package var name: String
    package var type: AttributeType
    package var isOptional: Bool
    /// What rows that came before the attribute have, and what a missing mandatory value is read as.
    package var defaultValue: StoreValue?
    /// Large values lie in files beside the store.
    package var storesExternally: Bool
    /// The history keeps the value when the row is deleted.
    package var preservesValueInHistoryOnDeletion: Bool
    package var allowsCloudEncryption: Bool
    package var renamingIdentifier: String?
    package var versionHashModifier: String?

    package init(
        _ name: String, _ type: AttributeType, isOptional: Bool = false, defaultValue: StoreValue? = nil,
        storesExternally: Bool = false, preservesValueInHistoryOnDeletion: Bool = false,
        allowsCloudEncryption: Bool = false, renamingIdentifier: String? = nil, versionHashModifier: String? = nil
    ) {
        self.name = name
        self.type = type
        self.isOptional = isOptional
        self.defaultValue = defaultValue
        self.storesExternally = storesExternally
        self.preservesValueInHistoryOnDeletion = preservesValueInHistoryOnDeletion
        self.allowsCloudEncryption = allowsCloudEncryption
        self.renamingIdentifier = renamingIdentifier
        self.versionHashModifier = versionHashModifier
    }
}

/// The type of an attribute's values, which decides how they lie in the file.
package indirect enum AttributeType: Sendable, Hashable, Codable {
    case integer16, integer32, integer64
    case decimal, double, float
    case string, boolean, date, binary, uuid, uri
    /// Bytes whose meaning the layer above knows.
    case transformable
    /// Several values with a column each.
    case composite([Attribute])

    /// The values with a column of their own, in order; nested composites are flattened.
    package func leaves(named name: String) -> [(path: String, type: AttributeType)] {
        guard case .composite(let elements) = self else { return [(name, self)] }
        return elements.flatMap { $0.type.leaves(named: name + "." + $0.name) }
    }

    /// The type with which Apple's frameworks declare the column.
    var columnType: String {
        switch self {
        case .integer16, .integer32, .integer64, .boolean: "INTEGER"
        case .double, .float: "FLOAT"
        case .decimal: "DECIMAL"
        case .date: "TIMESTAMP"
        case .string, .uri: "VARCHAR"
        case .binary, .uuid, .transformable, .composite: "BLOB"
        }
    }
}
