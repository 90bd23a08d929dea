import Foundation
import Glibc

/// `./bench store`: SwiftData beside SQLite by hand in C, on the same tables in one run.
struct StoreBenchmark {
    enum Clock {
        /// User and system time of the whole process: other programs disturb it less.
        case processor
        case wall
    }

    /// The program with the model classes.
    var models: URL
    /// The program with GRDB's records, where a checkout of it was given.
    var records: URL?
    /// A tenth of the objects and rounds, to try it out.
    var isQuick: Bool
    var clock: Clock

    /// What `ModelBenchmark` prints: seconds of each round.
    private struct Rounds: Decodable {
        var processor: [Double]
        var wall: [Double]
        var sum: Int
    }

    func run() throws -> Results {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent(
            "stratus-bench-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }

        let empty = directory.appendingPathComponent("empty.store")
        _ = try app("create", empty.path)
        var results = Results()
        Results.printHeader()
        try fetch(directory, &results)
        try insert("insert/\(scaled(50_000))x10", "items", [(.item, scaled(50_000))], rounds: 5, empty, &results)
        try orders(directory, &results)
        try users(empty, &results)
        let students = scaled(10_000)
        try insert(
            "graph/\(students)", "graph",
            [(.school, (students + 99) / 100), (.student, students), (.grade, students * 3)], rounds: 3, empty, &results
        )
        try changes(directory, &results)
        try history(directory, &results)
        return results
    }

    // MARK: - Workloads

    private func fetch(_ directory: URL, _ results: inout Results) throws {
        let count = scaled(200_000)
        _ = try app("items", directory.path, "\(count)", "1")
        let (ours, theirs) = try read(directory, "fetch-items", .item, rounds: 7)
        let name = "fetch/\(count)x10"
        results.add(.cost(name, "ms", ours: ours * 1000, peer: RawStore.name, theirs: theirs * 1000))
        try addRecords(name, "ms", ours: ours * 1000, "fetch-items", count, rounds: 7, scale: 1000, directory, &results)
        try removeStore(directory.appendingPathComponent("0.store"))
    }

    private func orders(_ directory: URL, _ results: inout Results) throws {
        let rounds = scaled(500)
        _ = try app("orders", directory.path, "15889", "1")
        let (ours, theirs) = try read(directory, "fetch-orders", .order, rounds: rounds)
        results.add(
            .cost(
                "orders/\(rounds)", "s", ours: ours * Double(rounds), peer: RawStore.name,
                theirs: theirs * Double(rounds)))
        try addRecords(
            "orders/\(rounds)", "s", ours: ours * Double(rounds), "fetch-orders", 15_889, rounds: min(rounds, 50),
            scale: Double(rounds), directory, &results)
        try removeStore(directory.appendingPathComponent("0.store"))
    }

    private func users(_ empty: URL, _ results: inout Results) throws {
        var costs: [Double] = []
        for (count, rounds) in [(1_000, 21), (10_000, 11), (100_000, 3), (1_000_000, 1)] {
            if isQuick, count > 100_000 { break }
            let cost = try insert("users/\(count)/insert", "users", [(.user, count)], rounds: rounds, empty, &results)
            costs.append(cost / Double(count) * 1_000_000)
        }
        guard let small = costs.first, let large = costs.last else { return }
        // What an object costs at the largest count, beside what it costs at a thousand.
        results.add(.cost("users/scale", "µs", ours: large, peer: "self", theirs: small))
    }

    private func changes(_ directory: URL, _ results: inout Results) throws {
        let count = scaled(100_000)
        for (name, workload, column) in [("update", "age-users", "ZAGE"), ("delete", "delete-users", nil)] {
            let measured = try app(workload, directory.path, "\(count)", "3")
            let original = directory.appendingPathComponent("0.store")
            var theirs: [Double] = []
            for _ in 0..<3 {
                let url = directory.appendingPathComponent("raw.store")
                try FileManager.default.copyItem(at: original, to: url)
                do {
                    let raw = try RawStore(url)
                    theirs.append(try time { try raw.change(.user, column) })
                }
                try removeStore(url)
            }
            results.add(
                .cost(
                    "users/\(count)/\(name)", "ms", ours: median(times(measured)) * 1000, peer: RawStore.name,
                    theirs: median(theirs) * 1000))
            try removeStore(original)
        }
        try size(count, directory, &results)
    }

    /// The bytes of a store of so many users, beside those that the same rows by hand take.
    private func size(_ count: Int, _ directory: URL, _ results: inout Results) throws {
        let url = directory.appendingPathComponent("0.store")
        _ = try app("users", directory.path, "\(count)", "1")
        let ours = try bytes(url)
        try removeStore(url)
        _ = try app("create", url.path)
        try RawStore(url).insert([(.user, count)])
        results.add(.cost("users/\(count)/size", "MB", ours: ours, peer: RawStore.name, theirs: try bytes(url)))
        try removeStore(url)
    }

    /// Megabytes, with what is still in the log.
    private func bytes(_ url: URL) throws -> Double {
        try ["", "-wal"].reduce(0) { sum, suffix in
            let attributes = try? FileManager.default.attributesOfItem(atPath: url.path + suffix)
            return sum + Double(attributes?[.size] as? Int ?? 0) / 1_000_000
        }
    }

    private func history(_ directory: URL, _ results: inout Results) throws {
        let count = scaled(50_000)
        let on = try app("history", directory.path, "\(count)", "5", "on")
        let off = try app("history", directory.path, "\(count)", "5", "off")
        results.add(
            .cost("history", "ms", ours: median(times(on)) * 1000, peer: "self", theirs: median(times(off)) * 1000))
    }

    // MARK: - Measuring

    /// Saves so many new objects in one save, from making them to letting go of them.
    ///
    /// - Returns: the seconds of a round, the median.
    @discardableResult
    private func insert(
        _ name: String, _ workload: String, _ rows: [(table: RawStore.Table, count: Int)], rounds: Int, _ empty: URL,
        _ results: inout Results
    ) throws -> Double {
        let directory = empty.deletingLastPathComponent()
        // The count of what the app makes: of a graph the students.
        let count = rows.count == 1 ? rows[0].count : rows[1].count
        let measured = try app(workload, directory.path, "\(count)", "\(rounds)")
        try removeStore(directory.appendingPathComponent("0.store"))
        var theirs: [Double] = []
        for _ in 0..<rounds {
            let url = directory.appendingPathComponent("raw.store")
            try FileManager.default.copyItem(at: empty, to: url)
            do {
                let raw = try RawStore(url)
                theirs.append(try time { try raw.insert(rows) })
            }
            try removeStore(url)
        }
        let ours = median(times(measured))
        results.add(.cost(name, "ms", ours: ours * 1000, peer: RawStore.name, theirs: median(theirs) * 1000))
        if workload != "graph" {
            try addRecords(
                name, "ms", ours: ours * 1000, workload, count, rounds: rounds, scale: 1000, directory, &results)
        }
        return ours
    }

    /// The seconds of reading all rows of `0.store`, medians. Both must have read the same.
    private func read(
        _ directory: URL, _ workload: String, _ table: RawStore.Table, rounds: Int
    ) throws -> (ours: Double, theirs: Double) {
        let url = directory.appendingPathComponent("0.store")
        let measured = try app(workload, url.path, "\(rounds)")
        let raw = try RawStore(url)
        let sum = try raw.fetch(table)
        guard sum == measured.sum else {
            throw HTTPConnection.Failure(description: "\(workload) read \(measured.sum), SQLite \(sum)")
        }
        var theirs: [Double] = []
        for _ in 0..<rounds { theirs.append(try time { _ = try raw.fetch(table) }) }
        return (median(times(measured)), median(theirs))
    }

    /// The same row beside GRDB's two kinds of records, where they are there to be measured.
    private func addRecords(
        _ name: String, _ unit: String, ours: Double, _ workload: String, _ count: Int, rounds: Int, scale: Double,
        _ directory: URL, _ results: inout Results
    ) throws {
        guard let records else { return }
        for kind in ["codable", "manual"] {
            let measured = try run(records, [workload, directory.path, "\(count)", "\(rounds)", kind])
            results.add(
                .cost(name, unit, ours: ours, peer: "grdb \(kind)", theirs: median(times(measured)) * scale))
        }
    }

    private func app(_ arguments: String...) throws -> Rounds { try run(models, arguments) }

    private func run(_ program: URL, _ arguments: [String]) throws -> Rounds {
        let process = Process()
        let output = Pipe()
        process.executableURL = program
        process.arguments = arguments
        process.standardOutput = output
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw HTTPConnection.Failure(
                description: "\(program.lastPathComponent) \(arguments.joined(separator: " ")) failed")
        }
        return try JSONDecoder().decode(Rounds.self, from: data)
    }

    private func times(_ rounds: Rounds) -> [Double] {
        clock == .processor ? rounds.processor : rounds.wall
    }

    private func time(_ body: () throws -> Void) rethrows -> Double {
        let start = now()
        try body()
        return now() - start
    }

    private func now() -> Double {
        var time = timespec()
        clock_gettime(clock == .processor ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    private func median(_ times: [Double]) -> Double {
        times.isEmpty ? .nan : times.sorted()[times.count / 2]
    }

    private func scaled(_ count: Int) -> Int { isQuick ? count / 10 : count }

    private func removeStore(_ url: URL) throws {
        try FileManager.default.removeItem(at: url)
        for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: url.path + suffix) }
    }
}
