import CSQLite
import Foundation
import Testing

@testable import PersistentStore

/// How many rows SQLite looks at. What a condition names by an indexed value is found without passing over the others, and no row
/// leaves SQLite that the condition rejects.
@Suite("What a query visits")
final class QueryPlanTests {
    private static let count = 5_000
    private let folder = FileManager.default.temporaryDirectory.appending(path: "query-plans-\(UUID())")
    private let store: PersistentStore
    private var database: OpaquePointer?

    init() throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let file = folder.appending(path: "notes.store")
        store = try PersistentStore(at: .file(file), model: Notebooks.model, options: PersistentStoreOptions())
        let entity = store.entity("Note")
        let title = store.index("Note", "title")
        let rating = store.index("Note", "rating")
        let created = store.index("Note", "createdAt")
        let ident = store.index("Note", "ident")
        _ = try store.write { writer in
            for number in 0..<Self.count {
                try writer.insert(try writer.newRowID(entity)) { values in
                    values.set(title, number == 7 ? "cafe\u{301}" : "note \(number)")
                    values.set(rating, Int64(number))
                    values.set(created, Date(timeIntervalSinceReferenceDate: Double(number)))
                    values.set(ident, Self.ident(number))
                }
            }
        }
        #expect(sqlite3_open(file.path, &database) == SQLITE_OK)
        if let database { registerQueryFunctions(on: database) }
    }

    deinit {
        sqlite3_close_v2(database)
        store.close()
        try? FileManager.default.removeItem(at: folder)
    }

    private static func ident(_ number: Int) -> UUID {
        UUID(uuid: (UInt8(number >> 8), UInt8(number & 0xFF), 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15))
    }

    /// The rows found, and those of whole tables that were passed over.
    private func visit(_ predicate: StoreExpression, limit: Int? = nil) throws -> (found: Int, scanned: Int) {
        let query = StoreQuery(entity: "Note", predicate: predicate, limit: limit)
        let sql = try query.sql(.identifiers, in: store.layout)
        var statement: OpaquePointer?
        try #require(sqlite3_prepare_v2(database, sql.text, -1, &statement, nil) == SQLITE_OK, "\(sql.text)")
        defer { sqlite3_finalize(statement) }
        let prepared = try #require(statement)
        for (index, value) in sql.values.enumerated() { #expect(value.bind(prepared, Int32(index + 1)) == SQLITE_OK) }
        var found = 0
        while sqlite3_step(statement) == SQLITE_ROW { found += 1 }
        return (found, Int(sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_FULLSCAN_STEP, 0)))
    }

    private static let note = StoreObjectPath.variable(0)
    private static let title = StoreExpression.attribute(note, "title")
    private static let rating = StoreExpression.attribute(note, "rating")
    private static let created = StoreExpression.attribute(note, "createdAt")

    @Test(
        "Equality, ranges and lists use the index",
        arguments: [
            (StoreExpression.comparison(.equal, title, .constant(.string("note 77")), as: .text), 1),
            (.comparison(.equal, title, .constant(.string("caf\u{E9}")), as: .text), 1),
            (.comparison(.equal, .attribute(note, "ident"), .constant(.uuid(ident(300))), as: .exact), 1),
            (.comparison(.greaterOrEqual, rating, .constant(.integer(4_990)), as: .number), 10),
            (.not(.comparison(.less, rating, .constant(.integer(4_990)), as: .number)), 10),
            (
                .and([
                    .comparison(
                        .greater, created, .constant(.date(Date(timeIntervalSinceReferenceDate: 10))), as: .number),
                    .comparison(
                        .less, created, .constant(.date(Date(timeIntervalSinceReferenceDate: 20))), as: .number),
                ]), 9
            ),
            (.isAmong(rating, (0..<1_000).map { .integer(Int64($0 * 3)) }, as: .number), 1_000),
            (.isAmong(title, (0..<100).map { .string("note \($0 * 8)") }, as: .text), 100),
            (.isOneOf(note, [RowID(entity: 2, key: 3), RowID(entity: 2, key: 4)]), 2),
            (.text(.startsWith, title, .constant(.string("note 499"))), 11),
            (
                .or([
                    .comparison(.equal, rating, .constant(.integer(3)), as: .number),
                    .comparison(.equal, title, .constant(.string("note 9")), as: .text),
                ]), 2
            ),
            (
                .and([
                    .comparison(.equal, rating, .constant(.integer(3)), as: .number),
                    .text(.localizedStandardContains, title, .constant(.string("NOTE"))),
                ]), 1
            ),
        ] as [(StoreExpression, Int)])
    func index(predicate: StoreExpression, count: Int) throws {
        let (found, scanned) = try visit(predicate)
        #expect(found == count)
        #expect(scanned == 0)
    }

    @Test("A limit ends the search")
    func limit() throws {
        let (found, scanned) = try visit(.text(.contains, Self.title, .constant(.string("note"))), limit: 5)
        #expect(found == 5)
        #expect(scanned < 10)
    }

    @Test("The text of a statement depends on the query's shape, not on its values or the length of a list")
    func shape() throws {
        func text(_ title: String, _ numbers: Int) throws -> String {
            let predicate = StoreExpression.and([
                .comparison(.equal, Self.title, .constant(.string(title)), as: .text),
                .isAmong(Self.rating, (0..<numbers).map { .integer(Int64($0)) }, as: .number),
            ])
            return try StoreQuery(entity: "Note", predicate: predicate).sql(.identifiers, in: store.layout).text
        }
        #expect(try text("a", 3) == (try text("' OR 1 = 1 --", 100_000)))
    }
}
