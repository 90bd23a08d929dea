import PersistentStore
import Synchronization

/// What is known of a model class: its properties by position, resolved from `schemaMetadata` once.
package final class ModelDescription: Sendable {
    /// The entity's name: the class's, unqualified.
    package let name: String
    package let type: any PersistentModel.Type
    package let superclass: ModelDescription?
    /// Inherited ones first, from the root class down; the position is the property's index everywhere.
    package let properties: [PropertyDescription]
    /// Where the class's own properties begin.
    package let firstOwn: Int
    package let uniquenessConstraints: [[String]]
    package let indices: [(properties: [String], isRTree: Bool)]
    // Key paths are immutable and compare by what they lead to.
    nonisolated(unsafe) private let indexes: [AnyKeyPath: Int]
    private let indexesByName: [String: Int]
    /// Whether any property is a relationship.
    package let hasRelationships: Bool
    /// The positions of the to-many relationships.
    let toManyProperties: [Int]
    /// The properties with columns in the entity's own table.
    package let columnProperties: PropertySet
    /// Whether any to-many has a limit of objects.
    let hasCountLimits: Bool
    /// What is wrong with the class: types that cannot be kept.
    package let problems: [String]

    package var ownProperties: ArraySlice<PropertyDescription> { properties[firstOwn...] }

    /// The position of the property that a key path leads to, formed on the class or one that it inherits from.
    package func index(of keyPath: AnyKeyPath) -> Int? { indexes[keyPath] }

    package func index(named name: String) -> Int? { indexesByName[name] }

    // MARK: - Making

    private static let made = Mutex<[ObjectIdentifier: ModelDescription]>([:])

    /// The description of a class, made when it is first asked for.
    package static func of(_ type: any PersistentModel.Type) -> ModelDescription {
        let id = ObjectIdentifier(type)
        if let description = made.withLock({ $0[id] }) { return description }
        // Made outside the lock: it asks for superclasses. Two threads may both make it; the first to finish wins.
        let description = ModelDescription(type)
        return made.withLock { made in
            if let other = made[id] { return other }
            made[id] = description
            return description
        }
    }

    private init(_ type: any PersistentModel.Type) {
        self.type = type
        name = String(describing: type)
        let superclass = type._$superclass.map { ModelDescription.of($0) }
        self.superclass = superclass
        let inherited = superclass?.properties ?? []
        var properties = inherited
        var indexes = superclass?.indexes ?? [:]
        var uniquenessConstraints: [[String]] = []
        var indices: [(properties: [String], isRTree: Bool)] = []
        var constraints: [(any ConstraintMetadata, isUnique: Bool)] = []
        for metadata in type.schemaMetadata {
            if let constraint = metadata.metadata as? any ConstraintMetadata {
                constraints.append((constraint, metadata.metadata?.isUnique == true))
                continue
            }
            let property = PropertyDescription(metadata, index: properties.count, declaredBy: type)
            indexes[metadata.keypath] = property.index
            properties.append(property)
            if property.schemaProperty.isUnique { uniquenessConstraints.append([property.name]) }
        }
        firstOwn = inherited.count
        self.properties = properties
        self.indexes = indexes
        let byName = Dictionary(properties.map { ($0.name, $0.index) }, uniquingKeysWith: { first, _ in first })
        indexesByName = byName
        for (constraint, isUnique) in constraints {
            for (keyPaths, isRTree) in constraint.keyPathLists {
                let names = keyPaths.compactMap { indexes[$0].map { properties[$0].name } }
                if isUnique { uniquenessConstraints.append(names) } else { indices.append((names, isRTree)) }
            }
        }
        self.uniquenessConstraints = uniquenessConstraints
        self.indices = indices
        hasRelationships = properties.contains { $0.destination != nil }
        toManyProperties = properties.filter(\.isToMany).map(\.index)
        columnProperties = PropertySet(properties.filter { !$0.isToMany }.map(\.index))
        hasCountLimits = properties.contains {
            $0.isToMany
                && (($0.relationship?.minimumModelCount ?? 0) > 0 || ($0.relationship?.maximumModelCount ?? 0) > 0)
        }
        problems = properties[firstOwn...].compactMap { property in
            guard case .unsupported = property.kind else { return nil }
            return
                "\(String(describing: type)).\(property.name): its type \(property.valueType) is neither Codable nor a model"
        }
    }

    // MARK: - Relations between classes

    /// The classes with all that their relationships and superclasses lead to, superclasses before their subclasses.
    static func closure(of types: [any PersistentModel.Type]) -> [ModelDescription] {
        var found: [ModelDescription] = []
        var seen: Set<ObjectIdentifier> = []
        func add(_ type: any PersistentModel.Type) {
            guard seen.insert(ObjectIdentifier(type)).inserted else { return }
            let description = ModelDescription.of(type)
            if let superclass = type._$superclass { add(superclass) }
            found.append(description)
            for property in description.ownProperties {
                if let destination = property.destination { add(destination) }
            }
        }
        for type in types { add(type) }
        return found
    }

    /// The other end of a relationship, by its position among the destination's properties.
    func inverse(of property: PropertyDescription) -> Int? { property.resolvedInverse(in: self) }

    /// Whether any to-many is kept as pairs of its own.
    var hasLinks: Bool { hasRelationships && properties.contains { $0.isLinked(in: self) } }

    func inherits(from other: ModelDescription) -> Bool {
        var current: ModelDescription? = self
        while let description = current {
            if description === other { return true }
            current = description.superclass
        }
        return false
    }

    /// Tells the schema's own property values what only the classes together know.
    func register(in schema: Schema) {
        for property in ownProperties {
            guard let relationship = property.schemaProperty as? Schema.Relationship,
                let destination = property.destination
            else { continue }
            relationship.destination = ModelDescription.of(destination).name
            if let inverse = inverse(of: property) {
                let other = ModelDescription.of(destination).properties[inverse]
                relationship.inverseName = other.name
                relationship.inverseKeyPath = other.keyPath
            }
        }
    }
}
