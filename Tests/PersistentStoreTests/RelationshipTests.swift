import Foundation
import PersistentStore
import Testing

@Suite("Relationships lie where both sides find them")
struct RelationshipTests {
    let store: PersistentStore

    init() throws { store = try PersistentStore(at: .memory, model: Library.model) }

    func link(_ owner: RowID, _ property: String, _ others: RowID..., order: Int64? = nil) throws {
        let index = try #require(store.layout.entity(of: owner)?.indexes[property])
        try store.write { writer in
            for other in others { try writer.link(index, of: owner, to: other, order: order) }
        }
    }

    func unlink(_ owner: RowID, _ property: String, _ other: RowID) throws {
        let index = try #require(store.layout.entity(of: owner)?.indexes[property])
        try store.write { try $0.unlink(index, of: owner, from: other) }
    }

    @Test("Many-to-many: linked from one side, found from both; linking twice is once")
    func manyToMany() throws {
        let (a, b) = (try store.insert("Book", [:]), try store.insert("Book", [:]))
        let (x, y) = (try store.insert("Tag", [:]), try store.insert("Tag", [:]))
        try link(a, "tags", x, y)
        try link(x, "books", b)
        try link(x, "books", a)
        #expect(try store.related(a, "tags") == [x, y])
        #expect(try Set(store.related(x, "books")) == [a, b])
        #expect(try store.related(y, "books") == [a])
        try unlink(x, "books", a)
        #expect(try store.related(a, "tags") == [y])
        #expect(try store.related(x, "books") == [b])
    }

    @Test("A deleted row is in no join table any more")
    func deletion() throws {
        let book = try store.insert("Book", [:])
        let tag = try store.insert("Tag", [:])
        try link(book, "tags", tag)
        try store.write { _ = try $0.delete(book, expecting: nil) }
        #expect(try store.related(tag, "books").isEmpty)
    }

    @Test("Ordered relationships keep their order, to one and to many")
    func order() throws {
        let tag = try store.insert("Tag", [:])
        let books = try (0..<4).map { _ in try store.insert("Book", [:]) }
        let index = store.index("Tag", "books")
        for book in books { try link(tag, "books", book) }
        let wanted = [books[2], books[0], books[3], books[1]]
        try store.write { try $0.setOrder(index, of: tag, wanted) }
        #expect(try store.related(tag, "books") == wanted)
        let shelf = try store.insert("Shelf", [:])
        let shelfIndex = store.index("Shelf", "books")
        for (place, book) in books.enumerated() { try link(shelf, "books", book, order: Int64(-place)) }
        #expect(try store.related(shelf, "books") == books.reversed())
        #expect(try store.value(books[0], "shelf") == .reference(shelf))
        try store.write { try $0.setOrder(shelfIndex, of: shelf, wanted) }
        #expect(try store.related(shelf, "books") == wanted)
    }

    @Test("A relationship that is its own inverse holds both ways")
    func reflexive() throws {
        let people = try (0..<3).map { _ in try store.insert("Person", [:]) }
        try link(people[0], "friends", people[1], people[0])
        #expect(try store.related(people[0], "friends") == [people[0], people[1]])
        #expect(try store.related(people[1], "friends") == [people[0]])
        try unlink(people[1], "friends", people[0])
        #expect(try store.related(people[0], "friends") == [people[0]])
        try link(people[0], "friends", people[2])
        try store.write { _ = try $0.delete(people[2], expecting: nil) }
        #expect(try store.related(people[0], "friends") == [people[0]])
    }

    @Test("Two relationships of one entity with itself have different ends")
    func selfReferences() throws {
        let people = try (0..<3).map { _ in try store.insert("Person", [:]) }
        try link(people[0], "children", people[1], people[2])
        #expect(try store.related(people[0], "children") == [people[1], people[2]])
        #expect(try store.related(people[1], "parents") == [people[0]])
        #expect(try store.related(people[0], "parents").isEmpty)
    }

    @Test("A to-many without an inverse is kept beside the other rows")
    func lonely() throws {
        let author = try store.insert("Author", [:])
        let tags = try (0..<2).map { _ in try store.insert("Tag", [:]) }
        try link(author, "awards", tags[0], tags[1])
        #expect(try store.related(author, "awards") == tags)
        try unlink(author, "awards", tags[0])
        #expect(try store.related(author, "awards") == [tags[1]])
        try store.write { _ = try $0.delete(author, expecting: nil) }
        let second = try store.insert("Author", [:])
        #expect(try store.related(second, "awards").isEmpty)
    }

    @Test("The related rows of many owners come at once")
    func many() throws {
        let people = try (0..<3).map { _ in try store.insert("Person", [:]) }
        let books = try (0..<6).map { try store.insert("Book", ["owner": .reference(people[$0 % 2])]) }
        let tag = try store.insert("Tag", [:])
        try link(tag, "books", books[0])
        let owned = try store.read { try $0.related(store.index("Person", "books"), of: people) }
        #expect(owned == [people[0]: [books[0], books[2], books[4]], people[1]: [books[1], books[3], books[5]]])
        let tagged = try store.read { try $0.related(store.index("Book", "tags"), of: books) }
        #expect(tagged == [books[0]: [tag]])
        let owners = try store.read { try $0.related(store.index("Book", "owner"), of: books) }
        #expect(owners[books[1]] == [people[1]])
        #expect(try store.read { try $0.relatedCount(store.index("Person", "books"), of: people[0]) } == 3)
    }

    @Test("A delete of all that match cascades, nullifies and denies by the rules")
    func deleteRules() throws {
        let person = try store.insert("Person", [:])
        let books = try (0..<3).map { _ in try store.insert("Book", ["owner": .reference(person)]) }
        let shelf = try store.insert("Shelf", [:])
        try store.write { _ = try $0.set(books[0], ["shelf": .reference(shelf)]) }
        let error = #expect(throws: PersistentStoreError.self) {
            try store.write { try $0.delete(matching: StoreQuery(entity: "Shelf")) }
        }
        #expect(error == .deletionDenied(entity: "Shelf", relationship: "books", row: shelf))
        let gone = try store.write { try $0.delete(matching: StoreQuery(entity: "Person")) }.0
        #expect(Set(gone) == Set([person] + books))
        #expect(try store.all("Book").isEmpty)
        _ = try store.write { try $0.delete(matching: StoreQuery(entity: "Shelf")) }
        #expect(try store.all("Shelf").isEmpty)
    }

    @Test("Rows that lose their reference get a new version and stand in the history")
    func nullified() throws {
        let model = StoreModel(entities: [
            Entity("A", properties: [.relationship(Relationship("bs", to: "B", inverse: "a", isToMany: true))]),
            Entity("B", properties: [.relationship(Relationship("a", to: "A", inverse: "bs"))]),
        ])
        let store = try PersistentStore(at: .memory, model: model)
        let a = try store.insert("A", [:])
        let b = try store.insert("B", ["a": .reference(a)])
        let commit = try store.write { try $0.delete(matching: StoreQuery(entity: "A")) }.1
        #expect(commit.deleted == [a] && commit.updated == [b] && commit.updatedProperties == [[0]])
        let row = try store.read { try $0.storedRow(b) }
        #expect(row?.version == 2 && row?.values == [.null])
    }
}
