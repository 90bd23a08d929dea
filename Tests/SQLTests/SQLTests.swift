import Foundation
import PostgresSQL
import SQL
import Testing
import ThrowawayPostgres

/// One text, the same results: what the layer promises about both engines.
@Suite("One SQL text serves SQLite and PostgreSQL")
struct SQLTests {
    enum Engine: String, CaseIterable, CustomTestStringConvertible {
        case sqlite, postgres

        var testDescription: String { rawValue }

        func connect() throws -> any Connection {
            switch self {
            case .sqlite: try SQLiteConnection(path: ":memory:", options: SQLiteOptions(writeAheadLog: false))
            case .postgres: try PostgresConnection(ThrowawayPostgres.shared().makeDatabase())
            }
        }
    }

    private func table(_ engine: Engine) throws -> any Connection {
        let connection = try engine.connect()
        let dialect = connection.dialect
        try connection.execute(
            """
            CREATE TABLE thing (id BIGINT PRIMARY KEY, name \(dialect.text), body \(dialect.blob),
                size \(dialect == .sqlite ? "REAL" : "DOUBLE PRECISION"))
            """)
        return connection
    }

    private func insert(_ connection: any Connection) throws -> any Statement {
        try connection.prepare("INSERT INTO thing (id, name, body, size) VALUES (?1, ?2, ?3, ?4)")
    }

    @Test("Every kind of value comes back as it was bound", arguments: Engine.allCases)
    func values(engine: Engine) throws {
        let connection = try table(engine)
        defer { connection.close() }
        let insert = try insert(connection)
        let numbers: [Int64] = [.min, -1, 0, 1, .max]
        let texts = ["", "plain", "it's \"?1\" $1", "e\u{301} 🌱", String(repeating: "x", count: 100_000)]
        let blobs: [[UInt8]] = [[], [0], [0, 255, 0], Array(0...255), Array(repeating: 1, count: 300_000)]
        let sizes = [0, -0.5, .infinity, .leastNonzeroMagnitude, 1e300]
        for index in numbers.indices {
            insert.bind(1, numbers[index])
            insert.bind(2, texts[index])
            insert.bind(3, blobs[index])
            insert.bind(4, sizes[index])
            try insert.run()
            #expect(insert.changes == 1)
        }
        let select = try connection.prepare("SELECT id, name, body, size FROM thing ORDER BY id")
        for index in numbers.indices {
            #expect(try select.step())
            #expect(select.int64(0) == numbers[index])
            #expect(select.text(1) == texts[index])
            #expect(select.blob(2) == blobs[index])
            #expect(select.withBlob(2) { $0.elementsEqual(blobs[index]) })
            #expect(select.double(3) == sizes[index])
            #expect(!select.isNull(1) && !select.isNull(2))
        }
        #expect(try !select.step())
    }

    @Test("Nothing is nothing, and differs from empty", arguments: Engine.allCases)
    func null(engine: Engine) throws {
        let connection = try table(engine)
        defer { connection.close() }
        let insert = try insert(connection)
        insert.bind(1, 1 as Int64)
        insert.bind(2, nil as String?)
        insert.bindNull(3)
        insert.bindNull(4)
        try insert.run()
        let select = try connection.prepare("SELECT name, body, size FROM thing WHERE name IS NULL AND body IS NULL")
        #expect(try select.step())
        #expect(select.isNull(0) && select.isNull(1) && select.isNull(2))
        #expect(select.optionalText(0) == nil)
        #expect(select.text(0).isEmpty && select.blob(1).isEmpty && select.int64(2) == 0)
    }

    @Test("Text and bytes are ordered by their bytes", arguments: Engine.allCases)
    func order(engine: Engine) throws {
        let connection = try table(engine)
        defer { connection.close() }
        let insert = try insert(connection)
        let texts = ["Z", "_", "a", "a b", "aa", "é", "🌱"]
        for (index, text) in texts.enumerated().reversed() {
            insert.bind(1, Int64(index))
            insert.bind(2, text)
            insert.bind(3, Array(text.utf8))
            insert.bindNull(4)
            try insert.run()
        }
        for column in ["name", "body"] {
            let select = try connection.prepare("SELECT name FROM thing ORDER BY \(column)")
            var found: [String] = []
            while try select.step() { found.append(select.text(0)) }
            #expect(found == texts)
        }
    }

    @Test("A statement can be run again with other values, and tells what it changed", arguments: Engine.allCases)
    func again(engine: Engine) throws {
        let connection = try table(engine)
        defer { connection.close() }
        let insert = try insert(connection)
        for index in Int64(1)...10 {
            insert.bind(1, index)
            insert.bind(2, "n\(index)")
            insert.bindNull(3)
            insert.bindNull(4)
            try insert.run()
        }
        let update = try connection.prepare("UPDATE thing SET name = ?2 WHERE id > ?1")
        for bound in [Int64(7), 20] {
            update.bind(1, bound)
            update.bind(2, "x")
            try update.run()
            #expect(update.changes == (bound == 7 ? 3 : 0))
        }
        #expect(!update.isActive)
    }

    @Test("A broken rule is a typed error, and the statement works afterwards", arguments: Engine.allCases)
    func constraint(engine: Engine) throws {
        let connection = try table(engine)
        defer { connection.close() }
        let insert = try insert(connection)
        func add() throws(SQLError) {
            insert.bind(1, 1 as Int64)
            insert.bind(2, "n")
            insert.bindNull(3)
            insert.bindNull(4)
            try insert.run()
        }
        try add()
        let error = #expect(throws: SQLError.self) { try add() }
        #expect(error?.code == .constraint)
        try connection.execute("DELETE FROM thing")
        try add()
    }

    @Test("What an engine says of a broken rule holds no values of rows: it ends in logs", arguments: Engine.allCases)
    func discretion(engine: Engine) throws {
        let connection = try table(engine)
        defer { connection.close() }
        try connection.execute(
            "CREATE TABLE secret (id BIGINT PRIMARY KEY, word \(connection.dialect.text) NOT NULL UNIQUE)")
        try connection.execute("INSERT INTO secret VALUES (1, 'xyzzy')")
        for rows in ["(2, 'xyzzy')", "(77077, NULL)"] {
            let error = #expect(throws: SQLError.self) { try connection.execute("INSERT INTO secret VALUES \(rows)") }
            #expect(error?.code == .constraint)
            #expect(error?.message.contains("xyzzy") == false && error?.message.contains("77077") == false)
        }
    }

    @Test("A wrong text is an error, not a crash", arguments: Engine.allCases)
    func wrong(engine: Engine) throws {
        let connection = try engine.connect()
        defer { connection.close() }
        #expect(throws: SQLError.self) { try connection.prepare("SELEC 1") }
        #expect(throws: SQLError.self) { try connection.execute("DROP TABLE nothing") }
        #expect(connection.isUsable)
    }

    @Test(
        "A query's statement is kept, and a second one serves while it is in the middle of its rows",
        arguments: Engine.allCases)
    func prepared(engine: Engine) throws {
        let connection = try engine.connect()
        defer { connection.close() }
        let query = PreparedQuery(connection, "SELECT CAST(1 AS BIGINT)")
        let first = try query.take()
        #expect(try first.step())
        let second = try query.take()
        #expect(first !== second)
        first.reset()
        #expect(try query.take() === first)
    }

    @Test("What cannot be reached is unavailable")
    func unavailable() throws {
        let file = #expect(throws: SQLError.self) { try SQLiteConnection(path: "/nowhere/at/all.sqlite") }
        #expect(file?.code == .unavailable)
        let server = #expect(throws: SQLError.self) { try PostgresConnection("host=/nowhere dbname=x") }
        #expect(server?.code == .unavailable)
    }

    @Test("A lock that another holds is busy")
    func busy() throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("busy-\(UUID().uuidString).sqlite")
            .path
        defer { for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: file + end) } }
        let one = try SQLiteConnection(path: file)
        let two = try SQLiteConnection(path: file, options: SQLiteOptions(busyMilliseconds: 1))
        try one.execute("BEGIN IMMEDIATE")
        let error = #expect(throws: SQLError.self) { try two.execute("BEGIN IMMEDIATE") }
        #expect(error?.code == .busy)
    }

    @Test("Two transactions that wait for each other: one is told to give way")
    func deadlock() throws {
        let database = try ThrowawayPostgres.shared().makeDatabase()
        let one = try PostgresConnection(database)
        try one.execute(
            "CREATE TABLE t (id BIGINT PRIMARY KEY); INSERT INTO t VALUES (1), (2); SET deadlock_timeout = '10ms'")
        let two = try PostgresConnection(database)
        try two.execute("SET deadlock_timeout = '10ms'; BEGIN; SELECT * FROM t WHERE id = 2 FOR UPDATE")
        try one.execute("BEGIN; SELECT * FROM t WHERE id = 1 FOR UPDATE")
        let box = Unchecked(two)
        let thread = Thread {
            box.outcome = Result { try box.connection.execute("SELECT * FROM t WHERE id = 1 FOR UPDATE") }
        }
        thread.start()
        let first = Result { try one.execute("SELECT * FROM t WHERE id = 2 FOR UPDATE") }
        if case .failure = first { try one.execute("ROLLBACK") }
        while !thread.isFinished { usleep(1_000) }
        let outcomes = [first, try #require(box.outcome)]
        let codes = outcomes.compactMap { outcome -> SQLError.Code? in
            if case .failure(let error) = outcome { (error as? SQLError)?.code } else { nil }
        }
        #expect(codes == [.busy])
    }
}

/// Handed to one thread, and looked at after it has ended.
private final class Unchecked: @unchecked Sendable {
    let connection: PostgresConnection
    var outcome: Result<Void, any Error>?

    init(_ connection: PostgresConnection) { self.connection = connection }
}
