import CloudStore
import Glibc
import Synchronization

extension ConformanceCase {
    static let tokens: [ConformanceCase] = [
        ConformanceCase("No sequence is ever skipped by a reader, however late a writer commits") { subject in
            try expectEqual(try TokenHole(subject).skipped(takingSequence: .underLock), [])
        }
    ]
}

/// Writers that commit at random times, and a reader that polls with the last sequence it saw.
package struct TokenHole {
    package enum Sequence: Sendable {
        /// From the zone's row, locked until the commit.
        case underLock
        /// From a counter that is not part of the transaction, as a database's own sequences are: what must not be done.
        case naive
    }

    private let garden: Garden
    private static let writes = 200

    package init(_ subject: ConformanceSubject) throws {
        garden = try Garden(try subject.container())
    }

    /// The sequences that were committed and that the reader never saw.
    package func skipped(takingSequence: Sequence) throws -> [Int64] {
        let state = State()
        let (zone, container) = (garden.zone.id, garden.container)
        for index in 0..<Self.writes {
            container.write(
                { writer in
                    let sequence: Int64
                    switch takingSequence {
                    case .underLock: sequence = try require(try writer.lockZone(zone), "the zone").sequence + 1
                    case .naive: sequence = state.next.add(1, ordering: .relaxed).newValue
                    }
                    _ = try writer.insertRecord(RecordRow(zone: zone, name: "p\(index)", type: 1, sequence: sequence))
                    if takingSequence == .underLock {
                        try writer.updateZone(id: zone, sequence: sequence, addRecords: 1, addBytes: 1)
                    }
                    usleep(UInt32.random(in: 0..<2_000))  // the fault: a commit that comes late
                    return sequence
                },
                completion: { result in
                    state.committed.withLock { $0.append(result) }
                })
        }
        var seen: Set<Int64> = []
        var token: Int64 = 0
        var isLast = false
        while true {
            try container.read { reader in
                try reader.changes(zone: zone, after: token, limit: 1000) { row in
                    seen.insert(row.sequence)
                    token = row.sequence
                    return true
                }
            }
            if isLast { break }
            isLast = state.committed.withLock { $0.count } == Self.writes
        }
        let committed = try state.committed.withLock { try $0.map { try $0.get() } }
        return committed.filter { !seen.contains($0) }.sorted()
    }

    private final class State: Sendable {
        let next = Atomic<Int64>(0)
        let committed = Mutex<[Result<Int64, any Error>]>([])
    }
}
