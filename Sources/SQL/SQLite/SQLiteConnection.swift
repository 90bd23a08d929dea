import CSQLite

/// A connection to a SQLite file or to a named database in memory.
package final class SQLiteConnection: Connection {
    /// SQLite's own connection, for what this layer does not wrap; nil once it is closed.
    package private(set) var handle: OpaquePointer?
    /// 1 when a commit may pass; nil when nobody guards them.
    private var commitGuard: UnsafeMutablePointer<Int32>?
    package let dialect = Dialect.sqlite

    /// SQLite counts every allocation under one lock of the whole process unless it is told not to before its first use;
    /// nobody reads the counts, and reader threads met at that lock.
    private static let configured = csqlite_omit_memory_statistics()

    /// - Parameter path: a file's path, or a `file:` URI.
    package init(path: String, options: SQLiteOptions = SQLiteOptions()) throws(SQLError) {
        _ = Self.configured
        // The connection is used by one thread at a time, so SQLite's own lock around every call is not needed.
        var flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI
        flags |= options.readOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE
        if options.creates { flags |= SQLITE_OPEN_CREATE }
        let result = sqlite3_open_v2(path, &handle, flags, options.fileSystem)
        guard result == SQLITE_OK else {
            let error = Self.error(result, handle)
            sqlite3_close_v2(handle)
            handle = nil
            throw error
        }
        sqlite3_extended_result_codes(handle, 1)
        sqlite3_busy_timeout(handle, options.busyMilliseconds)
        do {
            if options.writeAheadLog { try execute("PRAGMA journal_mode = WAL") }
            try execute(
                """
                PRAGMA synchronous = \(options.synchronous.rawValue);
                PRAGMA foreign_keys = OFF;
                PRAGMA cache_size = \(-options.cacheKilobytes);
                PRAGMA mmap_size = \(options.mappedBytes);
                PRAGMA wal_autocheckpoint = \(options.checkpointPages);
                PRAGMA journal_size_limit = \(options.checkpointPages * 8192);
                PRAGMA temp_store = MEMORY
                """)
        } catch {
            close()
            throw error
        }
    }

    deinit {
        close()
        commitGuard?.deallocate()
    }

    package var isUsable: Bool { handle != nil }

    package func prepare(_ sql: String) throws(SQLError) -> any Statement {
        try prepareStatement(sql)
    }

    package func prepareStatement(_ sql: String) throws(SQLError) -> SQLiteStatement {
        var statement: OpaquePointer?
        var sql = sql
        let result = sql.withUTF8 { text in
            text.withMemoryRebound(to: CChar.self) { text in
                sqlite3_prepare_v3(
                    handle, text.baseAddress, Int32(clamping: text.count), UInt32(SQLITE_PREPARE_PERSISTENT),
                    &statement, nil)
            }
        }
        guard result == SQLITE_OK, let statement else { throw failure(result) }
        return SQLiteStatement(statement, of: self)
    }

    package func execute(_ sql: String) throws(SQLError) {
        let result = sqlite3_exec(handle, sql, nil, nil, nil)
        guard result == SQLITE_OK else { throw failure(result) }
    }

    /// Whether a transaction is open. Some failures (a full disk) end it without being asked.
    package var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

    /// From now on nothing is committed but inside `allowingCommit`.
    ///
    /// When the disk is full SQLite ends the transaction, and a statement that follows would be a transaction of its own: half
    /// of a request could be kept.
    package func guardCommits() {
        guard commitGuard == nil else { return }
        let allowed = UnsafeMutablePointer<Int32>.allocate(capacity: 1)
        allowed.initialize(to: 0)
        commitGuard = allowed
        sqlite3_commit_hook(handle, { $0?.load(as: Int32.self) == 1 ? 0 : 1 }, allowed)
    }

    package func allowingCommit(_ body: () throws(SQLError) -> Void) throws(SQLError) {
        commitGuard?.pointee = 1
        defer { commitGuard?.pointee = 0 }
        try body()
    }

    /// Pages in the write-ahead log after this connection's last commit, once `takeOverCheckpoints` was called; else 0.
    package private(set) var logPages = 0

    /// From now on no commit of this connection writes the log back into the file; the caller sees to it.
    package func takeOverCheckpoints() {
        sqlite3_wal_hook(
            handle,
            { context, _, _, pages in
                if let context {
                    // Alive: the hook is called inside a statement of this connection.
                    Unmanaged<SQLiteConnection>.fromOpaque(context).takeUnretainedValue().logPages = Int(pages)
                }
                return SQLITE_OK
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    /// Writes the log back into the file as far as readers allow, without waiting for anybody. When all of it is, the next
    /// commit begins a new one.
    package func checkpoint() throws(SQLError) {
        let result = sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_PASSIVE, nil, nil)
        // Busy: another connection is at it.
        guard result == SQLITE_OK || result & 0xff == SQLITE_BUSY else { throw failure(result) }
    }

    var changes: Int { Int(sqlite3_changes64(handle)) }

    /// Gives back what the page cache does not need now.
    package func releaseMemory() {
        sqlite3_db_release_memory(handle)
    }

    package func close() {
        // Statements that are still alive keep the file open until they go.
        sqlite3_close_v2(handle)
        handle = nil
    }

    /// What the connection's last call that gave this result says.
    package func failure(_ result: Int32) -> SQLError { Self.error(result, handle) }

    private static func error(_ result: Int32, _ handle: OpaquePointer?) -> SQLError {
        let words = handle.map { String(cString: sqlite3_errmsg($0)) } ?? String(cString: sqlite3_errstr(result))
        let code: SQLError.Code =
            switch result & 0xff {
            case SQLITE_BUSY, SQLITE_LOCKED: .busy
            case SQLITE_FULL: .full
            case SQLITE_CONSTRAINT: .constraint
            case SQLITE_CORRUPT, SQLITE_NOTADB: .corrupt
            case SQLITE_CANTOPEN, SQLITE_IOERR, SQLITE_READONLY, SQLITE_PERM, SQLITE_NOMEM, SQLITE_PROTOCOL:
                .unavailable
            case SQLITE_TOOBIG: .tooLarge
            default: .other
            }
        return SQLError(code, words, engineCode: "SQLite \(result)")
    }
}
