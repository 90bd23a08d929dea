import Testing
import WebServices

@testable import CloudServer

@Suite("Full-text search")
struct SearchTests {
    @Test(
        "A text's words are whole, without case and diacritics",
        arguments: [
            ("", []), ("…–!", []), ("Oak, ash & THORN.", ["oak", "ash", "thorn"]), ("year 2026", ["year", "2026"]),
            ("Crème BRÛLÉE", ["creme", "brulee"]), ("e\u{301}te\u{301}", ["ete"]), ("Ελλάδα", ["ελλαδα"]),
            ("東京タワー", ["東", "京", "タ", "ワ", "ー"]), ("snake_case-word", ["snake", "case", "word"]),
            ("ＦＵＬＬ width", ["full", "width"]),
        ] as [(String, Set<String>)])
    func words(text: String, words: Set<String>) {
        #expect(SearchWords.words(of: text) == words)
    }

    private func filled() throws -> TestDevice {
        let device = try TestCloud().device()
        let notes: [(String, String, [FieldValue])] = [
            ("oak", "The Oak of Zürich", [.string("tree"), .string("old wood")]),
            ("ash", "An ash tree", [.string("wood")]),
            ("stone", "A stone", []),
        ]
        for (name, title, tags) in notes {
            try device.save(
                .create,
                .note(
                    name,
                    [("title", .string(title)), ("tags", .list(tags, of: .string)), ("count", .int64(1))]))
        }
        return device
    }

    private func find(
        _ device: TestDevice, _ comparator: RecordsQuery.Comparator, _ words: String, in field: String? = nil
    ) throws -> [String] {
        try device.query([
            .init(comparator, field.map { .user($0) }, .typed(.string(words)))
        ])
    }

    @Test("One of the words, or all, in one field or in all fields together")
    func search() throws {
        let device = try filled()
        #expect(try find(device, .containsAnyTokens, "ASH oak", in: "title") == ["oak", "ash"])
        #expect(try find(device, .containsAllTokens, "zurich OAK", in: "title") == ["oak"])
        #expect(try find(device, .containsAllTokens, "ash oak", in: "title") == [])
        #expect(try find(device, .containsAllTokens, "as", in: "title") == [], "whole words")
        #expect(try find(device, .containsAnyTokens, "wood", in: "title") == [])
        #expect(try find(device, .containsAnyTokens, "wood", in: "tags") == ["oak", "ash"])
        #expect(try find(device, .containsAllTokens, "tree zürich") == ["oak"])
        #expect(try find(device, .containsAnyTokens, "tree stone") == ["oak", "ash", "stone"])
        #expect(try find(device, .containsAnyTokens, " , ") == [])
        #expect(try find(device, .containsAllTokens, "") == [])
    }

    @Test("Only what is marked for it is searched")
    func unmarked() throws {
        let device = try filled()
        let filter = RecordsQuery.Filter(.containsAnyTokens, .user("count"), .typed(.string("x")))
        let error = try device.error(.recordsQuery(.init(query: .init(recordType: "Note", filterBy: [filter]))))
        #expect(error?.reason.contains("CONTAINS_ANY_TOKENS") == true)
        try device.save(.create, .note("p", type: "Plain", [("count", .int64(1))]))
        let anywhere = RecordsQuery.Filter(.containsAnyTokens, nil, .typed(.string("x")))
        #expect(
            try device.error(.recordsQuery(.init(query: .init(recordType: "Plain", filterBy: [anywhere]))))?.code
                == .badRequest)
    }

    @Test("A search goes on over pages, however few records a page may look at")
    func pages() throws {
        let device = try TestCloud(store: nil) { $0.webLimits.queryRows = 20 }.device()
        for index in 0..<100 {
            try device.save(
                .create, .note("n\(index)", [("title", .string(index % 10 == 0 ? "needle \(index)" : "hay"))]))
        }
        #expect(
            try find(device, .containsAnyTokens, "Needle", in: "title") == (0..<10).map { "n\($0 * 10)" })
    }
}
