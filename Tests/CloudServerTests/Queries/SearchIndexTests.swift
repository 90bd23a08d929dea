import CloudStore
import SchemaLanguage
import Testing
import WebServices

@testable import CloudServer

@Suite("The index of words")
struct SearchIndexTests {
    let cloud: TestCloud
    let device: TestDevice

    init() throws {
        // A page looks at so few records that only an index leads to the right ones.
        cloud = try TestCloud { $0.webLimits.queryRows = 10 }
        device = try cloud.device(of: "anna")
        try administration.createContainer(TestCloud.container)
    }

    private var administration: Administration {
        Administration(store: cloud.server.store, clock: cloud.server.clock)
    }

    private func save(_ name: String, _ title: String, _ tags: [String] = []) throws {
        var fields: [(String, FieldValue?)] = [("title", .string(title))]
        if !tags.isEmpty { fields.append(("tags", .list(tags.map(FieldValue.string), of: .string))) }
        try device.save(.forceReplace, .note(name, fields))
    }

    private func fill(_ count: Int = 60) throws {
        for index in 0..<count { try save("hay\(index)", "Hay number \(index)") }
    }

    /// The records of the one page that a search takes.
    private func page(_ words: String, all: Bool = false, in field: String? = "title") throws -> Set<String> {
        let filter = RecordsQuery.Filter(
            all ? .containsAllTokens : .containsAnyTokens, field.map { .user($0) }, .typed(.string(words)))
        let page = try device.queryPage(.init(recordType: "Note", filterBy: [filter]))
        #expect(page.continuationMarker == nil, "the search looked at other records")
        return Set(page.records.compactMap(\.record?.recordName))
    }

    @Test("Few records that have a word are found among many without looking at the others")
    func direct() throws {
        try fill()
        try save("oak", "The Oak of Zürich", ["tree"])
        try save("ash", "An ash tree")
        #expect(try page("zurich") == ["oak"])
        #expect(try page("ASH oak") == ["oak", "ash"])
        #expect(try page("zürich oak", all: true) == ["oak"])
        #expect(try page("oak ash", all: true) == [])
        #expect(try page("tree", in: nil) == ["oak", "ash"])
        #expect(try page("tree zurich", all: true, in: nil) == ["oak"], "each word in another field")
        #expect(try page("nowhere") == [])
    }

    @Test("A record is found by the words that it has now")
    func changes() throws {
        try fill()
        try save("b", "other words", ["tag"])
        try save("a", "first words")
        try save("a", "second words")
        #expect(try page("first") == [])
        #expect(try page("second") == ["a"])
        try save("a", "", ["second"])
        #expect(try page("second") == [])
        #expect(try page("second", in: "tags") == ["a"])
        _ = try device.modify([.init(.forceDelete, Record(recordName: "a"))])
        #expect(try page("second", in: nil) == [])
    }

    @Test("A text with more words than have entries is found by each of them, also once it has become short")
    func longTexts() throws {
        try fill()
        let long = (0...SearchWords.maximumEntries).map { "word\($0)" }.joined(separator: " ")
        try save("a", long)
        #expect(try page("word0") == ["a"])
        #expect(try page("word50 word7", all: true) == ["a"])
        try save("a", "word3")
        #expect(try page("word0") == [])
        #expect(try page("word3") == ["a"])
        try save("a", long)
        #expect(try page("word49") == ["a"])
    }

    @Test("Words that only differ far behind are told apart, and entries of theirs come and go")
    func longWords() throws {
        try fill()
        let long = String(repeating: "x", count: 500)
        try save("a", "\(long)1 \(long)2")
        try save("b", "\(long)2")
        #expect(try page("\(long)1") == ["a"])
        #expect(try page("\(long)2") == ["a", "b"])
        #expect(try page(long) == [])
        try save("a", "\(long)3")
        #expect(try page("\(long)1") == [])
        #expect(try page("\(long)1 \(long)3") == ["a"])
        try save("a", "short")
        #expect(try page("\(long)2") == ["b"])
    }

    // MARK: - Over records that are there

    private func importing(_ title: String) throws {
        let text = """
            DEFINE SCHEMA RECORD TYPE Note ("___recordID" REFERENCE QUERYABLE, title STRING \(title),
                tags LIST<STRING>, GRANT READ, CREATE, WRITE TO "_icloud");
            """
        try administration.importSchema(try SchemaDefinition(text: text).complete, into: TestCloud.container)
    }

    @Test("A field that becomes searchable is searched in the records that are there", arguments: ["", "SORTABLE"])
    func built(before: String) throws {
        try importing(before)
        try fill()
        try save("old", "an old needle")
        #expect(throws: ServerError.self) { try page("needle") }
        try importing("\(before) SEARCHABLE")
        try save("new", "a new needle")
        #expect(try page("needle") == ["old", "new"])
        // No longer, and again: what was saved in between is there, and what changed meanwhile is as it is now.
        try importing(before)
        #expect(throws: ServerError.self) { try page("needle") }
        try save("between", "a needle")
        try save("old", "no longer one")
        try importing("\(before) SEARCHABLE")
        #expect(try page("needle") == ["between", "new"])
    }

    @Test("Words of a field that is no longer searched leave the store")
    func purged() throws {
        try importing("QUERYABLE SEARCHABLE")
        try save("a", "some words")
        let field = try title.wordIndex
        #expect(try entries(field) == 2)
        try importing("QUERYABLE")
        #expect(try entries(field) == 0)
    }

    private var container: ContainerStore {
        get throws {
            try #require(try cloud.server.store.container(TestCloud.container, "development", create: false))
        }
    }

    private var title: Schema.Field {
        get throws {
            try #require(try container.read { try StoredSchema($0).schema }.type(named: "Note")?.field(named: "title"))
        }
    }

    private func entries(_ field: Int64) throws -> Int {
        try container.read { reader in
            var count = 0
            for zone in try reader.zoneIDs(after: 0, limit: 10) {
                try reader.scanIndex(zone: zone, field: field) { _, _ in
                    count += 1
                    return true
                }
            }
            return count
        }
    }

    @Test("What an earlier version of the program stored is found, and then by the index")
    func upgraded() throws {
        try fill()
        try save("old", "an old needle")
        // As it was: a searched field, and no entries of its words.
        let (field, type) = try container.read { reader in
            let schema = try StoredSchema(reader).schema
            let type = try #require(schema.type(named: "Note"))
            return (try #require(type.field(named: "title")), type.id)
        }
        try container.writeAndWait { writer in
            try writer.updateField(field.row(type: type, flags: Schema.Field.flags(field.indexes)))
            for zone in try writer.zoneIDs(after: 0, limit: 10) {
                while try writer.purgeIndexEntries(zone: zone, field: field.wordIndex, limit: 100) {}
            }
        }
        func search() throws -> [String] {
            try device.query([.init(.containsAnyTokens, .user("title"), .typed(.string("needle")))])
        }
        #expect(try search() == ["old"])
        try save("new", "a new needle")
        #expect(try search() == ["old", "new"])
        cloud.server.maintenance.finishIndexes(cloud.server)
        #expect(try page("needle") == ["old", "new"])
    }

    // MARK: - By chance

    @Test("Whatever is saved and deleted, a search finds what has its words", arguments: 0..<6)
    func byChance(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var texts: [String: (title: [String], tags: [String])] = [:]
        func words(_ most: Int) -> [String] {
            (0..<Int.random(in: 0...most, using: &random)).map { _ in "w\(Int.random(in: 0..<90, using: &random))" }
        }
        try save("first", "", ["w"])
        texts["first"] = ([], ["w"])
        for _ in 0..<120 {
            let name = "r\(Int.random(in: 0..<25, using: &random))"
            if Int.random(in: 0..<5, using: &random) == 0, texts[name] != nil {
                _ = try device.modify([.init(.forceDelete, Record(recordName: name))])
                texts[name] = nil
            } else {
                let most = Bool.random(using: &random) ? 4 : 120
                let (title, tags) = (words(most), words(6))
                try save(name, title.joined(separator: " "), tags)
                texts[name] = (title, tags)
            }
            let sought = Set(words(3))
            let all = Bool.random(using: &random)
            let field: String? = [nil, "title", "tags"].randomElement(using: &random) ?? nil
            let expected = texts.filter { _, text in
                let known = Set((field == "tags" ? [] : text.title) + (field == "title" ? [] : text.tags))
                return !sought.isEmpty && (all ? sought.isSubset(of: known) : !sought.isDisjoint(with: known))
            }
            let filter = RecordsQuery.Filter(
                all ? .containsAllTokens : .containsAnyTokens, field.map { .user($0) },
                .typed(.string(sought.joined(separator: ","))))
            #expect(try Set(device.query([filter])) == Set(expected.keys))
        }
    }
}
