import PersistentStore

extension Schema {
    /// The schema as a store keeps it.
    ///
    /// - Throws: `unknownSchema` for a schema without classes, `modelValidationFailure` with every property whose type cannot be
    ///   kept.
    package func storeModel(of descriptions: [ModelDescription]? = nil) throws -> StoreModel {
        let descriptions = descriptions ?? self.descriptions
        let problems = descriptions.flatMap(\.problems)
        guard problems.isEmpty else {
            throw SwiftDataError(.modelValidationFailure, detail: problems.joined(separator: "; "))
        }
        return StoreModel(
            entities: descriptions.map(\.storeEntity), versionIdentifiers: [version.description])
    }
}

extension ModelDescription {
    fileprivate var storeEntity: Entity {
        Entity(
            name, superentity: superclass?.name, properties: ownProperties.compactMap { $0.storeProperty(in: self) },
            uniquenessConstraints: uniquenessConstraints,
            indexes: indices.map {
                Index(
                    // As files of Apple's SwiftData have it.
                    "SwiftDataIndexOn\($0.isRTree ? "RTree" : "Binary")" + $0.properties.joined(),
                    properties: $0.properties,
                    kind: $0.isRTree ? .rtree : .binary)
            })
    }
}

extension PropertyDescription {
    fileprivate func storeProperty(in description: ModelDescription) -> Property? {
        let renamed = schemaProperty.originalName == name ? nil : schemaProperty.originalName
        if let relationship, let destination {
            let inverse = resolvedInverse(in: description)
            let rule = Relationship.DeleteRule(rawValue: relationship.deleteRule.rawValue) ?? .nullify
            return .relationship(
                Relationship(
                    name, to: ModelDescription.of(destination).name,
                    inverse: inverse.map { ModelDescription.of(destination).properties[$0].name }, isToMany: isToMany,
                    isOptional: isOptional, minimumCount: relationship.minimumModelCount ?? 0,
                    maximumCount: isToMany ? relationship.maximumModelCount ?? 0 : 1, deleteRule: rule,
                    renamingIdentifier: renamed, versionHashModifier: relationship.hashModifier))
        }
        guard let attribute, let type = attributeType else { return nil }
        return .attribute(
            Attribute(
                name, type, isOptional: isOptional, defaultValue: defaultStoreValue,
                storesExternally: attribute.options.contains(.externalStorage) && type == .binary,
                preservesValueInHistoryOnDeletion: attribute.options.contains(.preserveValueOnDeletion),
                allowsCloudEncryption: attribute.options.contains(.allowsCloudEncryption), renamingIdentifier: renamed,
                versionHashModifier: attribute.hashModifier))
    }

    package var attributeType: AttributeType? {
        switch kind {
        case .value(let type), .raw(let type): type
        case .composite(let shape): .composite(shape.attributes)
        case .encoded, .transformable: .transformable
        case .toOne, .toMany, .unsupported: nil
        }
    }
}
