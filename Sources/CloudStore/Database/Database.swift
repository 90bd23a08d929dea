/// A file or database with its pool of readers and its way to write.
protocol Database<Session>: AnyObject, Sendable {
    associatedtype Session: StoreSession

    /// Runs the body on the caller's thread in one consistent snapshot.
    func read<Value>(_ body: (Session) throws -> Value) throws -> Value

    /// Queues a request; its completion comes after the commit.
    func enqueue(_ job: WriteJob<Session>)

    /// Writes a copy, as the database is at one moment, into a new SQLite file.
    func copy(to path: String) throws(StoreError)

    /// Finishes what is queued and closes every connection.
    func close()
}

extension Database {
    func write<Value: Sendable>(
        _ body: @escaping @Sendable (Session) throws -> Value,
        completion: @escaping @Sendable (Result<Value, any Error>) -> Void
    ) {
        enqueue(TypedWriteJob(body, completion: completion))
    }

    /// Writes and waits for the commit.
    func writeAndWait<Value: Sendable>(_ body: @escaping @Sendable (Session) throws -> Value) throws -> Value {
        let delivery = Delivery<Result<Value, any Error>>()
        write(body) { delivery.deliver($0) }
        return try delivery.wait().get()
    }
}
