import Foundation
import PersistentStore
import SQL
import Testing

@Suite("The file is laid out as Apple's frameworks lay it out, and damage is an error")
struct FileTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    func sql(_ text: String, file: String = "Library.store") throws -> [[String]] {
        let path = folder.url.appendingPathComponent(file).path
        let connection = try SQLiteConnection(path: path)
        defer { connection.close() }
        let statement = try connection.prepareStatement(text)
        defer { statement.reset() }
        var rows: [[String]] = []
        while try statement.step() {
            rows.append((0..<statement.columnCount).map { statement.optionalText($0) ?? "-" })
        }
        return rows
    }

    @Test("Tables, columns, join tables and entities have the names that Core Data gives")
    func layout() throws {
        try PersistentStore(at: folder.file(), model: Library.model).close()
        func columns(_ table: String) throws -> [String] {
            try sql("SELECT name || ' ' || type FROM pragma_table_info('\(table)')").map { $0[0] }
        }
        #expect(
            try sql("SELECT Z_ENT, Z_NAME, Z_SUPER FROM Z_PRIMARYKEY").map { $0.joined(separator: " ") } == [
                "1 Author 3", "2 Book 0", "3 Person 0", "4 Shelf 0", "5 Tag 0", "16001 CHANGE 0", "16002 TRANSACTION 0",
                "16003 TRANSACTIONSTRING 0",
            ])
        #expect(
            try columns("ZBOOK") == [
                "Z_PK INTEGER", "Z_ENT INTEGER", "Z_OPT INTEGER", "ZCOVER BLOB", "ZISNEW INTEGER", "ZISBN VARCHAR",
                "ZLINK VARCHAR", "ZOWNER INTEGER", "Z3_OWNER INTEGER", "ZPAGES INTEGER", "ZCITY VARCHAR",
                "ZFLOOR INTEGER",
                "ZPRICE DECIMAL", "ZPUBLISHED TIMESTAMP", "ZSHELF INTEGER", "Z_FOK_SHELF INTEGER", "ZTITLE VARCHAR",
                "ZTOKEN BLOB", "ZWEIGHT FLOAT",
            ])
        #expect(
            try columns("ZPERSON") == [
                "Z_PK INTEGER", "Z_ENT INTEGER", "Z_OPT INTEGER", "ZNAME VARCHAR", "ZPSEUDONYM VARCHAR",
            ])
        #expect(
            try columns("ZTAG") == [
                "Z_PK INTEGER", "Z_ENT INTEGER", "Z_OPT INTEGER", "ZNAME VARCHAR", "Z1AWARDS INTEGER",
            ])
        #expect(try columns("Z_2TAGS") == ["Z_2BOOKS INTEGER", "Z_5TAGS INTEGER", "Z_FOK_2BOOKS INTEGER"])
        #expect(try columns("Z_3FRIENDS") == ["Z_3FRIENDS INTEGER", "REFLEXIVE INTEGER"])
        #expect(try columns("Z_3CHILDREN") == ["Z_3PARENTS INTEGER", "Z_3CHILDREN1 INTEGER"])
        let indexes = Set(try sql("SELECT name FROM sqlite_master WHERE type = 'index'").map { $0[0] })
        #expect(
            indexes.isSuperset(of: [
                "Z_Book_UNIQUE_isbn", "Z_Book_byTitle", "ZBOOK_ZOWNER_INDEX", "Z_TRANSACTIONSTRING_UNIQUE_NAME",
            ]))
        #expect(try sql("SELECT length(Z_UUID) FROM Z_METADATA") == [["36"]])
    }

    @Test("Siblings with a name in common have columns of their own")
    func siblings() throws {
        func sub(_ name: String) -> Entity {
            Entity(name, superentity: "Base", properties: [.attribute(Attribute("title", .string, isOptional: true))])
        }
        let store = try PersistentStore(
            at: folder.file(), model: StoreModel(entities: [Entity("Base", isAbstract: true), sub("One"), sub("Two")]))
        let one = try store.insert("One", ["title": .string("1")])
        let two = try store.insert("Two", ["title": .string("2")])
        #expect(try store.value(one, "title") == .string("1"))
        #expect(try store.value(two, "title") == .string("2"))
        #expect(try store.all("Base") == [one, two])
        #expect(try sql("SELECT ZTITLE, ZTITLE1 FROM ZBASE ORDER BY Z_PK") == [["1", "-"], ["-", "2"]])
    }

    @Test("A large value lies in a file of its own, which goes with its row")
    func external() throws {
        let store = try PersistentStore(at: folder.file(), model: Library.model)
        func files() throws -> [String] {
            let path = folder.url.appendingPathComponent(".Library_SUPPORT/_EXTERNAL_DATA").path
            return (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        }
        let large = Data((0..<150_000).map { UInt8(truncatingIfNeeded: $0) })
        let book = try store.insert("Book", ["cover": .data(large)])
        #expect(try files().count == 1)
        #expect(try store.value(book, "cover") == .data(large))
        let first = try files()
        try store.read { reader in
            #expect(try reader.storedRow(book) != nil)
            try store.write { _ = try $0.set(book, ["cover": .data(large + [1])]) }
            // The old file is there for as long as somebody may read it.
            #expect(try reader.storedRow(book)?.values[store.index("Book", "cover")] == .data(large))
        }
        #expect(try store.value(book, "cover") == .data(large + [1]))
        #expect(try files().count == 1)
        #expect(try files() != first)
        try store.write { _ = try $0.set(book, ["cover": .data(Data([5]))]) }
        #expect(try files().isEmpty)
        #expect(try sql("SELECT hex(ZCOVER) FROM ZBOOK") == [["0105"]])
        try store.write { _ = try $0.set(book, ["cover": .data(large)]) }
        try store.write { _ = try $0.delete(book, expecting: nil) }
        #expect(try files().isEmpty)
    }

    @Test("A file that is missing is an error with its name, and an orphan can be removed")
    func orphans() throws {
        let store = try PersistentStore(at: folder.file(), model: Library.model)
        let book = try store.insert("Book", ["cover": .data(Data(count: 150_000))])
        let path = folder.url.appendingPathComponent(".Library_SUPPORT/_EXTERNAL_DATA")
        let orphan = path.appendingPathComponent(UUID().uuidString)
        try Data([1]).write(to: orphan)
        try store.removeAbandonedFiles(olderThan: 3600)
        #expect(FileManager.default.fileExists(atPath: orphan.path))
        try store.removeAbandonedFiles(olderThan: -3600)
        #expect(!FileManager.default.fileExists(atPath: orphan.path))
        #expect(try store.value(book, "cover") != nil)
        for file in try FileManager.default.contentsOfDirectory(atPath: path.path) {
            try FileManager.default.removeItem(at: path.appendingPathComponent(file))
        }
        let error = #expect(throws: PersistentStoreError.self) { try store.value(book, "cover") }
        guard case .externalDataMissing? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test("What is no store is refused by name and not changed")
    func strangers() throws {
        _ = try sql("CREATE TABLE t (x)")
        let error = #expect(throws: PersistentStoreError.self) {
            try PersistentStore(at: folder.file(), model: Library.model)
        }
        #expect(error?.description.contains("no table Z_METADATA") == true)
        #expect(try sql("SELECT name FROM sqlite_master") == [["t"]])
        let text = folder.url.appendingPathComponent("text")
        try Data(String(repeating: "not a database ", count: 100).utf8).write(to: text)
        #expect(throws: PersistentStoreError.self) { try PersistentStore(at: .file(text), model: Library.model) }
    }

    @Test("A model that contradicts itself is refused with all that is wrong, before a file is made")
    func invalidModel() throws {
        let model = StoreModel(entities: [
            Entity(
                "A", superentity: "B",
                properties: [
                    .attribute(Attribute("x", .string)), .attribute(Attribute("x", .string)),
                    .relationship(Relationship("r", to: "Nowhere")),
                    .relationship(Relationship("s", to: "C", inverse: "t")),
                ], uniquenessConstraints: [["y"]]),
            Entity("B"), Entity("C", properties: [.relationship(Relationship("t", to: "B"))]),
            Entity("D", superentity: "D"),
        ])
        let error = #expect(throws: PersistentStoreError.self) { try PersistentStore(at: folder.file(), model: model) }
        guard case .invalidModel(let problems)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(problems.count == 5)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).isEmpty)
    }

    @Test("A damaged file gives errors or rows, never a trap", arguments: 1...60)
    func damaged(seed: Int) throws {
        var random = Seeded(seed: UInt64(seed))
        let store = try PersistentStore(at: folder.file(), model: Library.model)
        try store.write { writer in
            for number in 0..<30 {
                let person = try writer.insert(store.entity("Author"), ["name": .string("p\(number)")])
                let book = try writer.insert(
                    store.entity("Book"),
                    [
                        "title": .string(String(repeating: "t", count: number * 20)), "owner": .reference(person),
                        "price": .decimal(1.5), "token": .uuid(UUID()), "cover": .data(Data([1])),
                    ])
                let tag = try writer.insert(store.entity("Tag"), [:])
                try writer.link(store.index("Book", "tags"), of: book, to: tag)
            }
        }
        store.close()
        let file = folder.url.appendingPathComponent("Library.store")
        var bytes = try Data(contentsOf: file)
        for _ in 0..<Int.random(in: 1...40, using: &random) {
            let place = Int.random(in: 0..<bytes.count, using: &random)
            bytes[place] = UInt8.random(in: 0...255, using: &random)
        }
        if seed.isMultiple(of: 7) { bytes = bytes.prefix(Int.random(in: 0..<bytes.count, using: &random)) }
        try bytes.write(to: file)
        do {
            let store = try PersistentStore(at: folder.file(), model: Library.model)
            for entity in store.layout.entities {
                try store.read { reader in
                    let cursor = try reader.rows(StoreQuery(entity: entity.name))
                    var rows: [StoredRow] = []
                    while try cursor.next(), rows.count < 1000 { rows.append(cursor.row.stored()) }
                    for row in rows.prefix(10) {
                        for property in entity.properties { _ = try reader.related(property.index, of: row.id) }
                    }
                    _ = try reader.history(HistoryQuery())
                }
            }
            _ = try store.insert("Book", ["title": .string("x")])
        } catch let error as PersistentStoreError {
            #expect(!error.description.isEmpty)
        }
        _ = try? PersistentStore.inspect(file)
    }

    @Test("A file's own model is read back")
    func inspection() throws {
        let url = folder.url.appendingPathComponent("Library.store")
        #expect(try PersistentStore.inspect(url) == nil)
        let store = try PersistentStore(at: .file(url), model: Library.model)
        let inspection = try #require(try PersistentStore.inspect(url))
        #expect(inspection.identifier == store.identifier)
        #expect(inspection.model == Library.model && inspection.namesItsModel)
        #expect(inspection.versionIdentifiers == ["1"])
    }
}
