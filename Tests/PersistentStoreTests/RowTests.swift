import Foundation
import PersistentStore
import Testing

@Suite("Rows are written, read, changed and deleted")
struct RowTests {
    enum Place: String, CaseIterable {
        case file, memory
    }

    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    func store(_ place: Place) throws -> PersistentStore {
        try PersistentStore(at: place == .file ? folder.file() : .memory, model: Library.model)
    }

    static let values: [String: StoreValue] = [
        "title": .string("Grüße 📚"), "isbn": .string(""), "pages": .integer(.max),
        "price": .decimal(Decimal(string: "12345678901234567890.123456789") ?? 0), "weight": .double(0.1),
        "isNew": .boolean(true), "published": .date(Date(timeIntervalSinceReferenceDate: 1.25)),
        "token": .uuid(UUID()), "link": .url(URL(fileURLWithPath: "/a b")), "cover": .data(Data([1, 2, 0])),
        "place": .composite([.string("Zürich"), .null]),
    ]

    @Test("Every type of value comes back as it went in", arguments: Place.allCases)
    func values(_ place: Place) throws {
        let store = try store(place)
        let book = try store.insert("Book", Self.values)
        for (name, value) in Self.values { #expect(try store.value(book, name) == value, "\(name)") }
        #expect(try store.value(book, "owner") == .null)
        try store.read { reader in
            let cursor = try reader.row(book)
            #expect(try cursor.next())
            let row = cursor.row
            #expect(row.version == 1 && row.id == book)
            #expect(row.string(store.index("Book", "title")) == "Grüße 📚")
            #expect(row.int64(store.index("Book", "pages")) == .max)
            #expect(row.bool(store.index("Book", "isNew")))
            #expect(!row.isNull(store.index("Book", "isbn")))
            #expect(row.string(store.index("Book", "place"), element: 0) == "Zürich")
            #expect(row.isNull(store.index("Book", "place"), element: 1))
            #expect(row.data(store.index("Book", "cover")) == Data([1, 2, 0]))
            #expect(row.reference(store.index("Book", "owner")) == nil)
            #expect(try cursor.next() == false)
        }
    }

    @Test(
        "Decimals keep all their digits",
        arguments: ["0", "-1.5", "0.1", "123456789012345678", "0.123456789012345678901"])
    func decimals(_ text: String) throws {
        let store = try store(.memory)
        let decimal = try #require(Decimal(string: text))
        let book = try store.insert("Book", ["price": .decimal(decimal)])
        #expect(try store.value(book, "price") == .decimal(decimal))
    }

    @Test("A file opened again has its rows and its identifier")
    func reopening() throws {
        var store = try store(.file)
        let identifier = store.identifier
        let book = try store.insert("Book", ["title": .string("A")])
        store.close()
        #expect(throws: PersistentStoreError.closed) { try store.read { _ in } }
        store = try self.store(.file)
        #expect(store.identifier == identifier)
        #expect(try store.value(book, "title") == .string("A"))
        #expect(try store.insert("Book", [:]).key == book.key + 1)
    }

    @Test("Keys are never given out twice, even when the newest row is gone")
    func keys() throws {
        let store = try store(.memory)
        let first = try store.insert("Book", [:])
        let outcome = try store.write { try $0.delete(first, expecting: 1) }.0
        #expect(outcome == .done(version: 0))
        #expect(try store.insert("Book", [:]).key == first.key + 1)
    }

    @Test("A subentity's rows lie in its root's table and are found by both", arguments: Place.allCases)
    func inheritance(_ place: Place) throws {
        let store = try store(place)
        let person = try store.insert("Person", ["name": .string("P")])
        let author = try store.insert("Author", ["name": .string("A"), "pseudonym": .string("X")])
        #expect(author.key == person.key + 1)
        #expect(try store.all("Person") == [person, author])
        #expect(try store.all("Person", subentities: false) == [person])
        #expect(try store.all("Author") == [author])
        #expect(try store.value(author, "name") == .string("A"))
        try store.read { reader in
            let cursor = try reader.rows(StoreQuery(entity: "Person"))
            var seen: [String] = []
            while try cursor.next() {
                let entity = cursor.entityLayout
                seen.append(entity.name)
                if let index = entity.indexes["pseudonym"] { #expect(cursor.row.string(index) == "X") }
            }
            #expect(seen == ["Person", "Author"])
        }
        let book = try store.insert("Book", ["owner": .reference(author)])
        #expect(try store.value(book, "owner") == .reference(author))
        #expect(try store.related(author, "books") == [book])
    }

    @Test("A write that throws leaves nothing")
    func rollback() throws {
        struct Stop: Error {}
        let store = try store(.file)
        #expect(throws: Stop.self) {
            try store.write { writer in
                _ = try writer.insert(store.entity("Book"), ["cover": .data(Data(count: 200_000))])
                throw Stop()
            }
        }
        #expect(try store.all("Book").isEmpty)
        let files = FileManager.default.enumerator(atPath: folder.url.path)?.compactMap { $0 as? String } ?? []
        #expect(files.filter { $0.contains("_EXTERNAL_DATA/") }.isEmpty)
    }

    @Test(
        "A second row with the values of a unique constraint is refused by name, and found before",
        arguments: Place.allCases)
    func unique(_ place: Place) throws {
        let store = try store(place)
        let first = try store.insert("Book", ["isbn": .string("1")])
        _ = try store.insert("Book", [:])
        _ = try store.insert("Book", [:])
        let error = #expect(throws: PersistentStoreError.self) {
            try store.insert("Book", ["isbn": .string("1")])
        }
        #expect(error == .uniqueConstraint(entity: "Book", properties: ["isbn"], existing: nil))
        try store.read { (reader: StoreReader) throws in
            let book = store.entity("Book")
            #expect(try reader.find(book, uniquenessConstraint: ["isbn"], values: [.string("1")]) == first)
            #expect(try reader.find(book, uniquenessConstraint: ["isbn"], values: [.string("2")]) == nil)
            #expect(try reader.find(book, uniquenessConstraint: ["isbn"], values: [.null]) == nil)
        }
    }

    @Test("An update of an older version is a conflict that gives the row as it is")
    func conflicts() throws {
        let store = try store(.file)
        let book = try store.insert("Book", ["title": .string("A"), "pages": .integer(1)])
        let outcome = try store.write { try $0.set(book, ["title": .string("B")], expecting: 1) }.0
        #expect(outcome == .done(version: 2))
        try store.write { writer in
            guard case .conflict(let row?) = try writer.set(book, ["pages": .integer(9)], expecting: 1) else {
                Issue.record("no conflict")
                return
            }
            #expect(row.version == 2 && row.values[store.index("Book", "title")] == .string("B"))
            #expect(row.values[store.index("Book", "pages")] == .integer(1))
            #expect(try writer.delete(book, expecting: 1) == .conflict(row))
            #expect(try writer.set(book, ["pages": .integer(9)]) == .done(version: 3))
            #expect(try writer.delete(book, expecting: nil) == .done(version: 0))
            #expect(try writer.set(book, ["pages": .integer(9)], expecting: 3) == .conflict(nil))
        }
    }

    @Test("A read sees one state, whatever is written meanwhile")
    func snapshot() throws {
        let store = try store(.file)
        let book = try store.insert("Book", ["title": .string("A")])
        try store.read { reader in
            #expect(try reader.storedRow(book)?.version == 1)
            try store.write { _ = try $0.set(book, ["title": .string("B")]) }
            #expect(try reader.storedRow(book)?.version == 1)
        }
        #expect(try store.value(book, "title") == .string("B"))
    }
}
