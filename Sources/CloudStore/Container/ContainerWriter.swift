import SQL

/// What a request can change in a container's environment, inside one transaction; everything of the reader too.
///
/// Its capabilities: `+Zones`, `+Records`, `+Assets`, `+Schema`, `+Maintenance`, and `savepoint`. Only to be used inside the body it was handed to.
package final class ContainerWriter: ContainerReader {
    let writing: WriterQueries
    /// Zones that this request has seen: an update has to know whose usage it changes.
    var zoneKeys: [Int64: ZoneKey] = [:]
    /// PostgreSQL: statements that insert several index entries, by their number.
    var insertEntriesQueries: [Int: PreparedQuery] = [:]
    /// SQLite: the last record id that was given out; there is no other writer.
    var lastRecordID: Int64?
    /// PostgreSQL: the last id that this connection made.
    private var lastMadeID: Int64 = 0

    required init(_ context: SessionContext) {
        writing = WriterQueries(context.connection)
        super.init(context)
    }

    override var isWriter: Bool { isWriting }

    /// Sessions of the read pool are made from the same class and handed out as readers.
    var isWriting = false

    override func beginWrite() throws(SQLError) {
        isWriting = true
        try super.beginWrite()
    }

    override func forget() {
        super.forget()
        zoneKeys.removeAll(keepingCapacity: true)
    }

    // MARK: - Identifiers

    /// An id that grows with time and that no other process makes at once: no counter is shared by tenants.
    /// 41 bits of milliseconds since 2026, 22 random ones.
    func makeID() -> Int64 {
        let since2026 = max(now() - 1_767_225_600_000, 0)
        let made = (since2026 << 22 | Int64.random(in: 0..<(1 << 22))) & .max
        lastMadeID = max(lastMadeID &+ 1, made)
        return lastMadeID
    }

    /// The next value of one of the container's counters on SQLite, a made id on PostgreSQL.
    func nextID(_ counter: String) throws(SQLError) -> Int64 {
        connection.dialect == .postgres ? makeID() : try raise(counter)
    }

    /// Adds one to a counter of the container and returns it.
    func raise(_ counter: String) throws(SQLError) -> Int64 {
        let statement = try writing.raise.take()
        defer { statement.reset() }
        statement.bind(1, tenant)
        statement.bind(2, counter)
        return try statement.step() ? statement.int64(0) : 0
    }
}
