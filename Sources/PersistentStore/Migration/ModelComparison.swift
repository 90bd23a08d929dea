/// What differs between two versions of a model as far as the file is concerned.
///
/// Names that were given up, delete rules, defaults, counts and indexes are no difference: a file of one version can be used with the
/// other.
enum ModelComparison {
    static func differences(from old: StoreModel, to new: StoreModel) -> [ModelDifference] {
        var result: [ModelDifference] = []
        for entity in old.entities where new.entity(named: entity.name) == nil {
            result.append(.entityRemoved(entity.name))
        }
        for entity in new.entities {
            guard let before = old.entity(named: entity.name) else {
                result.append(.entityAdded(entity.name))
                continue
            }
            result += differences(from: before, to: entity)
        }
        return result
    }

    private static func differences(from old: Entity, to new: Entity) -> [ModelDifference] {
        var result: [ModelDifference] = []
        if old.superentity != new.superentity {
            result.append(
                .entityChanged(
                    new.name, "inherited from \(old.superentity ?? "nothing"), now from \(new.superentity ?? "nothing")"
                ))
        }
        if old.versionHashModifier != new.versionHashModifier {
            result.append(.entityChanged(new.name, "has another version hash modifier"))
        }
        let before = Dictionary(old.properties.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        let after = Set(new.properties.map(\.name))
        for property in old.properties where !after.contains(property.name) {
            result.append(.propertyRemoved(entity: new.name, property: property.name))
        }
        for property in new.properties {
            guard let was = before[property.name] else {
                result.append(.propertyAdded(entity: new.name, property: property.name))
                continue
            }
            for what in changes(from: was, to: property) {
                result.append(.propertyChanged(entity: new.name, property: property.name, what))
            }
        }
        // The order of the properties decides nothing in the file but what a history's bits mean.
        if result.isEmpty, old.properties.map(\.name) != new.properties.map(\.name) {
            result.append(.entityChanged(new.name, "its properties are in another order"))
        }
        return result
    }

    private static func changes(from old: Property, to new: Property) -> [String] {
        switch (old, new) {
        case (.attribute(let old), .attribute(let new)):
            var result: [String] = []
            if old.type != new.type { result.append("its type was \(old.type.name), now \(new.type.name)") }
            if old.isOptional != new.isOptional {
                result.append(new.isOptional ? "it is optional now" : "it is not optional any more")
            }
            if old.storesExternally != new.storesExternally { result.append("it is stored in another place") }
            if old.versionHashModifier != new.versionHashModifier { result.append("its version hash modifier") }
            return result
        case (.relationship(let old), .relationship(let new)):
            var result: [String] = []
            if old.destination != new.destination {
                result.append("it led to \(old.destination), now to \(new.destination)")
            }
            if old.isToMany != new.isToMany { result.append(new.isToMany ? "it is to-many now" : "it is to-one now") }
            if old.isOrdered != new.isOrdered {
                result.append(new.isOrdered ? "it is ordered now" : "it has no order now")
            }
            if old.inverse != new.inverse {
                result.append("its inverse was \(old.inverse ?? "none"), now \(new.inverse ?? "none")")
            }
            if old.versionHashModifier != new.versionHashModifier { result.append("its version hash modifier") }
            return result
        case (.attribute, .relationship): return ["it was an attribute, now it is a relationship"]
        case (.relationship, .attribute): return ["it was a relationship, now it is an attribute"]
        }
    }
}

extension AttributeType {
    /// The type's name in messages.
    package var name: String {
        switch self {
        case .integer16: "Integer 16"
        case .integer32: "Integer 32"
        case .integer64: "Integer 64"
        case .decimal: "Decimal"
        case .double: "Double"
        case .float: "Float"
        case .string: "String"
        case .boolean: "Boolean"
        case .date: "Date"
        case .binary: "Binary Data"
        case .uuid: "UUID"
        case .uri: "URI"
        case .transformable: "Transformable"
        case .composite: "Composite"
        }
    }
}
