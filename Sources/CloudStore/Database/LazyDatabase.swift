/// A file that is opened when it is used, and closed when it is idle and others need its place.
final class LazyDatabase<Session: StoreSession>: Database, @unchecked Sendable {  // what changes is inside `condition`
    private let path: String
    private let place: String
    private let tables: TableSet
    private let options: StoreOptions
    private let openFiles: OpenFiles
    private let condition = Condition()
    private var database: SQLiteDatabase<Session>?
    private var users = 0
    private var isClosed = false

    init(path: String, place: String, tables: TableSet, options: StoreOptions, openFiles: OpenFiles) {
        self.path = path
        self.place = place
        self.tables = tables
        self.options = options
        self.openFiles = openFiles
    }

    /// Opens the file now, so that what is wrong with it is told to whoever asked for it.
    func open() throws(StoreError) {
        _ = try acquire()
        release()
    }

    func read<Value>(_ body: (Session) throws -> Value) throws -> Value {
        let database = try acquire()
        defer { release() }
        return try database.read(body)
    }

    func enqueue(_ job: WriteJob<Session>) {
        do {
            let database = try acquire()
            job.whenFinished = { self.release() }
            database.enqueue(job)
        } catch {
            job.finish(error)
        }
    }

    func copy(to path: String) throws(StoreError) {
        let database = try acquire()
        defer { release() }
        try database.copy(to: path)
    }

    private func acquire() throws(StoreError) -> SQLiteDatabase<Session> {
        try condition.locked { () throws(StoreError) in
            if isClosed { throw StoreError(.unavailable, "\(place) is closed.") }
            users += 1
            if let database { return database }
            do throws(StoreError) {
                openFiles.makeRoom(for: self)
                let opened = try SQLiteDatabase<Session>(
                    path: path, place: place, isInMemory: false, tables: tables, options: options)
                database = opened
                return opened
            } catch {
                users -= 1
                openFiles.forget(self)
                throw error
            }
        }
    }

    private func release() {
        condition.locked { users -= 1 }
        openFiles.touch(self)
    }

    func close() {
        let closing: SQLiteDatabase<Session>? = condition.locked {
            isClosed = true
            defer { database = nil }
            return database
        }
        closing?.close()
        openFiles.forget(self)
    }
}

extension LazyDatabase: OpenFile {
    /// False when somebody uses the file right now.
    func closeIfIdle() -> Bool {
        let closed = condition.lockedIfFree {
            if users > 0 { return false }
            database?.close()
            database = nil
            return true
        }
        return closed ?? false
    }
}
