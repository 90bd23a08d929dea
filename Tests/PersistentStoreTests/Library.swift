import Foundation
import PersistentStore

/// The model of these tests: books with authors and tags, and a person who may be an author.
enum Library {
    static let model = StoreModel(entities: [book, person, author, tag, shelf], versionIdentifiers: ["1"])

    static let book = Entity(
        "Book",
        properties: [
            .attribute(Attribute("title", .string)),
            .attribute(Attribute("isbn", .string, isOptional: true)),
            .attribute(Attribute("pages", .integer64)),
            .attribute(Attribute("price", .decimal, isOptional: true)),
            .attribute(Attribute("weight", .double)),
            .attribute(Attribute("isNew", .boolean)),
            .attribute(Attribute("published", .date, isOptional: true)),
            .attribute(Attribute("token", .uuid, isOptional: true, preservesValueInHistoryOnDeletion: true)),
            .attribute(Attribute("link", .uri, isOptional: true)),
            .attribute(Attribute("cover", .binary, isOptional: true, storesExternally: true)),
            .attribute(
                Attribute(
                    "place",
                    .composite([
                        Attribute("city", .string, isOptional: true), Attribute("floor", .integer64, isOptional: true),
                    ]), isOptional: true)),
            .relationship(Relationship("owner", to: "Person", inverse: "books")),
            .relationship(Relationship("tags", to: "Tag", inverse: "books", isToMany: true)),
            .relationship(Relationship("shelf", to: "Shelf", inverse: "books")),
        ],
        uniquenessConstraints: [["isbn"]], indexes: [Index("byTitle", properties: ["title"])])

    static let person = Entity(
        "Person",
        properties: [
            .attribute(Attribute("name", .string)),
            .relationship(
                Relationship("books", to: "Book", inverse: "owner", isToMany: true, deleteRule: .cascade)),
            .relationship(Relationship("friends", to: "Person", inverse: "friends", isToMany: true)),
            .relationship(Relationship("children", to: "Person", inverse: "parents", isToMany: true)),
            .relationship(Relationship("parents", to: "Person", inverse: "children", isToMany: true)),
        ])

    static let author = Entity(
        "Author", superentity: "Person",
        properties: [
            .attribute(Attribute("pseudonym", .string, isOptional: true)),
            .relationship(Relationship("awards", to: "Tag", isToMany: true)),
        ])

    static let tag = Entity(
        "Tag",
        properties: [
            .attribute(Attribute("name", .string)),
            .relationship(Relationship("books", to: "Book", inverse: "tags", isToMany: true, isOrdered: true)),
        ])

    static let shelf = Entity(
        "Shelf",
        properties: [
            .attribute(Attribute("name", .string)),
            .relationship(
                Relationship("books", to: "Book", inverse: "shelf", isToMany: true, isOrdered: true, deleteRule: .deny)),
        ])
}

extension PersistentStore {
    func entity(_ name: String) -> EntityLayout {
        guard let entity = layout.entity(named: name) else { preconditionFailure("no entity \(name)") }
        return entity
    }

    func index(_ entity: String, _ property: String) -> Int {
        guard let index = self.entity(entity).indexes[property] else { preconditionFailure("no \(property)") }
        return index
    }

    /// Adds a row with these values.
    func insert(_ entity: String, _ values: [String: StoreValue], author: String? = nil) throws -> RowID {
        try write(author: author) { try $0.insert(self.entity(entity), values) }.0
    }

    func value(_ row: RowID, _ property: String) throws -> StoreValue? {
        try read { reader in
            guard let stored = try reader.storedRow(row), let entity = layout.entity(of: stored.id) else { return nil }
            return entity.indexes[property].map { stored.values[$0] }
        }
    }

    func related(_ row: RowID, _ property: String) throws -> [RowID] {
        guard let index = layout.entity(of: row)?.indexes[property] else { return [] }
        return try read { try $0.related(index, of: row) }
    }

    func all(_ entity: String, subentities: Bool = true) throws -> [RowID] {
        var query = StoreQuery(entity: entity)
        query.includesSubentities = subentities
        return try read { try $0.identifiers(query) }.sorted { $0.key < $1.key }
    }
}

extension StoreWriter {
    func insert(_ entity: EntityLayout, _ values: [String: StoreValue]) throws -> RowID {
        let id = try newRowID(entity)
        try insert(id) { row in
            for (name, value) in values {
                guard let index = entity.indexes[name] else { preconditionFailure("no \(name)") }
                row.set(index, value: value)
            }
        }
        return id
    }

    func set(_ id: RowID, _ values: [String: StoreValue], expecting version: Int64? = nil) throws -> Outcome {
        guard let entity = layout.entity(of: id) else { preconditionFailure("no entity") }
        let indexes = values.keys.map { entity.indexes[$0] ?? 0 }
        return try update(id, expecting: version, changed: PropertySet(indexes)) { row in
            for (name, value) in values { row.set(entity.indexes[name] ?? 0, value: value) }
        }
    }
}

/// A folder that goes with the test.
final class TemporaryFolder {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("PersistentStoreTests-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    func file(_ name: String = "Library.store") -> PersistentStore.Location {
        .file(url.appendingPathComponent(name))
    }
}
