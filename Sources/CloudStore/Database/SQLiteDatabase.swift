import SQL

/// One SQLite file (or database in memory): a writer and a pool of readers.
// @unchecked Sendable: what changes is inside `condition`.
final class SQLiteDatabase<Session: StoreSession>: Database, @unchecked Sendable {
    private let path: String
    private let place: String
    private let options: StoreOptions
    private let isInMemory: Bool
    /// nil once closed. Used by the writer thread alone (inline: by whoever set `isWriting`).
    private var writer: Session?
    /// nil where a commit writes the log back itself.
    private var checkpoint: LogCheckpoint?
    private let gate: ReadWriteGate?
    private let condition = Condition()
    private var idleReaders: [Session] = []
    private var waiting: [WriteJob<Session>] = []
    private var thread: StoreThread?
    private var isClosing = false
    /// Inline execution: a writer is at work.
    private var isWriting = false

    /// Opens the file, makes or checks its tables, and starts nothing yet.
    ///
    /// - Parameter place: the file's name for messages.
    init(path: String, place: String, isInMemory: Bool, tables: TableSet, options: StoreOptions) throws(StoreError) {
        self.path = path
        self.place = place
        self.isInMemory = isInMemory
        self.options = options
        gate = isInMemory ? ReadWriteGate() : nil
        let writer = try Self.open(path, place, isInMemory, cacheKilobytes: 8000, options)
        try tables.prepare(writer)
        (writer.connection as? SQLiteConnection)?.guardCommits()
        self.writer = writer
        if !isInMemory, options.execution == .threads, let connection = writer.connection as? SQLiteConnection {
            let sqlite = Self.sqliteOptions(isInMemory, cacheKilobytes: 500, options)
            checkpoint = LogCheckpoint(of: connection) { try SQLiteConnection(path: path, options: sqlite) }
        }
    }

    private static func sqliteOptions(
        _ isInMemory: Bool, cacheKilobytes: Int, _ options: StoreOptions
    ) -> SQLiteOptions {
        SQLiteOptions(
            synchronous: options.synchronous, writeAheadLog: !isInMemory, cacheKilobytes: cacheKilobytes,
            fileSystem: isInMemory ? nil : options.fileSystem)
    }

    private static func open(
        _ path: String, _ place: String, _ isInMemory: Bool, cacheKilobytes: Int, _ options: StoreOptions
    ) throws(StoreError) -> Session {
        do {
            let connection = try SQLiteConnection(
                path: path, options: sqliteOptions(isInMemory, cacheKilobytes: cacheKilobytes, options))
            return Session(SessionContext(connection: connection, place: place, now: options.now))
        } catch {
            throw StoreError(error, in: place)
        }
    }

    // MARK: - Reading

    func read<Value>(_ body: (Session) throws -> Value) throws -> Value {
        if let gate { return try gate.reading { try readSnapshot(body) } }
        return try readSnapshot(body)
    }

    private func readSnapshot<Value>(_ body: (Session) throws -> Value) throws -> Value {
        let session = try takeReader()
        do {
            try session.beginRead()
        } catch {
            throw session.failed(error)  // the session is dropped: its state is not known
        }
        defer {
            session.rollback()
            keep(session)
        }
        return try body(session)
    }

    private func takeReader() throws(StoreError) -> Session {
        let kept = try condition.locked { () throws(StoreError) in
            if isClosing { throw closed }
            return idleReaders.popLast()
        }
        if let kept { return kept }
        return try Self.open(path, place, isInMemory, cacheKilobytes: 4000, options)
    }

    private func keep(_ session: Session) {
        session.forget()
        condition.locked {
            if !isClosing, idleReaders.count < options.keptReaders { idleReaders.append(session) }
        }
    }

    // MARK: - Writing

    func enqueue(_ job: WriteJob<Session>) {
        if options.execution == .inline { return runInline(job) }
        let isRefused = condition.locked {
            if isClosing { return true }
            waiting.append(job)
            if thread == nil { thread = StoreThread { self.writeLoop() } }
            condition.signal()
            return false
        }
        if isRefused { job.finish(closed) }
    }

    /// The thread keeps the database alive until `close()`.
    private func writeLoop() {
        guard let writer else { return }
        let group = GroupCommit(session: writer, options: options)
        let connection = writer.connection as? SQLiteConnection
        while let jobs = nextGroup() {
            let taken =
                if let gate {
                    // Completions run outside the gate: they may read.
                    finish(jobs, gate.writing { group.apply(jobs[...]) })
                } else {
                    group.run(jobs[...])
                }
            if taken < jobs.count {
                condition.locked { waiting.insert(contentsOf: jobs[taken...], at: 0) }
            }
            if let checkpoint, let connection { checkpoint.committed(connection) }
        }
    }

    /// nil when there is nothing more to do, ever.
    private func nextGroup() -> [WriteJob<Session>]? {
        condition.locked {
            var isShrunk = false
            while waiting.isEmpty {
                if isClosing { return nil }
                if isShrunk {
                    condition.wait()
                } else {
                    isShrunk = !condition.wait(milliseconds: 10_000)
                    if isShrunk, waiting.isEmpty { shrink() }
                }
            }
            if waiting.count <= options.groupRequests {
                defer { waiting = [] }
                return waiting
            }
            defer { waiting.removeFirst(options.groupRequests) }
            return Array(waiting.prefix(options.groupRequests))
        }
    }

    /// Gives the memory of the caches back after nobody wrote for a while. Inside the lock, on the writer's thread.
    private func shrink() {
        idleReaders = []
        (writer?.connection as? SQLiteConnection)?.releaseMemory()
    }

    private func runInline(_ job: WriteJob<Session>) {
        let isRefused = condition.locked {
            while isWriting { condition.wait() }
            if isClosing { return true }
            isWriting = true
            return false
        }
        if isRefused { return job.finish(closed) }
        guard let writer else { return job.finish(closed) }
        let group = GroupCommit(session: writer, options: options)
        let outcome = gate.map { gate in gate.writing { group.apply([job]) } } ?? group.apply([job])
        condition.locked {
            isWriting = false
            condition.broadcast()
        }
        _ = finish([job], outcome)
    }

    private func finish(_ jobs: [WriteJob<Session>], _ outcome: (taken: Int, failure: StoreError?)) -> Int {
        for job in jobs.prefix(outcome.taken) { job.finish(outcome.failure) }
        return outcome.taken
    }

    // MARK: - Whole files

    func copy(to path: String) throws(StoreError) {
        let quoted = path.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''")
        try outsideTransaction("VACUUM INTO '\(quoted)'") { _ in }
    }

    /// Reads the whole file.
    ///
    /// - Throws: `.corrupt` when it is damaged.
    func check() throws(StoreError) {
        var findings: [String] = []
        try outsideTransaction("PRAGMA integrity_check(5)") { findings.append($0.text(0)) }
        if findings != ["ok"] {
            throw StoreError(
                .corrupt, "\(place) is damaged: \(findings.joined(separator: "; ")). Restore it from another backup.")
        }
    }

    private func outsideTransaction(_ sql: String, _ row: (any Statement) -> Void) throws(StoreError) {
        let session = try takeReader()
        defer { keep(session) }
        func run() throws(SQLError) {
            let statement = try session.connection.prepare(sql)
            defer { statement.reset() }
            while try statement.step() { row(statement) }
        }
        do throws(SQLError) {
            if let gate { try gate.reading(run) } else { try run() }
        } catch { throw session.failed(error) }
    }

    // MARK: - Closing

    private var closed: StoreError { StoreError(.unavailable, "\(place) is closed.") }

    func close() {
        let thread: StoreThread? = condition.locked {
            isClosing = true
            idleReaders = []
            condition.broadcast()
            defer { self.thread = nil }
            return self.thread
        }
        thread?.join()
        checkpoint?.close()
        // The last statement of the last connection to go writes the log back into the file.
        condition.locked { writer = nil }
    }
}
