import ChildProcesses
import CloudStore
import Foundation
import SQL
import Testing

/// What was acknowledged survives the death of the process, and of the machine.
@Suite("Nothing that was acknowledged is lost", .serialized)
struct CrashTests {
    @Test("A process killed at any moment leaves every acknowledged record and a sound file")
    func killed() throws {
        try withFolder { folder in
            var acknowledged: Set<String> = []
            for round in 0..<20 {
                let probe = try Probe(folder, "full")
                // The moment is counted in acknowledgements rather than time, then somewhere inside the next ones.
                let names = try probe.acknowledged(atLeast: 5 + round * 17 % 60) { probe in
                    usleep(UInt32.random(in: 0..<4_000))
                    kill(probe.processIdentifier, SIGKILL)
                }
                acknowledged.formUnion(names)
                let kept = try Self.records(in: folder)
                #expect(acknowledged.subtracting(kept).isEmpty)
            }
            #expect(acknowledged.count >= 20 * 5)
        }
    }

    @Test("A machine that loses its power at any moment has every acknowledged record", arguments: 1...20)
    func withoutPower(seed: Int) throws {
        try withFolder { folder in
            // The second life recovers what the first left and is cut short too.
            var acknowledged: Set<String> = []
            for life in 0..<2 {
                let operations = 60 + (seed * 997 + life * 389) % 4000
                let probe = try Probe(folder, "full", operations: operations, seed: seed * 2 + life)
                acknowledged.formUnion(try probe.acknowledged())
                let kept = try Self.records(in: folder)
                #expect(acknowledged.subtracting(kept).isEmpty)
            }
        }
    }

    @Test("The test notices when commits do not wait for the disk", arguments: ["off", "normal"])
    func noticesLoss(synchronous: String) throws {
        var lost = 0
        for seed in 1...4 {
            try withFolder { folder in
                let probe = try Probe(folder, synchronous, operations: 1500, seed: seed)
                let acknowledged = try probe.acknowledged()
                #expect(!acknowledged.isEmpty)
                // Without any syncs the file may even be damaged, or not there.
                let kept = (try? Self.records(in: folder)) ?? []
                lost += acknowledged.subtracting(kept).count
            }
        }
        #expect(lost > 0)
    }

    /// The names of the records in the file, which has to be sound, with an index that fits.
    private static func records(in folder: URL) throws -> Set<String> {
        let file = folder.appendingPathComponent("containers/iCloud.crash.development.sqlite").path
        let connection = try SQLiteConnection(path: file, options: SQLiteOptions(creates: false))
        defer { connection.close() }
        func column(_ sql: String) throws -> [String] {
            let statement = try connection.prepare(sql)
            defer { statement.reset() }
            var values: [String] = []
            while try statement.step() { values.append(statement.text(0)) }
            return values
        }
        #expect(try column("PRAGMA integrity_check") == ["ok"])
        let names = try column("SELECT name FROM record ORDER BY name")
        #expect(try column("SELECT CAST(value AS TEXT) FROM index_entry ORDER BY value") == names)
        // The zone's sums and sequence were committed with the records or not at all.
        let counts = try column("SELECT record_count FROM zone UNION ALL SELECT sequence FROM zone")
        #expect(counts.allSatisfy { $0 == String(names.count) })
        return Set(names)
    }
}

/// A process that saves and says what was acknowledged.
private struct Probe {
    private let process = ChildProcess()
    private let output = Pipe()

    init(_ folder: URL, _ synchronous: String, operations: Int? = nil, seed: Int = 0) throws {
        process.executableURL = Self.products.appendingPathComponent("StoreCrashProbe")
        process.arguments = [folder.path, synchronous]
        if let operations { process.arguments? += [String(operations), String(seed)] }
        process.standardOutput = output
        process.standardInput = FileHandle.nullDevice
        try process.run()
    }

    /// The names that the process printed until it ended.
    ///
    /// - Parameter then: called once, when so many were printed.
    func acknowledged(atLeast count: Int = .max, then: (ChildProcess) -> Void = { _ in }) throws -> Set<String> {
        var printed = Data()
        var isTold = false
        while true {
            let more = output.fileHandleForReading.availableData
            if more.isEmpty { break }
            printed.append(more)
            if !isTold, printed.count(where: { $0 == UInt8(ascii: "\n") }) >= count {
                isTold = true
                then(process)
            }
        }
        process.waitUntilExit()
        // A line that was cut off was not acknowledged.
        let whole = printed.prefix(through: printed.lastIndex(of: UInt8(ascii: "\n")) ?? printed.startIndex)
        return Set(String(decoding: whole, as: UTF8.self).split(separator: "\n").map(String.init))
    }

    private static var products: URL {
        #if canImport(Darwin)
            Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }!.bundleURL.deletingLastPathComponent()
        #else
            URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath().deletingLastPathComponent()
        #endif
    }
}
