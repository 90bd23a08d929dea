import Glibc
import PostgresSQL
import SQL

/// The connections of one kind of session to a PostgreSQL server, shared by all tenants.
final class PostgresPool<Session: StoreSession>: @unchecked Sendable {  // what changes is inside `condition`
    let connection: String
    let place: String
    let options: StoreOptions
    private let condition = Condition()
    private var idle: [Session] = []
    private var inUse = 0
    private let limit: Int
    private var isClosed = false

    init(connection: String, place: String, limit: Int, options: StoreOptions) {
        self.connection = connection
        self.place = place
        self.limit = max(limit, 1)
        self.options = options
    }

    /// A session for one transaction; waits when all are in use.
    func take(tenant: Int64) throws(StoreError) -> Session {
        let kept: Session? = try condition.locked { () throws(StoreError) in
            while true {
                if isClosed { throw StoreError(.unavailable, "\(place) is closed.") }
                if inUse < limit { break }
                condition.wait()
            }
            inUse += 1
            return idle.popLast()
        }
        do throws(StoreError) {
            let session = if let kept { kept } else { try open() }
            session.tenant = tenant
            return session
        } catch {
            condition.locked {
                inUse -= 1
                condition.signal()
            }
            throw error
        }
    }

    func give(_ session: Session) {
        session.forget()
        condition.locked {
            inUse -= 1
            if !isClosed, session.connection.isUsable, !session.isInTransaction {
                idle.append(session)
            } else {
                session.connection.close()
            }
            condition.broadcast()
        }
    }

    private func open() throws(StoreError) -> Session {
        do {
            let connection = try PostgresConnection(connection)
            return Session(SessionContext(connection: connection, place: place, now: options.now))
        } catch { throw StoreError(error, in: place) }
    }

    /// Waits for sessions in use, then closes all.
    func close() {
        condition.locked {
            isClosed = true
            condition.broadcast()
            while inUse > 0 { condition.wait() }
            for session in idle { session.connection.close() }
            idle = []
        }
    }
}

/// Threads that each carry one request at a time to PostgreSQL, which groups their commits by itself.
final class PostgresWriters<Session: StoreSession>: @unchecked Sendable {  // what changes is inside `condition`
    private let pool: PostgresPool<Session>
    private let options: StoreOptions
    private let condition = Condition()
    private var waiting: [(tenant: Int64, job: WriteJob<Session>)] = []
    private var threads: [StoreThread] = []
    private var idle = 0
    private var isClosing = false

    init(pool: PostgresPool<Session>, options: StoreOptions) {
        self.pool = pool
        self.options = options
    }

    func enqueue(_ job: WriteJob<Session>, tenant: Int64) {
        if options.execution == .inline { return run(job, tenant) }
        let isRefused = condition.locked {
            if isClosing { return true }
            waiting.append((tenant, job))
            if idle < waiting.count, threads.count < options.postgresWriters {
                threads.append(StoreThread { self.writeLoop() })
            }
            condition.signal()
            return false
        }
        if isRefused { job.finish(StoreError(.unavailable, "\(pool.place) is closed.")) }
    }

    private func writeLoop() {
        while let next = next() { run(next.job, next.tenant) }
    }

    private func next() -> (tenant: Int64, job: WriteJob<Session>)? {
        condition.locked {
            idle += 1
            defer { idle -= 1 }
            while waiting.isEmpty {
                if isClosing { return nil }
                condition.wait()
            }
            return waiting.removeFirst()
        }
    }

    /// Runs a request in a transaction of its own, again when the engine made it give way or another was first with the same row.
    private func run(_ job: WriteJob<Session>, _ tenant: Int64) {
        let attempts = 8
        var constraints = 0
        for attempt in 1...attempts {
            let session: Session
            do { session = try pool.take(tenant: tenant) } catch { return job.finish(error) }
            let (failure, mayRetry) = Self.transaction(job, session)
            pool.give(session)
            // A broken rule that breaks again is the request's own.
            if job.refusal == .constraint { constraints += 1 }
            guard mayRetry, attempt < attempts, constraints < 3 else { return job.finish(failure) }
            // Two that collided should not collide again in step.
            usleep(UInt32.random(in: 0..<500) << UInt32(attempt))
        }
    }

    private static func transaction(_ job: WriteJob<Session>, _ session: Session) -> (
        failure: StoreError?, mayRetry: Bool
    ) {
        do { try session.beginWrite() } catch {
            // A kept connection that its server has closed meanwhile; nothing was done with it.
            return (session.failed(error), !session.connection.isUsable)
        }
        if let refusal = job.run(session) {
            session.rollback()
            let kind = (refusal as? StoreError)?.kind
            return (nil, session.connection.isUsable && (kind == .busy || kind == .constraint))
        }
        do {
            try session.commit()
            return (nil, false)
        } catch {
            session.rollback()
            return (session.failed(error), error.code == .busy)
        }
    }

    func close() {
        let joining: [StoreThread] = condition.locked {
            isClosing = true
            condition.broadcast()
            defer { threads = [] }
            return threads
        }
        for thread in joining { thread.join() }
    }
}

/// A tenant of a PostgreSQL database.
final class PostgresDatabase<Session: StoreSession>: Database, Sendable {
    private let tenant: Int64
    private let readers: PostgresPool<Session>
    private let writers: PostgresWriters<Session>

    init(tenant: Int64, readers: PostgresPool<Session>, writers: PostgresWriters<Session>) {
        self.tenant = tenant
        self.readers = readers
        self.writers = writers
    }

    func read<Value>(_ body: (Session) throws -> Value) throws -> Value {
        let session = try readers.take(tenant: tenant)
        defer {
            session.rollback()
            readers.give(session)
        }
        do { try session.beginRead() } catch { throw session.failed(error) }
        return try body(session)
    }

    func enqueue(_ job: WriteJob<Session>) {
        writers.enqueue(job, tenant: tenant)
    }

    func copy(to path: String) throws(StoreError) { throw PostgresBackend.copiesElsewhere }

    /// The pools are shared; `CloudStore` closes them.
    func close() {}
}
