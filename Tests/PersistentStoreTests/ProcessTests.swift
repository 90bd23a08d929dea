import ChildProcesses
import Foundation
import PersistentStore
import SQL
import Testing

/// What was acknowledged survives the death of the process, and of the machine; and processes and threads take turns.
@Suite("Nothing that was saved is lost, whoever writes and dies", .serialized)
struct ProcessTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test("A process killed at any moment leaves every saved row and a sound file")
    func killed() throws {
        var saved: Set<String> = []
        for round in 0..<15 {
            let probe = try StoreProbe(folder, count: 0)
            // The moment is counted in acknowledgements rather than time, then somewhere inside the next ones.
            let texts = try probe.saved(atLeast: 5 + round * 17 % 60) { process in
                usleep(UInt32.random(in: 0..<4_000))
                kill(process.processIdentifier, SIGKILL)
            }
            saved.formUnion(texts)
            #expect(try saved.subtracting(rows()).isEmpty)
        }
        #expect(saved.count >= 15 * 5)
    }

    @Test("A machine that loses its power at any moment has every saved row", arguments: 1...10)
    func withoutPower(seed: Int) throws {
        // The second life recovers what the first left and is cut short too.
        var saved: Set<String> = []
        for life in 0..<2 {
            let operations = 60 + (seed * 997 + life * 389) % 3000
            let probe = try StoreProbe(folder, count: 0, operations: operations, seed: seed * 2 + life)
            saved.formUnion(try probe.saved())
            #expect(try saved.subtracting(rows()).isEmpty)
        }
    }

    @Test("The test notices when commits do not wait for the disk")
    func noticesLoss() throws {
        var lost = 0
        for seed in 1...4 where lost == 0 {
            let folder = try TemporaryFolder()
            let probe = try StoreProbe(folder, count: 0, synchronous: "off", operations: 1500, seed: seed)
            let saved = try probe.saved()
            // Without any syncs the file may even be damaged, or not there.
            lost += saved.subtracting((try? ProcessTests(folder).rows()) ?? []).count
        }
        #expect(lost > 0)
    }

    @Test("Three processes of four threads write one file at once: all that they save is there, once, in one history")
    func together() throws {
        let probes = try (0..<3).map { _ in try StoreProbe(folder, count: 60) }
        var saved: Set<String> = []
        for probe in probes { saved.formUnion(try probe.saved()) }
        #expect(saved.count == 180)
        #expect(!saved.contains { $0.hasPrefix("error") })
        #expect(try rows() == saved)
    }

    private init(_ folder: TemporaryFolder) { self.folder = folder }

    /// The texts of the rows, in a file that is sound and whose parts fit together.
    private func rows() throws -> Set<String> {
        let file = folder.url.appendingPathComponent("probe.store").path
        guard FileManager.default.fileExists(atPath: file) else { return [] }
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
        // Killed before its first commit.
        guard try !column("SELECT name FROM sqlite_master WHERE name = 'ZNOTE'").isEmpty else { return [] }
        let texts = try column("SELECT ZTEXT FROM ZNOTE")
        let count = String(texts.count)
        if !texts.isEmpty {
            // Counted, linked and told in the history with the row or not at all.
            #expect(try column("SELECT ZCOUNT FROM ZTAG") == [count])
            #expect(try column("SELECT COUNT(*) FROM Z_1TAGS") == [count])
            #expect(try column("SELECT COUNT(*) FROM ATRANSACTION") == [count])
            #expect(try column("SELECT COUNT(*) FROM ACHANGE WHERE ZENTITY = 1 AND ZCHANGETYPE = 0") == [count])
            #expect(try column("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'Note'") == [count])
        }
        return Set(texts)
    }
}

/// A process that saves and says what was kept.
private struct StoreProbe {
    private let process = ChildProcess()
    private let output = Pipe()

    init(
        _ folder: TemporaryFolder, count: Int, synchronous: String = "full", operations: Int? = nil, seed: Int = 0
    ) throws {
        process.executableURL = Self.products.appendingPathComponent("PersistentStoreProbe")
        process.arguments = [folder.url.appendingPathComponent("probe.store").path, String(count), synchronous]
        if let operations { process.arguments? += [String(operations), String(seed)] }
        process.standardOutput = output
        process.standardInput = FileHandle.nullDevice
        try process.run()
    }

    /// The texts that the process printed until it ended.
    ///
    /// - Parameter then: called once, when so many were printed.
    func saved(atLeast count: Int = .max, then: (ChildProcess) -> Void = { _ in }) throws -> Set<String> {
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
        guard let end = printed.lastIndex(of: UInt8(ascii: "\n")) else { return [] }
        return Set(String(decoding: printed[...end], as: UTF8.self).split(separator: "\n").map(String.init))
    }

    private static var products: URL {
        #if canImport(Darwin)
            Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }!.bundleURL.deletingLastPathComponent()
        #else
            URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath().deletingLastPathComponent()
        #endif
    }
}
