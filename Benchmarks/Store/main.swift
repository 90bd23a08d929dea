// How fast the store saves and reads, beside the same statements on bare SQLite in the same process.
//
//     swift run -c release StoreBenchmark FOLDER | memory | POSTGRES-CONNECTION

import CloudStore
import Foundation
import SQL
import Synchronization

func seconds(_ body: () throws -> Void) rethrows -> Double {
    let clock = ContinuousClock()
    let time = try clock.measure(body)
    return Double(time.components.seconds) + Double(time.components.attoseconds) / 1e18
}

func report(_ what: String, _ count: Int, _ time: Double) {
    print(what.padding(toLength: 52, withPad: " ", startingAt: 0), Int(Double(count) / time), "/s")
}

let body = [UInt8](repeating: 0x61, count: 600)
let owner = "_a4f5c0d1e2b3a4f5c0d1e2b3a4f5c0d1"
let device = "B2F1D0A4-0C1E-4C52-9C59-0D3A4C1B2E10"
let target = CommandLine.arguments.dropFirst().first ?? "memory"
let store =
    if target == "memory" {
        try CloudStore.inMemory()
    } else if target.contains("=") || target.hasPrefix("postgresql:") {
        try CloudStore.postgres(connection: target)
    } else {
        try CloudStore(directory: URL(fileURLWithPath: target))
    }
guard let container = try store.container("iCloud.bench", "development", create: true) else { exit(1) }

@Sendable func save(_ writer: ContainerWriter, _ zone: Int64, _ names: [String]) throws {
    guard let locked = try writer.lockZone(zone) else { return }
    var sequence = locked.sequence
    for name in names {
        sequence += 1
        if try writer.record(zone: zone, name: name) != nil { continue }
        let id = try writer.insertRecord(
            RecordRow(
                zone: zone, name: name, type: 1, sequence: sequence, tag: sequence, createdSequence: sequence,
                created: 1,
                creator: owner, createdDevice: device, modified: 1, modifier: owner, modifiedDevice: device, body: body)
        )
        try writer.insertIndexEntries(
            zone: zone, record: id, (1...4).map { IndexKey(field: $0, value: Array(name.utf8.suffix(12))) })
    }
    try writer.updateZone(
        id: zone, sequence: sequence, addRecords: Int64(names.count), addBytes: Int64(names.count * body.count))
}

/// Keeps so many requests waiting until all are done.
func pump(_ inFlight: Int, _ requests: Int, records: Int, zones: [Int64]) {
    final class Driver: Sendable {
        let next = Mutex<Int>(0)
        let done = DispatchSemaphore(value: 0)
        let run = UUID().uuidString
        let container: ContainerStore
        let requests: Int, records: Int, zones: [Int64]
        init(_ container: ContainerStore, _ requests: Int, _ records: Int, _ zones: [Int64]) {
            (self.container, self.requests, self.records, self.zones) = (container, requests, records, zones)
        }
        func step() {
            let number = next.withLock { next in
                next += 1
                return next
            }
            guard number <= requests else {
                done.signal()
                return
            }
            let names = (0..<records).map { "\(run)-\(number)-\($0)" }
            let zone = zones[number % zones.count]
            container.write(
                { try save($0, zone, names) },
                completion: { result in
                    if case .failure(let error) = result { print(error) }
                    self.step()
                })
        }
    }
    let driver = Driver(container, requests, records, zones)
    for _ in 0..<inFlight { driver.step() }
    for _ in 0..<inFlight { driver.done.wait() }
}

let zones = try (0..<64).map { number in
    try container.writeAndWait {
        try $0.insertZone(
            key: ZoneKey(scope: .private, owner: "_u\(number)", name: UUID().uuidString), created: 1
        ).id
    }
}
for (inFlight, requests) in [(1, 3_000), (16, 20_000), (64, 30_000)] {
    report(
        "saves, 1 record each, \(inFlight) waiting", requests,
        seconds { pump(inFlight, requests, records: 1, zones: zones) })
}
report("records in requests of 200", 20_000, seconds { pump(4, 100, records: 200, zones: [zones[0]]) })

let zone = zones[0]
var names: [String] = []
try container.read { reader in
    try reader.changes(zone: zone, after: 0, limit: 20_000) {
        names.append($0.name)
        return true
    }
}
report(
    "look-ups by name", 50_000,
    try seconds {
        for index in 0..<50_000 {
            _ = try container.read { try $0.record(zone: zone, name: names[index &* 7919 % names.count]) }
        }
    })
var rows = 0
report(
    "records in change pages of 200", 200_000,
    try seconds {
        var token: Int64 = 0
        for _ in 0..<1_000 {
            var count = 0
            try container.read { reader in
                try reader.changes(zone: zone, after: token, limit: 200) {
                    token = $0.sequence
                    count += 1
                    rows += $0.body.count
                    return true
                }
            }
            if count < 200 { token = 0 }
        }
    })
report(
    "records in index pages of 200", 100_000,
    try seconds {
        var position: IndexPosition?
        for _ in 0..<500 {
            var count = 0
            try container.read { reader in
                try reader.scanIndex(zone: zone, field: 1, from: [], after: position) { value, record in
                    count += 1
                    position = IndexPosition(value: value, record: record.id)
                    return count < 200
                }
            }
            if count < 200 { position = nil }
        }
    })
// Deleting a zone holds the writer for no step longer than this.
try container.writeAndWait { writer in
    guard let row = try writer.zone(id: zone) else { return }
    try writer.deleteZone(row, reason: 1, at: 1)
}
var steps: [Double] = []
var hasMore = true
while hasMore {
    steps.append(try seconds { hasMore = try container.writeAndWait { try $0.purgeDeletedZones(limit: 400) } })
}
steps.sort()
print(
    "purging \(names.count) records: \(steps.count) steps, median \(Int(steps[steps.count / 2] * 1e6)) µs,",
    "longest \(Int((steps.last ?? 0) * 1e6)) µs")
try rawSQLite()
store.close()

func rawSQLite() throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("raw-\(UUID().uuidString).sqlite").path
    defer { for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: file + suffix) } }
    let connection = try SQLiteConnection(path: file, options: SQLiteOptions(cacheKilobytes: 8000))
    try connection.execute(
        """
        CREATE TABLE zone (id INTEGER PRIMARY KEY, sequence BIGINT, n BIGINT, b BIGINT);
        CREATE TABLE usage (owner TEXT PRIMARY KEY, b BIGINT) WITHOUT ROWID;
        CREATE TABLE record (id INTEGER PRIMARY KEY, zone BIGINT, name TEXT, type BIGINT, sequence BIGINT, tag BIGINT,
            a BIGINT, b BIGINT, c TEXT, d TEXT, e BIGINT, f TEXT, g TEXT, parent TEXT, deleted BIGINT, body BLOB, UNIQUE (zone, name));
        CREATE INDEX change ON record (zone, sequence) WHERE sequence <> 0;
        CREATE TABLE entry (zone BIGINT, field BIGINT, value BLOB, record BIGINT, PRIMARY KEY (zone, field, value, record)) WITHOUT ROWID;
        INSERT INTO zone VALUES (1, 0, 0, 0);
        INSERT INTO usage VALUES ('_u', 0)
        """)
    let lookZone = try connection.prepare("SELECT * FROM zone WHERE id = 1")
    let look = try connection.prepare("SELECT * FROM record WHERE zone = 1 AND name = ?1")
    let insert = try connection.prepare(
        "INSERT INTO record VALUES (?1, 1, ?2, 1, ?3, ?3, ?3, 1, '_u', '', 1, '_u', '', NULL, 0, ?4)")
    let entry = try connection.prepare("INSERT INTO entry VALUES (1, ?1, ?2, ?3)")
    let update = try connection.prepare("UPDATE zone SET sequence = ?1, n = n + 1, b = b + 600 WHERE id = 1")
    let usage = try connection.prepare("UPDATE usage SET b = b + 600 WHERE owner = '_u'")
    let begin = try connection.prepare("BEGIN IMMEDIATE")
    let commit = try connection.prepare("COMMIT")
    var id: Int64 = 0
    for (group, total) in [(1, 3_000), (16, 20_000), (64, 30_000), (200, 20_000)] {
        report(
            "bare SQLite, same statements, \(group) records a commit", total,
            try seconds {
                for _ in 0..<(total / group) {
                    try begin.run()
                    for _ in 0..<group {
                        id += 1
                        let name = "\(UUID().uuidString)-\(id)"
                        try lookZone.run()
                        look.bind(1, name)
                        try look.run()
                        insert.bind(1, id)
                        insert.bind(2, name)
                        insert.bind(3, id)
                        insert.bind(4, body)
                        try insert.run()
                        for field in Int64(1)...4 {
                            entry.bind(1, field)
                            entry.bind(2, Array(name.utf8.suffix(12)))
                            entry.bind(3, id)
                            try entry.run()
                        }
                        update.bind(1, id)
                        try update.run()
                        try usage.run()
                    }
                    try commit.run()
                }
            })
    }
    var read = 0
    let page = try connection.prepare(
        "SELECT * FROM record WHERE zone = 1 AND sequence > ?1 AND sequence <> 0 ORDER BY sequence LIMIT 200")
    report(
        "bare SQLite, records in change pages of 200", 200_000,
        try seconds {
            var token: Int64 = 0
            for _ in 0..<1_000 {
                page.bind(1, token)
                while try page.step() {
                    token = page.int64(4)
                    read += page.text(2).utf8.count + page.withBlob(15) { $0.count }
                }
                page.reset()
            }
        })
}
