import Behaviours
import SwiftData
import Testing

private func schema() throws {
    let _: Schema.Version = Schema.schemaEncodingVersion
    let _: KeyPath<Schema, Schema.Version> = \.encodingVersion
    let _: KeyPath<Schema, Schema.Version> = \.version
    let _: KeyPath<Schema, [Schema.Entity]> = \.entities
    let _: KeyPath<Schema, [String: Schema.Entity]> = \.entitiesByName
    let _: (URL) throws -> Schema = Schema.load(from:)
    let _: (Schema) -> (URL) throws -> Void = Schema.save(to:)
    _ = Schema()
    _ = Schema(Schema.Entity("A"), version: Schema.Version(1, 0, 0))
    _ = Schema(Schema.Entity("A"), Schema.Entity("B"))
    _ = Schema([Note.self], version: .init(1, 0, 0))
    _ = Schema(Note.self, Label.self)
    _ = Schema(versionedSchema: Versioned.self)
    let _: Schema.Entity? = Schema().entity(for: Note.self)
    let _: String = Schema.entityName(for: Note.self)
    codable(Schema.self)
    hashable(Schema.self)
    sendable(Schema.self)
    debugDescribable(Schema.self)
    let _: KeyPath<Schema.Version, Int> = \.major
    let _: KeyPath<Schema.Version, Int> = \.minor
    let _: KeyPath<Schema.Version, Int> = \.patch
    codable(Schema.Version.self)
    comparable(Schema.Version.self)
    describable(Schema.Version.self)
    hashable(Schema.Version.self)
    sendable(Schema.Version.self)
    _ = Schema.PropertyMetadata(name: "n", keypath: \Note.title, defaultValue: "d", metadata: Schema.Attribute())
}

private func attributes() {
    let _: ReferenceWritableKeyPath<Schema.Attribute, String> = \.name
    let _: ReferenceWritableKeyPath<Schema.Attribute, String> = \.originalName
    let _: ReferenceWritableKeyPath<Schema.Attribute, [Schema.Attribute.Option]> = \.options
    let _: ReferenceWritableKeyPath<Schema.Attribute, any Any.Type> = \.valueType
    let _: ReferenceWritableKeyPath<Schema.Attribute, Any?> = \.defaultValue
    let _: ReferenceWritableKeyPath<Schema.Attribute, Bool> = \.isOptional
    let _: ReferenceWritableKeyPath<Schema.Attribute, String?> = \.hashModifier
    let flags: [KeyPath<Schema.Attribute, Bool>] = [
        \.isUnique, \.isTransformable, \.isTransient, \.isAttribute, \.isRelationship, \.isCodable,
    ]
    _ = flags
    _ = Schema.Attribute(.unique, .spotlight, originalName: nil, hashModifier: nil)
    _ = Schema.Attribute(
        name: "n", originalName: nil, options: [], valueType: Int.self, defaultValue: 1, hashModifier: nil)
    let composite = Schema.CompositeAttribute(
        name: "n", originalName: nil, options: [], valueType: Place.self, defaultValue: nil, hashModifier: nil)
    let _: ReferenceWritableKeyPath<Schema.CompositeAttribute, [Schema.Attribute]> = \.properties
    let _: Bool = composite == composite
    let _: Schema.Attribute = composite
    let _: [Schema.Attribute.Option] = [
        .unique, .externalStorage, .allowsCloudEncryption, .preserveValueOnDeletion, .ephemeral, .spotlight, .codable,
        .transformable(by: Plain.self), .transformable(by: "Plain"),
    ]
    for type in [Schema.Attribute.self, Schema.CompositeAttribute.self] { sendable(type) }
    codable(Schema.Attribute.self)
    hashable(Schema.Attribute.self)
    debugDescribable(Schema.Attribute.self)
    codable(Schema.Attribute.Option.self)
    hashable(Schema.Attribute.Option.self)
    sendable(Schema.Attribute.Option.self)
    debugDescribable(Schema.Attribute.Option.self)
}

private func relationships() {
    typealias Relationship = Schema.Relationship
    let _: ReferenceWritableKeyPath<Relationship, String> = \.name
    let _: ReferenceWritableKeyPath<Relationship, String> = \.originalName
    let _: ReferenceWritableKeyPath<Relationship, AnyKeyPath?> = \.keypath
    let _: ReferenceWritableKeyPath<Relationship, [Relationship.Option]> = \.options
    let _: ReferenceWritableKeyPath<Relationship, any Any.Type> = \.valueType
    let _: ReferenceWritableKeyPath<Relationship, String> = \.destination
    let _: ReferenceWritableKeyPath<Relationship, Relationship.DeleteRule> = \.deleteRule
    let _: ReferenceWritableKeyPath<Relationship, String?> = \.inverseName
    let _: ReferenceWritableKeyPath<Relationship, AnyKeyPath?> = \.inverseKeyPath
    let _: ReferenceWritableKeyPath<Relationship, Int?> = \.minimumModelCount
    let _: ReferenceWritableKeyPath<Relationship, Int?> = \.maximumModelCount
    let _: ReferenceWritableKeyPath<Relationship, String?> = \.hashModifier
    let flags: [KeyPath<Relationship, Bool>] = [
        \.isToOneRelationship, \.isUnique, \.isAttribute, \.isRelationship, \.isTransient, \.isOptional,
    ]
    _ = flags
    _ = Relationship(
        .unique, deleteRule: .deny, minimumModelCount: 1, maximumModelCount: nil, originalName: nil,
        inverse: \Note.labels, hashModifier: nil)
    let _: [Relationship.DeleteRule] = [.noAction, .nullify, .cascade, .deny]
    raw(Relationship.DeleteRule.self, String.self)
    codable(Relationship.DeleteRule.self)
    hashable(Relationship.DeleteRule.self)
    codable(Relationship.Option.self)
    hashable(Relationship.Option.self)
    debugDescribable(Relationship.Option.self)
    codable(Relationship.self)
    hashable(Relationship.self)
    sendable(Relationship.self)
    debugDescribable(Relationship.self)
}

private func constraints() {
    let _: KeyPath<Schema.Index<Note>, [Schema.Index<Note>.Types<Note>]> = \.indices
    let _: KeyPath<Schema.Unique<Note>, [[PartialKeyPath<Note>]]> = \.constraints
    _ = Schema.Index<Note>([\.title], [\.rating, \.weight])
    _ = Schema.Index<Note>(.binary([\.title]), .rtree([\.weight]))
    _ = Schema.Unique<Note>([\.title], [\.rating, \.weight])
    func property<Property: SchemaProperty & CustomDebugStringConvertible>(_ type: Property.Type) {
        let _: WritableKeyPath<Property, String> = \.name
        let _: WritableKeyPath<Property, String> = \.originalName
        let _: WritableKeyPath<Property, any Any.Type> = \.valueType
        let _: [KeyPath<Property, Bool>] = [
            \.isAttribute, \.isRelationship, \.isTransient, \.isOptional, \.isUnique,
        ]
        codable(type)
        hashable(type)
    }
    property(Schema.Index<Note>.self)
    property(Schema.Unique<Note>.self)
    property(Schema.Attribute.self)
    property(Schema.Relationship.self)
}

private func entities() {
    typealias Entity = Schema.Entity
    let _: ReferenceWritableKeyPath<Entity, String> = \.name
    let _: ReferenceWritableKeyPath<Entity, Set<Entity>> = \.subentities
    let _: ReferenceWritableKeyPath<Entity, String?> = \.superentityName
    let _: ReferenceWritableKeyPath<Entity, Entity?> = \.superentity
    let _: ReferenceWritableKeyPath<Entity, [any SchemaProperty]> = \.storedProperties
    let _: ReferenceWritableKeyPath<Entity, [any SchemaProperty]> = \.inheritedProperties
    let _: KeyPath<Entity, [any SchemaProperty]> = \.properties
    let _: ReferenceWritableKeyPath<Entity, Set<Schema.Attribute>> = \.attributes
    let _: ReferenceWritableKeyPath<Entity, Set<Schema.Relationship>> = \.relationships
    let _: ReferenceWritableKeyPath<Entity, [String: Schema.Attribute]> = \.attributesByName
    let _: ReferenceWritableKeyPath<Entity, [String: Schema.Relationship]> = \.relationshipsByName
    let _: ReferenceWritableKeyPath<Entity, [String: any SchemaProperty]> = \.storedPropertiesByName
    let _: ReferenceWritableKeyPath<Entity, [String: any SchemaProperty]> = \.inheritedPropertiesByName
    let _: ReferenceWritableKeyPath<Entity, [[String]]> = \.uniquenessConstraints
    let _: ReferenceWritableKeyPath<Entity, [[String]]> = \.indices
    _ = Entity("E")
    _ = Entity("E", properties: Schema.Attribute(), Schema.Relationship())
    _ = Entity("E", subentities: Entity("F"), properties: Schema.Attribute())
    codable(Entity.self)
    hashable(Entity.self)
    sendable(Entity.self)
    debugDescribable(Entity.self)
}

private enum Versioned: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 2, 3)
    static var models: [any PersistentModel.Type] { [Note.self] }
}

private enum Plan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [Versioned.self] }
    static var stages: [MigrationStage] {
        [
            .lightweight(fromVersion: Versioned.self, toVersion: Versioned.self),
            .custom(
                fromVersion: Versioned.self, toVersion: Versioned.self, willMigrate: { try $0.save() }, didMigrate: nil),
        ]
    }
}

@Suite("The schema of the public interface")
struct SchemaAPITests {
    @Test("An entity's own properties can be set, by kind and by name", .behaviour("swiftdata.api"))
    func entity() throws {
        try schema()
        attributes()
        relationships()
        constraints()
        entities()
        #expect(Plan.stages.count == 2)
        let entity = Schema.Entity("E", properties: Schema.Attribute(name: "a", valueType: Int.self))
        let relationship = Schema.Relationship()
        relationship.name = "r"
        entity.relationships = [relationship]
        #expect(entity.properties.map(\.name) == ["a", "r"])
        entity.attributesByName = ["b": Schema.Attribute(name: "b", valueType: Int?.self)]
        #expect(entity.properties.map(\.name) == ["r", "b"])
        entity.inheritedProperties = [Schema.Attribute(name: "i", valueType: Int.self)]
        #expect(entity.properties.map(\.name) == ["i", "r", "b"])
        #expect(entity.attributesByName["b"]?.isOptional == true)
        entity.attributesByName["b"]?.isOptional = false
        #expect(entity.attributesByName["b"]?.isOptional == false)
    }

    @Test("What a schema is made of describes itself, for a debugger")
    func descriptions() throws {
        let schema = Schema([Note.self])
        let entity = try #require(schema.entity(for: Note.self))
        #expect(schema.debugDescription == "Schema 1.0.0: Label, Note, Notebook")
        #expect(entity.debugDescription.hasPrefix("Entity Note (title, body, "))
        #expect(entity.attributesByName["body"]?.debugDescription == "Attribute body: String?")
        #expect(
            entity.relationshipsByName["notebook"]?.debugDescription
                == "Relationship notebook: one Notebook, nullify, inverse notes")
        #expect(Schema.Attribute.Option.transformable(by: "T").debugDescription == "transformable(by: T)")
        #expect(Schema.Unique<Note>([\.title, \.rating]).debugDescription == #"Unique in Note: ["title", "rating"]"#)
    }

    @Test("Indexes and constraints are encoded by their properties' names")
    func encodedConstraints() throws {
        func copy<Value: Codable>(_ value: Value) throws -> Value {
            try JSONDecoder().decode(Value.self, from: JSONEncoder().encode(value))
        }
        let index = Schema.Index<Note>(.binary([\.title]), .rtree([\.rating, \.weight]))
        #expect(try copy(index) == index)
        guard case .rtree = try copy(index).indices[1] else {
            Issue.record("the kind of an index is lost")
            return
        }
        let unique = Schema.Unique<Note>([\.title], [\.rating, \.weight])
        #expect(try copy(unique) == unique)
        let unknown = Data(#"{"constraints":[["never"]]}"#.utf8)
        #expect(throws: SwiftDataError.unknownSchema) {
            try JSONDecoder().decode(Schema.Unique<Note>.self, from: unknown)
        }
    }
}
