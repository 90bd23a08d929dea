import CRawSQLite
import Foundation

/// SQLite by hand, in this process, without HTTP: what the disk and the b-trees allow.
final class RawSQLite {
    static let name = "sqlite"
    private let store: OpaquePointer

    init(directory: URL, name: String) throws {
        var opened: OpaquePointer?
        let code = raw_sqlite_open(directory.appendingPathComponent("\(name).sqlite").path, &opened)
        guard let opened, code == 0 else { throw HTTPConnection.Failure(description: "SQLite: code \(code)") }
        store = opened
    }

    deinit { raw_sqlite_close(store) }

    func rowsPerSecond(batch: Int, seconds: Double) throws -> Double {
        let start = Load.now()
        var rows = 0
        while Load.now() - start < seconds {
            try save(first: rows, count: batch)
            rows += batch
        }
        return Double(rows) / (Load.now() - start)
    }

    func pagesPerSecond(of size: Int, seconds: Double) throws -> Double {
        for first in stride(from: 0, to: 20_000, by: 200) { try save(first: first, count: 200) }
        let start = Load.now()
        var pages = 0
        var sequence: Int64 = 0
        while Load.now() - start < seconds {
            let last = raw_sqlite_page(store, sequence, Int32(size))
            sequence = last < 0 || last >= 20_000 ? 0 : last
            pages += 1
        }
        return Double(pages) / (Load.now() - start)
    }

    /// The time to read so many rows once, in pages of 200.
    func secondsToRead(rows: Int) throws -> Double {
        for first in stride(from: 0, to: rows, by: 1000) { try save(first: first, count: 1000) }
        let start = Load.now()
        var sequence: Int64 = 0
        while case let last = raw_sqlite_page(store, sequence, 200), last >= 0 { sequence = last }
        return Load.now() - start
    }

    private func save(first: Int, count: Int) throws {
        let code = raw_sqlite_save(store, Int64(first), Int32(count))
        guard code == 0 else { throw HTTPConnection.Failure(description: "SQLite: code \(code)") }
    }
}
