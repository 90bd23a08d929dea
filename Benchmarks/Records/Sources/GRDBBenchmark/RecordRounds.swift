import Foundation
import GRDB

/// Saves and fetches records of one type, as often as is asked.
struct RecordRounds {
    var folder: URL
    var count: Int
    var rounds: Int

    typealias Record = FetchableRecord & PersistableRecord & Tabled

    /// A round makes the records, inserts them in one transaction, and lets go of them; each into a new database.
    func save<Value: Record>(_ make: (Int) -> Value) throws -> Rounds {
        var measured = Rounds()
        for _ in 0..<rounds {
            try withDatabase(Value.self) { database in
                try measured.measure {
                    try database.write { db in
                        for row in 0..<count { try make(row).insert(db) }
                    }
                }
            }
        }
        return measured
    }

    /// A round fetches all records and reads every property.
    func fetch<Value: Record>(_ make: (Int) -> Value, _ read: (Value) -> Int) throws -> Rounds {
        var measured = Rounds()
        try withDatabase(Value.self) { database in
            try database.write { db in
                for row in 0..<count { try make(row).insert(db) }
            }
            // The first brings the file into memory, as on the other side.
            for round in 0...rounds {
                var sum = 0
                func fetch() throws {
                    for record in try database.read({ try Value.fetchAll($0) }) { sum &+= read(record) }
                }
                if round == 0 { try fetch() } else { try measured.measure(fetch) }
                measured.sum = sum
            }
        }
        return measured
    }

    /// A database with a write-ahead log that waits for the disk, as SwiftData's is.
    private func withDatabase<Value: Record>(_ type: Value.Type, _ body: (DatabasePool) throws -> Void) throws {
        let url = folder.appendingPathComponent("grdb.sqlite")
        var configuration = Configuration()
        configuration.prepareDatabase { try $0.execute(sql: "PRAGMA synchronous = FULL") }
        defer {
            for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: url.path + suffix) }
        }
        let database = try DatabasePool(path: url.path, configuration: configuration)
        try database.write { try $0.execute(sql: type.definition) }
        try body(database)
        try database.close()
    }
}

/// A record that knows its table.
protocol Tabled {
    static var definition: String { get }
}
