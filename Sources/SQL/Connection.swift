/// One conversation with a database, used by one thread at a time.
package protocol Connection: AnyObject {
    var dialect: Dialect { get }

    /// Compiles one statement. Placeholders are `?1`, `?2`, … in both engines.
    func prepare(_ sql: String) throws(SQLError) -> any Statement

    /// Runs statements without parameters or rows, separated by semicolons.
    func execute(_ sql: String) throws(SQLError)

    /// Whether the conversation can go on; a connection that lost its server cannot.
    var isUsable: Bool { get }

    func close()
}

/// A prepared statement: bind by position from 1, step, read columns from 0, reset.
///
/// A `bind` that the engine refuses is reported by the next `step()`.
package protocol Statement: AnyObject {
    func bind(_ position: Int, _ value: Int64)
    func bind(_ position: Int, _ value: Double)
    func bind(_ position: Int, _ value: String)
    func bind(_ position: Int, _ value: [UInt8])
    func bind(_ position: Int, bytes: UnsafeRawBufferPointer)
    func bindNull(_ position: Int)

    /// Moves to the next row; false when there is none.
    func step() throws(SQLError) -> Bool

    /// Makes the statement ready to be bound and run again.
    func reset()

    /// True between the first `step()` and `reset()`.
    var isActive: Bool { get }

    /// The rows that the last run inserted, updated or deleted.
    var changes: Int { get }

    func isNull(_ column: Int) -> Bool
    func int64(_ column: Int) -> Int64
    func double(_ column: Int) -> Double
    func text(_ column: Int) -> String
    /// The column's text; the same string as `known` when it is equal, which saves making one that came with the row before.
    func text(_ column: Int, known: String) -> String
    func blob(_ column: Int) -> [UInt8]

    /// Lends the column's bytes without a copy; they are gone after the next `step()` or `reset()`.
    func withBlob<Value>(_ column: Int, _ body: (UnsafeRawBufferPointer) throws -> Value) rethrows -> Value
}

extension Statement {
    package func bind(_ position: Int, _ value: Int64?) {
        if let value { bind(position, value) } else { bindNull(position) }
    }

    package func bind(_ position: Int, _ value: String?) {
        if let value { bind(position, value) } else { bindNull(position) }
    }

    package func bind(_ position: Int, _ value: Bool) {
        bind(position, value ? 1 as Int64 : 0)
    }

    package func optionalText(_ column: Int) -> String? {
        isNull(column) ? nil : text(column)
    }

    package func text(_ column: Int, known: String) -> String {
        withBlob(column) { bytes in
            var known = known
            let isEqual = known.withUTF8 { $0.count == bytes.count && bytes.elementsEqual(UnsafeRawBufferPointer($0)) }
            return isEqual ? known : String(decoding: bytes, as: UTF8.self)
        }
    }

    package func bool(_ column: Int) -> Bool {
        int64(column) != 0
    }

    /// Runs the statement to its end and makes it ready again.
    package func run() throws(SQLError) {
        defer { reset() }
        while try step() {}
    }
}
