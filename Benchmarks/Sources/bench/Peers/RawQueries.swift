import CRawSQLite
import Foundation

/// SQLite by hand for what PocketBase has no index for: words in an FTS5 table, places in an R*Tree.
final class RawQueries {
    enum Kind { case words, near }

    private let store: OpaquePointer

    init(directory: URL) throws {
        var opened: OpaquePointer?
        let code = raw_queries_open(directory.appendingPathComponent("raw-queries.sqlite").path, &opened)
        guard let opened, code == 0 else { throw HTTPConnection.Failure(description: "SQLite: code \(code)") }
        store = opened
        try check(raw_queries_begin(store))
        for number in 0..<QueryRecord.count {
            let record = QueryRecord(number)
            try check(
                raw_queries_save(
                    store, Int64(number), record.cloudKitFields, record.words, record.latitude, record.longitude))
        }
        try check(raw_queries_commit(store))
    }

    deinit { raw_queries_close(store) }

    /// Queries one after the other, each for up to fifty records.
    func perSecond(_ kind: Kind, seconds: Double) throws -> Double {
        let start = Load.now()
        var count = 0
        while Load.now() - start < seconds {
            let number = count &* 17
            let found =
                switch kind {
                case .words: raw_queries_words(store, QueryRecord.word(number), 50)
                case .near:
                    raw_queries_near(
                        store, QueryRecord.place(number).latitude, QueryRecord.place(number).longitude, 50_000, 50)
                }
            guard found > 0 else { throw HTTPConnection.Failure(description: "SQLite by hand finds nothing") }
            count += 1
        }
        return Double(count) / (Load.now() - start)
    }

    private func check(_ code: Int32) throws {
        guard code == 0 else { throw HTTPConnection.Failure(description: "SQLite: code \(code)") }
    }
}
