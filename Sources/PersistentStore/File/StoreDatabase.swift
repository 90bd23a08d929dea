import CSQLite
import Foundation
import SQL

/// The connections to one file: one that writes, and as many that read as threads want at once. In memory, and inside a
/// migration, one connection does both.
final class StoreDatabase: @unchecked Sendable {  // what changes is used under the locks beside it
    let path: String
    private let options: PersistentStoreOptions
    private let externalFiles: ExternalFiles
    /// Held by the thread that writes; with one connection also by the one that reads. The same thread may take it again.
    private let writing = NSRecursiveLock()
    private var writer: StoreSession?
    private var depth = 0
    /// Whether the transaction belongs to somebody else: writes are parts of it.
    private let isNested: Bool
    private let isShared: Bool

    private let state = NSLock()
    private var idle: [StoreSession] = []
    private var readers = 0
    private var isClosed = false
    private var afterReaders: [@Sendable () -> Void] = []

    /// - Parameters:
    ///   - isShared: reads use the writing connection too.
    ///   - isNested: the session is in a transaction that ends elsewhere.
    init(
        writer: StoreSession?, path: String, options: PersistentStoreOptions, externalFiles: ExternalFiles,
        isShared: Bool, isNested: Bool = false
    ) {
        self.writer = writer
        self.path = path
        self.options = options
        self.externalFiles = externalFiles
        self.isShared = isShared
        self.isNested = isNested
    }

    // MARK: - Reading

    func read<Result>(_ body: (StoreSession) throws -> Result) throws -> Result {
        if isShared {
            writing.lock()
            defer { writing.unlock() }
            guard let writer else { throw PersistentStoreError.closed }
            return try body(writer)
        }
        let session = try takeReader()
        defer { giveBack(session) }
        try session.run("BEGIN")
        defer { try? session.run("COMMIT") }
        return try body(session)
    }

    private func takeReader() throws -> StoreSession {
        let known: StoreSession? = try state.withLock {
            guard !isClosed else { throw PersistentStoreError.closed }
            readers += 1
            return idle.popLast()
        }
        if let known { return known }
        do throws(PersistentStoreError) {
            return try Self.open(path, options, externalFiles, forReading: true)
        } catch {
            readerEnded()
            throw error
        }
    }

    private func giveBack(_ session: StoreSession) {
        // A cursor that was kept beyond its reading would go on under the next reader.
        let isReusable = session.openCursors == 0 && session.connection.handle.map { sqlite3_get_autocommit($0) } == 1
        state.withLock {
            if isReusable, !isClosed, idle.count < 8 { idle.append(session) }
        }
        readerEnded()
    }

    private func readerEnded() {
        let work = state.withLock {
            readers -= 1
            guard readers == 0 else { return [] as [@Sendable () -> Void] }
            defer { afterReaders = [] }
            return afterReaders
        }
        for each in work { each() }
    }

    /// Runs the work when no reader of this process sees the state before the last commit.
    func whenNoReaderIsOlder(_ work: @escaping @Sendable () -> Void) {
        let isNow = state.withLock {
            if readers == 0 { return true }
            afterReaders.append(work)
            return false
        }
        if isNow { work() }
    }

    // MARK: - Writing

    /// Runs the body in a transaction, which the body itself commits by `commit`; rolls back what it throws out of.
    func write<Result>(_ body: (StoreSession) throws -> Result) throws -> Result {
        writing.lock()
        defer { writing.unlock() }
        guard let writer else { throw PersistentStoreError.closed }
        guard depth == 0 else {
            throw PersistentStoreError.database("a write inside another write of the same store")
        }
        depth += 1
        defer { depth -= 1 }
        try begin(writer)
        do {
            return try body(writer)
        } catch {
            if isNested {
                try? writer.execute("ROLLBACK TO stage; RELEASE stage")
            } else if writer.connection.isInTransaction {
                try? writer.execute("ROLLBACK")
            }
            throw error
        }
    }

    private func begin(_ session: StoreSession) throws(PersistentStoreError) {
        guard !isNested else { return try session.execute("SAVEPOINT stage") }
        try Self.beginImmediately(session, timeout: options.lockTimeout)
    }

    /// Waits for its turn as long as it takes: other processes write for moments.
    static func beginImmediately(
        _ session: StoreSession, timeout: TimeInterval
    ) throws(PersistentStoreError) {
        let statement = try session.take("BEGIN IMMEDIATE")
        defer { session.release(statement, "BEGIN IMMEDIATE") }
        let start = Date()
        while true {
            do throws(SQLError) {
                return try statement.run()
            } catch {
                let waited = Date().timeIntervalSince(start)
                guard error.code == .busy, waited < timeout else {
                    throw PersistentStoreError(error, path: session.path, waited: waited)
                }
            }
        }
    }

    func commit(_ session: StoreSession) throws(PersistentStoreError) {
        guard !isNested else { return try session.execute("RELEASE stage") }
        let statement = try session.take("COMMIT")
        defer { session.release(statement, "COMMIT") }
        do throws(SQLError) {
            try session.connection.allowingCommit { () throws(SQLError) in try statement.run() }
        } catch {
            throw session.failure(error)
        }
    }

    func close() {
        writing.lock()
        let writer = self.writer
        self.writer = nil
        writing.unlock()
        let sessions = state.withLock {
            isClosed = true
            defer { idle = [] }
            return idle
        }
        guard !isNested else { return }
        for session in sessions + (writer.map { [$0] } ?? []) {
            session.forgetStatements()
            session.connection.close()
        }
    }

    // MARK: - Opening

    /// One more connection to a file that exists, or to a new database in memory.
    static func open(
        _ path: String, _ options: PersistentStoreOptions, _ externalFiles: ExternalFiles, forReading: Bool
    ) throws(PersistentStoreError) -> StoreSession {
        let isMemory = path == ":memory:"
        var sqlite = SQLiteOptions(
            synchronous: options.synchronous, writeAheadLog: !isMemory && !options.isReadOnly && !forReading,
            cacheKilobytes: forReading ? 4000 : 8000, mappedBytes: isMemory ? 0 : 256 << 20,
            creates: !forReading && !options.isReadOnly,
            fileSystem: options.fileSystem)
        sqlite.readOnly = options.isReadOnly
        if options.fileSystem != nil { sqlite.mappedBytes = 0 }
        let start = Date()
        var place = path
        while true {
            do throws(SQLError) {
                let connection = try SQLiteConnection(path: place, options: sqlite)
                if options.isReadOnly {
                    // A file with a log needs a writable folder, unless SQLite is told that nobody writes.
                    do throws(SQLError) {
                        try connection.execute("SELECT COUNT(*) FROM sqlite_master")
                    } catch {
                        guard error.code == .unavailable, place == path else { throw error }
                        let url = URL(fileURLWithPath: path).absoluteString
                        place = "file:" + url.dropFirst("file://".count) + "?immutable=1"
                        continue
                    }
                }
                return StoreSession(connection, path: path, externalFiles: externalFiles)
            } catch {
                // Another process is making the file, or restoring it after a crash.
                let waited = Date().timeIntervalSince(start)
                guard error.code == .busy, waited < options.lockTimeout else {
                    throw PersistentStoreError(error, path: path, waited: waited)
                }
                Thread.sleep(forTimeInterval: 0.005)
            }
        }
    }
}
