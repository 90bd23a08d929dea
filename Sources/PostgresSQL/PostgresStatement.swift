import CPostgres
import SQL

/// A prepared statement of PostgreSQL. Parameters and columns travel in their binary form; a run fetches all its rows,
/// so a query that may return many carries a LIMIT.
package final class PostgresStatement: Statement {
    private enum Parameter {
        case null
        case bytes(offset: Int, count: Int)
    }

    private let name: String
    private let connection: PostgresConnection
    private var parameters: [Parameter] = []
    /// All bound values, one after another.
    private var buffer: [UInt8] = []
    private var result: OpaquePointer?
    private var row: Int32 = -1
    package private(set) var changes = 0

    init(name: String, of connection: PostgresConnection) {
        self.name = name
        self.connection = connection
    }

    deinit {
        PQclear(result)
        // A statement that was not kept must not pile up in the server; with a closed connection all of them are gone.
        if connection.isUsable { PQclear(PQexec(connection.handle, "DEALLOCATE \(name)")) }
    }

    package var isActive: Bool { result != nil }

    // MARK: - Binding

    package func bind(_ position: Int, _ value: Int64) {
        withUnsafeBytes(of: value.bigEndian) { bind(position, bytes: $0) }
    }

    package func bind(_ position: Int, _ value: Double) {
        withUnsafeBytes(of: value.bitPattern.bigEndian) { bind(position, bytes: $0) }
    }

    package func bind(_ position: Int, _ value: String) {
        var value = value
        value.withUTF8 { bind(position, bytes: UnsafeRawBufferPointer($0)) }
    }

    package func bind(_ position: Int, _ value: [UInt8]) {
        value.withUnsafeBytes { bind(position, bytes: $0) }
    }

    package func bind(_ position: Int, bytes: UnsafeRawBufferPointer) {
        let offset = buffer.count
        buffer.append(contentsOf: bytes)
        set(position, .bytes(offset: offset, count: bytes.count))
    }

    package func bindNull(_ position: Int) {
        set(position, .null)
    }

    private func set(_ position: Int, _ parameter: Parameter) {
        while parameters.count < position { parameters.append(.null) }
        parameters[position - 1] = parameter
    }

    // MARK: - Running

    package func step() throws(SQLError) -> Bool {
        if result == nil { try run() }
        row += 1
        return row < PQntuples(result)
    }

    private func run() throws(SQLError) {
        buffer.append(0)  // an empty value still needs an address
        let count = parameters.count
        let answer: OpaquePointer? = buffer.withUnsafeBytes { bytes in
            let start = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
            return withUnsafeTemporaryAllocation(of: UnsafePointer<CChar>?.self, capacity: count) { values in
                withUnsafeTemporaryAllocation(of: Int32.self, capacity: count * 2) { numbers in
                    for (index, parameter) in parameters.enumerated() {
                        switch parameter {
                        case .null:
                            values.initializeElement(at: index, to: nil)
                            numbers.initializeElement(at: index, to: 0)
                        case .bytes(let offset, let length):
                            values.initializeElement(at: index, to: start.map { $0 + offset })
                            numbers.initializeElement(at: index, to: Int32(clamping: length))
                        }
                        numbers.initializeElement(at: count + index, to: 1)
                    }
                    let lengths = numbers.baseAddress
                    return PQexecPrepared(
                        connection.handle, name, Int32(clamping: count), values.baseAddress, lengths,
                        lengths.map { $0 + count }, 1)
                }
            }
        }
        switch PQresultStatus(answer) {
        case PGRES_TUPLES_OK, PGRES_COMMAND_OK:
            result = answer
            row = -1
            changes = PQcmdTuples(answer).flatMap { Int(String(cString: $0)) } ?? 0
        default:
            let failure = connection.failure(answer)
            PQclear(answer)
            reset()
            throw failure
        }
    }

    package func reset() {
        PQclear(result)
        result = nil
        row = -1
        parameters.removeAll(keepingCapacity: true)
        buffer.removeAll(keepingCapacity: true)
    }

    // MARK: - Columns

    package func isNull(_ column: Int) -> Bool {
        PQgetisnull(result, row, Int32(truncatingIfNeeded: column)) != 0
    }

    package func int64(_ column: Int) -> Int64 {
        withBlob(column) { bytes in
            switch bytes.count {
            case 8: Int64(bigEndian: bytes.loadUnaligned(as: Int64.self))
            case 4: Int64(Int32(bigEndian: bytes.loadUnaligned(as: Int32.self)))
            case 2: Int64(Int16(bigEndian: bytes.loadUnaligned(as: Int16.self)))
            case 1: Int64(bytes[0])
            default: 0
            }
        }
    }

    package func double(_ column: Int) -> Double {
        withBlob(column) { bytes in
            bytes.count == 8 ? Double(bitPattern: UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self))) : 0
        }
    }

    package func text(_ column: Int) -> String {
        withBlob(column) { String(decoding: $0, as: UTF8.self) }
    }

    package func blob(_ column: Int) -> [UInt8] {
        withBlob(column) { [UInt8]($0) }
    }

    package func withBlob<Value>(_ column: Int, _ body: (UnsafeRawBufferPointer) throws -> Value) rethrows -> Value {
        let column = Int32(truncatingIfNeeded: column)
        guard let start = PQgetvalue(result, row, column) else {
            return try body(UnsafeRawBufferPointer(start: nil, count: 0))
        }
        return try body(UnsafeRawBufferPointer(start: start, count: Int(PQgetlength(result, row, column))))
    }
}
