import CloudStore
import Glibc
import Synchronization

extension ConformanceCase {
    static let tokens: [ConformanceCase] = [
        ConformanceCase("No change is ever skipped by a reader, however late a writer commits") { subject in
            try expectEqual(try TokenHole(subject).skippedUnderLock(), [])
        }
    ]
}

/// The classic hole: a sequence that is taken early and committed late, behind the back of a reader that saw a later one.
package struct TokenHole {
    private let garden: Garden

    package init(_ subject: ConformanceSubject) throws {
        garden = try Garden(try subject.container())
    }

    /// Writers that take their sequence from the locked zone and commit at random times, against a reader that polls.
    ///
    /// - Returns: the records that were committed and that the reader never saw.
    package func skippedUnderLock() throws -> [String] {
        let writes = 150
        let committed = Committed()
        let zone = garden.zone.id
        for index in 0..<writes {
            garden.container.write(
                { writer in
                    let sequence = try require(try writer.lockZone(zone), "the zone").sequence + 1
                    _ = try writer.insertRecord(RecordRow(zone: zone, name: "p\(index)", type: 1, sequence: sequence))
                    try writer.updateZone(id: zone, sequence: sequence, addRecords: 1, addBytes: 1)
                    usleep(UInt32.random(in: 0..<2_000))  // the fault: a commit that comes late
                    return "p\(index)"
                },
                completion: { result in
                    committed.results.withLock { $0.append(result) }
                })
        }
        var poller = Poller()
        var isLast = false
        while true {
            try poller.poll(garden)
            if isLast { break }
            isLast = committed.results.withLock { $0.count } == writes
        }
        return try poller.missing(committed.results.withLock { try $0.map { try $0.get() } })
    }

    /// The same reader against the design that must not be: sequences from a counter outside the transaction, as a database's
    /// own sequences are. The first writer commits after the second, which needs a driver with several writers.
    ///
    /// - Returns: the records that were committed and that the reader never saw.
    package func skippedWithCounter() throws -> [String] {
        let (zone, container) = (garden.zone.id, garden.container)
        let (hasSequence, mayCommit, hasCommitted) = (Flag(), Flag(), Flag())
        container.write(
            { writer in
                _ = try writer.insertRecord(RecordRow(zone: zone, name: "early", type: 1, sequence: 1))
                hasSequence.raise()
                mayCommit.wait()
            }, completion: { _ in hasCommitted.raise() })
        hasSequence.wait()
        _ = try container.writeAndWait {
            try $0.insertRecord(RecordRow(zone: zone, name: "late", type: 1, sequence: 2))
        }
        var poller = Poller()
        try poller.poll(garden)
        mayCommit.raise()
        hasCommitted.wait()
        try poller.poll(garden)
        return poller.missing(["early", "late"])
    }

    private struct Poller {
        private var seen: Set<String> = []
        private var token: Int64 = 0

        mutating func poll(_ garden: Garden) throws {
            var (seen, token) = (seen, token)
            try garden.container.read { reader in
                try reader.changes(zone: garden.zone.id, after: token, limit: 1000) { row in
                    seen.insert(row.name)
                    token = row.sequence
                    return true
                }
            }
            (self.seen, self.token) = (seen, token)
        }

        func missing(_ committed: [String]) -> [String] {
            committed.filter { !seen.contains($0) }.sorted()
        }
    }

    private final class Committed: Sendable {
        let results = Mutex<[Result<String, any Error>]>([])
    }
}

/// Something that one thread waits for and another lets happen.
private final class Flag: Sendable {
    private let isRaised = Atomic<Bool>(false)

    func raise() { isRaised.store(true, ordering: .releasing) }
    func wait() { while !isRaised.load(ordering: .acquiring) { usleep(200) } }
}
