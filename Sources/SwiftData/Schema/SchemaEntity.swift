import PersistentStore

extension Schema {
    /// One kind of object.
    public final class Entity: Codable, Hashable {
        public let name: String
        public internal(set) var subentities: Set<Entity> = []
        public internal(set) var superentityName: String?
        // The schema holds both.
        public internal(set) weak var superentity: Entity?
        /// The properties that the entity itself declares.
        public internal(set) var storedProperties: [any SchemaProperty] = []
        public internal(set) var uniquenessConstraints: [[String]] = []
        public internal(set) var indices: [[String]] = []
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

        public var inheritedProperties: [any SchemaProperty] {
            superentity.map { $0.inheritedProperties + $0.storedProperties } ?? []
        }

        public var properties: [any SchemaProperty] { inheritedProperties + storedProperties }
        public var attributes: Set<Attribute> { Set(properties.compactMap { $0 as? Attribute }) }
        public var relationships: Set<Relationship> { Set(properties.compactMap { $0 as? Relationship }) }
        public var attributesByName: [String: Attribute] { byName(attributes) }
        public var relationshipsByName: [String: Relationship] { byName(relationships) }
        public var storedPropertiesByName: [String: any SchemaProperty] { byName(storedProperties) }
        public var inheritedPropertiesByName: [String: any SchemaProperty] { byName(inheritedProperties) }

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
