import PersistentStore

/// The entities that a container keeps.
public final class Schema: Codable, Hashable, Sendable, CustomDebugStringConvertible {
    /// The version of the form in which a schema is encoded.
    public static let schemaEncodingVersion = Version(1, 0, 0)

    public let encodingVersion: Version
    public let version: Version
    public let entities: [Entity]
    public let entitiesByName: [String: Entity]

    private init(entities: [Entity], version: Version, encodingVersion: Version = Schema.schemaEncodingVersion) {
        self.encodingVersion = encodingVersion
        self.version = version
        self.entities = entities.sorted { $0.name < $1.name }
        entitiesByName = Dictionary(entities.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    public convenience init() { self.init(entities: [], version: Version(1, 0, 0)) }

    public convenience init(_ entities: Entity..., version: Version = Version(1, 0, 0)) {
        self.init(entities: entities, version: version)
    }

    /// The schema of these classes and of all that their relationships and superclasses lead to.
    public convenience init(_ types: [any PersistentModel.Type], version: Version = Version(1, 0, 0)) {
        self.init(entities: ModelDescription.closure(of: types).map { Entity($0) }, version: version)
        for description in ModelDescription.closure(of: types) { description.register(in: self) }
        connectInheritance()
    }

    public convenience init(_ types: any PersistentModel.Type..., version: Version = Version(1, 0, 0)) {
        self.init(types, version: version)
    }

    public convenience init(versionedSchema: any VersionedSchema.Type) {
        self.init(versionedSchema.models, version: versionedSchema.versionIdentifier)
    }

    private func connectInheritance() {
        for entity in entities {
            guard let superentity = entity.superentityName.flatMap({ entitiesByName[$0] }) else { continue }
            entity.superentity = superentity
            superentity.subentities.insert(entity)
        }
    }

    // MARK: - Classes

    /// The classes that the schema was made of. A schema that was read from a file or made of entities has none.
    package var descriptions: [ModelDescription] {
        entities.compactMap(\.description)
    }

    public func entity<T>(for type: T.Type) -> Entity? where T: PersistentModel {
        entitiesByName[ModelDescription.of(type).name]
    }

    public static func entityName<T>(for type: T.Type) -> String where T: PersistentModel {
        ModelDescription.of(type).name
    }

    // MARK: - Files

    public func save(to url: URL) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
        try encoder.encode(self).write(to: url, options: .atomic)
    }

    public static func load(from url: URL) throws -> Schema {
        try JSONDecoder().decode(Schema.self, from: Data(contentsOf: url))
    }

    private enum CodingKeys: String, CodingKey { case encodingVersion, version, entities }

    public convenience init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            entities: try container.decode([Entity].self, forKey: .entities),
            version: try container.decode(Version.self, forKey: .version),
            encodingVersion: try container.decode(Version.self, forKey: .encodingVersion))
        connectInheritance()
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(encodingVersion, forKey: .encodingVersion)
        try container.encode(version, forKey: .version)
        try container.encode(entities, forKey: .entities)
    }

    // MARK: - Equality

    public static func == (lhs: Schema, rhs: Schema) -> Bool {
        lhs === rhs || lhs.version == rhs.version && lhs.entities == rhs.entities
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(version)
        for entity in entities { hasher.combine(entity.name) }
    }

    public var debugDescription: String {
        "Schema \(version): " + entities.map(\.name).joined(separator: ", ")
    }
}

extension Schema {
    /// A version of a schema.
    public struct Version: Codable, Comparable, CustomStringConvertible, Hashable, Sendable {
        public let major: Int
        public let minor: Int
        public let patch: Int

        public init(_ major: Int, _ minor: Int, _ patch: Int) {
            self.major = major
            self.minor = minor
            self.patch = patch
        }

        public var description: String { "\(major).\(minor).\(patch)" }

        public static func < (lhs: Version, rhs: Version) -> Bool {
            (lhs.major, lhs.minor, lhs.patch) < (rhs.major, rhs.minor, rhs.patch)
        }
    }

    /// What `@Model` says of one property of its class.
    public struct PropertyMetadata {
        package let name: String
        package let keypath: AnyKeyPath
        package let defaultValue: Any?
        package let metadata: (any SchemaProperty)?

        public init(
            name: String, keypath: AnyKeyPath, defaultValue: Any? = nil, metadata: (any SchemaProperty)? = nil
        ) {
            self.name = name
            self.keypath = keypath
            self.defaultValue = defaultValue
            self.metadata = metadata
        }
    }
}

/// A property of an entity.
public protocol SchemaProperty: Codable, Hashable {
    var name: String { get set }
    /// The name that the property had in the schema before.
    var originalName: String { get set }
    var valueType: any Any.Type { get set }
    var isAttribute: Bool { get }
    var isRelationship: Bool { get }
    var isTransient: Bool { get }
    var isOptional: Bool { get }
    var isUnique: Bool { get }
}

// A property is what these say unless it says otherwise.
extension SchemaProperty {
    public var isAttribute: Bool { false }
    public var isRelationship: Bool { false }
    public var isTransient: Bool { false }
    public var isOptional: Bool { wrappedType(of: valueType) != nil }
}
