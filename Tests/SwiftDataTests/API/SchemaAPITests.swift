import Behaviours
import Foundation
import SwiftData
import Testing

/// Written down so that a declaration which loses its name, a label, a default or a conformance no longer compiles.
@Suite("Schemas are declared as in Apple's interface")
struct SchemaAPITests {
    @Test("Schema", .behaviour("swiftdata.api"))
    func schema() throws {
        func conforms<T: Codable & Hashable & Sendable & CustomDebugStringConvertible>(_ value: T) -> T { value }
        let versionOne: Schema.Version = Schema.Version(1, 0, 0)
        let schemas: [Schema] = [
            conforms(Schema()),
            Schema(Schema.Entity("A"), Schema.Entity("B"), version: Schema.Version(2, 1, 0)),
            Schema([Note.self, Label.self]),
            Schema([Note.self], version: versionOne),
            Schema(Note.self, Label.self, version: versionOne),
            Schema(versionedSchema: VersionOne.self),
        ]
        let _: Schema.Version = Schema.schemaEncodingVersion
        let _: Schema.Version = schemas[0].encodingVersion
        #expect(schemas.map(\.version) == [1, 2, 1, 1, 1, 3].map { Schema.Version($0, $0 == 2 ? 1 : 0, 0) })
        let entities: [Schema.Entity] = schemas[1].entities
        #expect(Set(entities.map(\.name)) == ["A", "B"])
        let _: [String: Schema.Entity] = schemas[1].entitiesByName
        let entity: Schema.Entity? = schemas[2].entity(for: Note.self)
        #expect(entity?.name == "Note")
        #expect(Schema.entityName(for: Note.self) == "Note")
        let _: (Schema) -> (URL) throws -> Void = { schema in schema.save(to:) }
        let _: (URL) throws -> Schema = Schema.load(from:)
    }

    @Test("Schema.Version", .behaviour("swiftdata.api"))
    func version() {
        func conforms<T: Codable & Comparable & CustomStringConvertible & Hashable & Sendable>(_ value: T) -> T {
            value
        }
        #expect(conforms(Schema.Version(1, 2, 3)) < Schema.Version(1, 10, 0))
        #expect(Schema.Version(1, 2, 3).description == "1.2.3")
    }

    @Test("Schema.PropertyMetadata and SchemaProperty", .behaviour("swiftdata.api"))
    func metadata() {
        let _ = Schema.PropertyMetadata(name: "title", keypath: \Note.title)
        let _ = Schema.PropertyMetadata(name: "title", keypath: \Note.title, defaultValue: "", metadata: nil)
        let _: [Schema.PropertyMetadata] = Note.schemaMetadata
        let property: any SchemaProperty = Schema.Attribute(.unique)
        let _: (String, String, any Any.Type) = (property.name, property.originalName, property.valueType)
        let _: [Bool] = [
            property.isAttribute, property.isRelationship, property.isTransient, property.isOptional, property.isUnique,
        ]
        func rename<P: SchemaProperty>(_ property: inout P) {
            property.name = "b"
            property.originalName = "a"
            property.valueType = Int.self
        }
        var attribute = Schema.Attribute()
        rename(&attribute)
        #expect(attribute.name == "b" && attribute.originalName == "a" && attribute.valueType is Int.Type)
        func conforms<T: Codable & Hashable>(_ type: T.Type) {}
        conforms(Schema.Attribute.self)
        conforms(Schema.Relationship.self)
        conforms(Schema.Entity.self)
        conforms(Schema.Index<Note>.self)
        conforms(Schema.Unique<Note>.self)
    }

    @Test("Schema.Attribute", .behaviour("swiftdata.api"))
    func attribute() {
        let options: [Schema.Attribute.Option] = [
            .unique, .externalStorage, .allowsCloudEncryption, .preserveValueOnDeletion, .ephemeral, .spotlight,
            .codable,
            .transformable(by: ReversingTransformer.self), .transformable(by: "ReversingTransformer"),
        ]
        func conforms<T: Codable & Hashable & Sendable>(_ value: T) {}
        options.forEach(conforms)
        let _ = Schema.Attribute(.unique, .spotlight, originalName: "old", hashModifier: "2")
        let attribute = Schema.Attribute(
            name: "size", originalName: "length", options: [.ephemeral], valueType: Int?.self, defaultValue: 3,
            hashModifier: "1")
        let _ = Schema.Attribute(name: "size", valueType: Int.self)
        #expect(attribute.options == [.ephemeral])
        #expect(attribute.defaultValue as? Int == 3)
        #expect(attribute.hashModifier == "1")
        #expect(attribute.isOptional && attribute.isTransient && !attribute.isUnique && !attribute.isTransformable)
        let _: [Schema.Attribute]? = (attribute as? Schema.CompositeAttribute)?.properties
    }

    @Test("Schema.Relationship", .behaviour("swiftdata.api"))
    func relationship() {
        func conforms<T: Codable & RawRepresentable<String>>(_ values: [T]) -> [String] { values.map(\.rawValue) }
        let rules: [Schema.Relationship.DeleteRule] = [.noAction, .nullify, .cascade, .deny]
        #expect(conforms(rules).count == 4)
        let _ = Schema.Relationship()
        let relationship = Schema.Relationship(
            .unique, deleteRule: .cascade, minimumModelCount: 1, maximumModelCount: 2, originalName: "old",
            inverse: \Note.notebook, hashModifier: "1")
        let _: [Schema.Relationship.Option] = relationship.options
        let _: (AnyKeyPath?, AnyKeyPath?) = (relationship.keypath, relationship.inverseKeyPath)
        let _: (any Any.Type, String, String?) = (
            relationship.valueType, relationship.destination, relationship.inverseName
        )
        #expect(relationship.deleteRule == .cascade)
        #expect(relationship.minimumModelCount == 1 && relationship.maximumModelCount == 2)
        #expect(relationship.hashModifier == "1" && relationship.originalName == "old")
        let _: Bool = relationship.isToOneRelationship
    }

    @Test("Schema.Index and Schema.Unique", .behaviour("swiftdata.api"))
    func constraints() {
        let types: [Schema.Index<Note>.Types<Note>] = [.binary([\.title, \.rating]), .rtree([\.weight])]
        let index = Schema.Index<Note>([\.title], [\.rating])
        let _ = Schema.Index<Note>(types[0], types[1])
        let indices: [Schema.Index<Note>.Types<Note>] = index.indices
        #expect(indices.count == 2)
        let unique = Schema.Unique<Note>([\.title], [\.rating, \.weight])
        let constraints: [[PartialKeyPath<Note>]] = unique.constraints
        #expect(constraints == [[\.title], [\.rating, \.weight]])
    }

    @Test("Schema.Entity", .behaviour("swiftdata.api"))
    func entity() throws {
        let _ = Schema.Entity("A", properties: Schema.Attribute(name: "b", valueType: Int.self))
        let child = Schema.Entity("B")
        let parent = Schema.Entity(
            "A", subentities: child, properties: Schema.Attribute(name: "b", valueType: Int.self))
        let subentities: Set<Schema.Entity> = parent.subentities
        #expect(subentities.map(\.name) == ["B"])
        let note = try #require(Schema([Note.self]).entity(for: Note.self))
        let _: (String?, Schema.Entity?) = (note.superentityName, note.superentity)
        let _: [[any SchemaProperty]] = [note.storedProperties, note.inheritedProperties, note.properties]
        let _: Set<Schema.Attribute> = note.attributes
        let _: Set<Schema.Relationship> = note.relationships
        let _: [String: Schema.Attribute] = note.attributesByName
        let _: [String: Schema.Relationship] = note.relationshipsByName
        let _: [[String: any SchemaProperty]] = [note.storedPropertiesByName, note.inheritedPropertiesByName]
        let _: [[[String]]] = [note.uniquenessConstraints, note.indices]
        #expect(note.relationshipsByName["notebook"]?.destination == "Notebook")
    }

    @Test("VersionedSchema, SchemaMigrationPlan and MigrationStage", .behaviour("swiftdata.api"))
    func migration() {
        let _: [any PersistentModel.Type] = VersionOne.models
        let _: Schema.Version = VersionOne.versionIdentifier
        let _: [any VersionedSchema.Type] = Plan.schemas
        for stage: MigrationStage in Plan.stages {
            switch stage {
            case .lightweight(let from, let to): let _: [any VersionedSchema.Type] = [from, to]
            case .custom(let from, let to, let willMigrate, let didMigrate):
                let _: [any VersionedSchema.Type] = [from, to]
                let _: [((ModelContext) throws -> Void)?] = [willMigrate, didMigrate]
            @unknown default: Issue.record("an unknown stage")
            }
        }
    }

    enum VersionOne: VersionedSchema {
        static var models: [any PersistentModel.Type] { [Note.self, Notebook.self, Label.self] }
        static var versionIdentifier: Schema.Version { Schema.Version(3, 0, 0) }
    }

    enum Plan: SchemaMigrationPlan {
        static var schemas: [any VersionedSchema.Type] { [VersionOne.self] }
        static var stages: [MigrationStage] {
            [
                .lightweight(fromVersion: VersionOne.self, toVersion: VersionOne.self),
                .custom(fromVersion: VersionOne.self, toVersion: VersionOne.self, willMigrate: nil) { context in
                    try context.save()
                },
            ]
        }
    }
}
