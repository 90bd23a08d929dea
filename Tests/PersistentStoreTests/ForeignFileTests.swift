import Foundation
import PersistentStore
import SQL
import Testing

/// Files of the same layout that this module did not make: no model of its own in them, other choices where the layout leaves one.
@Suite("Files that Apple's frameworks made are read, and used without loss")
struct ForeignFileTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    var url: URL { folder.url.appendingPathComponent("Foreign.sqlite") }

    /// Made by hand in the form that files of SwiftData have.
    static let tables = """
        CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB);
        CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER);
        CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB);
        CREATE TABLE ZDRINK ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZGLASS INTEGER, Z7_GLASS INTEGER,
            ZNAME VARCHAR, ZID BLOB, ZID1 BLOB, ZFLAVORS BLOB, ZUNKNOWN VARCHAR );
        CREATE TABLE ZGLASS ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZSIZE FLOAT, ZSTEM INTEGER );
        CREATE TABLE ZPART ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, Z3PARTS INTEGER, ZNAME VARCHAR );
        CREATE TABLE Z_3MOODS ( Z_3DRINKS INTEGER, Z_9MOODS INTEGER, PRIMARY KEY (Z_3DRINKS, Z_9MOODS) );
        CREATE TABLE ZMOOD ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR );
        CREATE TABLE Z_9NEIGHBOURS ( Z_9NEIGHBOURS INTEGER, REFLEXIVE INTEGER, PRIMARY KEY (Z_9NEIGHBOURS, REFLEXIVE) );
        CREATE INDEX ZDRINK_ZGLASS_INDEX ON ZDRINK (ZGLASS);
        CREATE INDEX ZPART_Z3PARTS_INDEX ON ZPART (Z3PARTS);
        CREATE TABLE ACHANGE ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZCHANGETYPE INTEGER,
            ZENTITY INTEGER, ZENTITYPK INTEGER, ZTRANSACTIONID INTEGER, ZCOLUMNS BLOB );
        CREATE TABLE ATRANSACTION ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZAUTHORTS INTEGER,
            ZBUNDLEIDTS INTEGER, ZCONTEXTNAMETS INTEGER, ZPROCESSIDTS INTEGER, ZTIMESTAMP FLOAT, ZAUTHOR VARCHAR,
            ZBUNDLEID VARCHAR, ZCONTEXTNAME VARCHAR, ZPROCESSID VARCHAR, ZQUERYGEN BLOB );
        CREATE TABLE ATRANSACTIONSTRING ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR );
        INSERT INTO Z_METADATA VALUES (1, '2F0E6E5C-0000-4000-8000-000000000001', NULL);
        INSERT INTO Z_PRIMARYKEY VALUES (3, 'Drink', 0, 4), (7, 'Glass', 0, 2), (8, 'Stemmed', 7, 0), (9, 'Mood', 0, 2),
            (11, 'Part', 0, 1), (16001, 'CHANGE', 0, 5), (16002, 'TRANSACTION', 0, 2), (16003, 'TRANSACTIONSTRING', 0, 1);
        INSERT INTO ZDRINK VALUES (4, 3, 6, 2, 8, 'Bijou', X'0102030405060708090A0B0C0D0E0F10',
            X'1112131415161718191A1B1C1D1E1F20', CAST('["Herbal"]' AS BLOB), 'kept');
        INSERT INTO ZGLASS VALUES (2, 8, 1, 0.25, 1);
        INSERT INTO ZPART VALUES (1, 11, 1, 4, 'gin');
        INSERT INTO ZMOOD VALUES (1, 9, 1, 'calm'), (2, 9, 1, 'gay');
        INSERT INTO Z_3MOODS VALUES (4, 2);
        INSERT INTO Z_9NEIGHBOURS VALUES (1, 2);
        INSERT INTO ATRANSACTIONSTRING VALUES (1, 16003, 1, 'bar');
        INSERT INTO ATRANSACTION VALUES (2, 16002, 1, 1, NULL, NULL, NULL, 700000000.5, NULL, NULL, NULL, NULL, NULL);
        INSERT INTO ACHANGE VALUES (5, 16001, 1, 1, 3, 4, 2, X'40');
        CREATE TRIGGER ZT_ZMOOD AFTER INSERT ON ZDRINK FOR EACH ROW BEGIN
            SELECT NSCoreDataDATriggerInsertUpdatedAffectedObjectValue('ZMOOD', Z_ENT, Z_PK, 'ZNAME', ZNAME) FROM ZMOOD; END;
        """

    static let model = StoreModel(entities: [
        Entity(
            "Drink",
            properties: [
                .attribute(Attribute("id", .uuid)),
                .attribute(Attribute("build", .composite([Attribute("id", .uuid)]), isOptional: true)),
                .attribute(Attribute("name", .string)),
                .attribute(Attribute("flavors", .transformable, isOptional: true)),
                .relationship(Relationship("glass", to: "Glass")),
                .relationship(Relationship("parts", to: "Part", isToMany: true)),
                .relationship(Relationship("moods", to: "Mood", inverse: "drinks", isToMany: true)),
            ]),
        Entity("Glass", properties: [.attribute(Attribute("size", .double))]),
        Entity(
            "Stemmed", superentity: "Glass", properties: [.attribute(Attribute("stem", .boolean, isOptional: true))]),
        Entity("Part", properties: [.attribute(Attribute("name", .string))]),
        Entity(
            "Mood",
            properties: [
                .attribute(Attribute("name", .string)),
                .relationship(Relationship("drinks", to: "Drink", inverse: "moods", isToMany: true)),
                .relationship(Relationship("neighbours", to: "Mood", inverse: "neighbours", isToMany: true)),
            ]),
    ])

    func make() throws {
        let connection = try SQLiteConnection(path: url.path)
        defer { connection.close() }
        try connection.execute(Self.tables)
    }

    let drink = RowID(entity: 3, key: 4)

    func check(_ store: PersistentStore) throws {
        #expect(store.identifier == "2F0E6E5C-0000-4000-8000-000000000001")
        #expect(try store.all("Drink").first == drink)
        #expect(try store.value(drink, "name") == .string("Bijou"))
        #expect(
            try store.value(drink, "id") == UUID(uuidString: "11121314-1516-1718-191A-1B1C1D1E1F20").map { .uuid($0) })
        #expect(try store.value(drink, "flavors") == .data(Data(#"["Herbal"]"#.utf8)))
        #expect(try store.value(drink, "glass") == .reference(RowID(entity: 8, key: 2)))
        #expect(try store.value(RowID(entity: 8, key: 2), "stem") == .boolean(true))
        #expect(try store.related(drink, "parts") == [RowID(entity: 11, key: 1)])
        #expect(try store.related(drink, "moods") == [RowID(entity: 9, key: 2)])
        #expect(try store.related(RowID(entity: 9, key: 2), "drinks") == [drink])
        // One row for the pair, found from both.
        #expect(try store.related(RowID(entity: 9, key: 2), "neighbours") == [RowID(entity: 9, key: 1)])
        #expect(try store.related(RowID(entity: 9, key: 1), "neighbours") == [RowID(entity: 9, key: 2)])
        let history = try store.history()
        #expect(history.first?.author == "bar" && history.first?.number == 2)
        // What the bits of another program mean is not known, so any property may have changed.
        #expect(history.first?.changes.map(\.row) == [drink] && history.first?.changes.first?.updatedProperties == nil)
    }

    @Test("It is read as it is, with nothing written")
    func readOnly() throws {
        try make()
        let before = try Data(contentsOf: url)
        var options = PersistentStoreOptions()
        options.isReadOnly = true
        try check(PersistentStore(at: .file(url), model: Self.model, options: options))
        #expect(try Data(contentsOf: url) == before)
    }

    @Test("It is written, keeps what the model does not know, and goes on from its counters")
    func written() throws {
        try make()
        var store = try PersistentStore(at: .file(url), model: Self.model)
        try check(store)
        #expect(try store.insert("Drink", ["name": .string("new")], author: "me").key == 5)
        try store.write { _ = try $0.set(drink, ["name": .string("Bijou")], expecting: 6) }
        #expect(try store.history(HistoryQuery(after: 2)).map(\.number) == [3, 4])
        #expect(try store.history(HistoryQuery(after: 3)).first?.changes.first?.updatedProperties == [2])
        store.close()
        // And with one more attribute, for which its tables are extended.
        var model = Self.model
        model.entities[0].properties.append(.attribute(Attribute("rating", .integer64, defaultValue: .integer(1))))
        model.entities[0].properties.remove(at: 3)
        store = try PersistentStore(at: .file(url), model: model)
        #expect(try store.value(drink, "rating") == .integer(1))
        #expect(try store.value(drink, "name") == .string("Bijou"))
        #expect(try store.related(drink, "moods") == [RowID(entity: 9, key: 2)])
        store.close()
        let connection = try SQLiteConnection(path: url.path)
        defer { connection.close() }
        let statement = try connection.prepare("SELECT ZUNKNOWN FROM ZDRINK WHERE Z_PK = 4")
        defer { statement.reset() }
        #expect(try statement.step())
        #expect(statement.text(0) == "kept")
    }

    @Test("Entities that inherit from each other in a circle are damage, not a trap")
    func circle() throws {
        try make()
        let connection = try SQLiteConnection(path: url.path)
        try connection.execute("UPDATE Z_PRIMARYKEY SET Z_SUPER = 8 WHERE Z_ENT = 7")
        connection.close()
        for open in [
            { try PersistentStore.inspect(url) != nil },
            { try PersistentStore(at: .file(url), model: Self.model).identifier.isEmpty },
        ] as [() throws -> Bool] {
            let error = #expect(throws: PersistentStoreError.self) { try open() }
            #expect(error?.description.contains("damaged") == true)
        }
    }

    @Test("A model is read out of its tables, and the file with it")
    func inspection() throws {
        try make()
        let found = try #require(try PersistentStore.inspect(url))
        #expect(!found.namesItsModel)
        #expect(found.model.entities.map(\.name) == ["Drink", "Glass", "Stemmed", "Mood", "Part"])
        let drinks = found.model.entity(named: "Drink")?.properties.map(\.name)
        #expect(drinks == ["glass", "name", "id", "id1", "flavors", "unknown", "parts", "moods"])
        guard case .relationship(let glass)? = found.model.property("glass", of: "Drink") else {
            Issue.record("no relationship")
            return
        }
        #expect(glass.destination == "Glass")
        var options = PersistentStoreOptions()
        options.isReadOnly = true
        let store = try PersistentStore(at: .file(url), model: found.model, options: options)
        #expect(try store.value(drink, "unknown") == .string("kept"))
        #expect(try store.related(drink, "parts") == [RowID(entity: 11, key: 1)])
        #expect(try store.related(RowID(entity: 9, key: 1), "neighbours") == [RowID(entity: 9, key: 2)])
    }
}
