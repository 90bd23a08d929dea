import PersistentStore

extension Schema {
    /// One kind of object.
    public final class Entity: Codable, Hashable, CustomDebugStringConvertible, @unchecked Sendable {
        // Changed by nobody once a schema is made of it.

        public var name: String
        public var subentities: Set<Entity> = []
        public var superentityName: String?
        // The schema holds both.
        public weak var superentity: Entity?
        /// The properties that the entity itself declares.
        public var storedProperties: [any SchemaProperty] = []
        public var uniquenessConstraints: [[String]] = []
        public var indices: [[String]] = []
        /// The class that the entity was made of.
        let description: ModelDescription?

        public init(_ name: String) {
            self.name = name
            description = nil
        }

        public convenience init(_ name: String, properties: any SchemaProperty...) {
            self.init(name)
            storedProperties = properties
        }

        public convenience init(_ name: String, subentities: Entity..., properties: any SchemaProperty...) {
            self.init(name)
            storedProperties = properties
            self.subentities = Set(subentities)
            for entity in subentities {
                entity.superentityName = name
                entity.superentity = self
            }
        }

        init(_ description: ModelDescription) {
            name = description.name
            self.description = description
            superentityName = description.superclass?.name
            storedProperties = description.ownProperties.map(\.schemaProperty)
            uniquenessConstraints = description.uniquenessConstraints
            indices = description.indices.map(\.properties)
        }

        /// The properties of the entities above; what is set stands in for them.
        public var inheritedProperties: [any SchemaProperty] {
            get { givenInheritedProperties ?? superentity.map { $0.inheritedProperties + $0.storedProperties } ?? [] }
            set { givenInheritedProperties = newValue }
        }
        private var givenInheritedProperties: [any SchemaProperty]?

        public var properties: [any SchemaProperty] { inheritedProperties + storedProperties }
        // Setting one of these sets the entity's own properties of the kind.
        public var attributes: Set<Attribute> {
            get { Set(properties.compactMap { $0 as? Attribute }) }
            set { replace(Attribute.self, by: newValue) }
        }
        public var relationships: Set<Relationship> {
            get { Set(properties.compactMap { $0 as? Relationship }) }
            set { replace(Relationship.self, by: newValue) }
        }
        public var attributesByName: [String: Attribute] {
            get { byName(attributes) }
            set { attributes = Set(newValue.values) }
        }
        public var relationshipsByName: [String: Relationship] {
            get { byName(relationships) }
            set { relationships = Set(newValue.values) }
        }
        public var storedPropertiesByName: [String: any SchemaProperty] {
            get { byName(storedProperties) }
            set { storedProperties = newValue.values.sorted { $0.name < $1.name } }
        }
        public var inheritedPropertiesByName: [String: any SchemaProperty] {
            get { byName(inheritedProperties) }
            set { inheritedProperties = newValue.values.sorted { $0.name < $1.name } }
        }

        private func replace<Property: SchemaProperty>(_ type: Property.Type, by properties: Set<Property>) {
            let inherited = Set(inheritedProperties.compactMap { $0 as? Property })
            let own = properties.subtracting(inherited).sorted { $0.name < $1.name }
            storedProperties = storedProperties.filter { !($0 is Property) } + own.map { $0 as any SchemaProperty }
        }

        public var debugDescription: String {
            "Entity \(name)" + (superentityName.map { ": \($0)" } ?? "")
                + " (\(properties.map(\.name).joined(separator: ", ")))"
        }

        private func byName<Property>(_ properties: some Sequence<Property>) -> [String: Property] {
            Dictionary(
                properties.map { (($0 as? any SchemaProperty)?.name ?? "", $0) },
                uniquingKeysWith: { first, _ in first })
        }

        private enum CodingKeys: String, CodingKey {
            case name, superentityName, attributes, relationships, uniquenessConstraints, indices
        }

        public init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            name = try container.decode(String.self, forKey: .name)
            description = nil
            superentityName = try container.decodeIfPresent(String.self, forKey: .superentityName)
            let attributes = try container.decode([EncodedAttribute].self, forKey: .attributes).map(\.attribute)
            let relationships = try container.decode([Relationship].self, forKey: .relationships)
            storedProperties = attributes as [any SchemaProperty] + relationships as [any SchemaProperty]
            uniquenessConstraints = try container.decode([[String]].self, forKey: .uniquenessConstraints)
            indices = try container.decode([[String]].self, forKey: .indices)
        }

        public func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(name, forKey: .name)
            try container.encodeIfPresent(superentityName, forKey: .superentityName)
            try container.encode(storedProperties.compactMap { $0 as? Attribute }, forKey: .attributes)
            try container.encode(storedProperties.compactMap { $0 as? Relationship }, forKey: .relationships)
            try container.encode(uniquenessConstraints, forKey: .uniquenessConstraints)
            try container.encode(indices, forKey: .indices)
        }

        public static func == (lhs: Entity, rhs: Entity) -> Bool {
            if lhs === rhs { return true }
            guard lhs.name == rhs.name, lhs.superentityName == rhs.superentityName,
                lhs.uniquenessConstraints == rhs.uniquenessConstraints, lhs.indices == rhs.indices
            else { return false }
            return lhs.ownAttributes == rhs.ownAttributes && lhs.ownRelationships == rhs.ownRelationships
        }

        private var ownAttributes: Set<Attribute> { Set(storedProperties.compactMap { $0 as? Attribute }) }
        private var ownRelationships: Set<Relationship> { Set(storedProperties.compactMap { $0 as? Relationship }) }

        public func hash(into hasher: inout Hasher) { hasher.combine(name) }
    }
}
