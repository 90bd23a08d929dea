import Foundation

/// `./bench server`: Stratus beside PocketBase, Kinto and SQLite by hand, doing the same job in one run.
struct ServerBenchmark {
    var programs: Programs
    /// Seconds of each measurement.
    var seconds: Double
    /// How many records the large zone of `changes/scale` has.
    var scale: Int
    /// The rows to measure; nil for all.
    var only: Part?

    /// Rows that need nothing of the others.
    enum Part: String {
        case query, asset
    }

    struct Programs {
        var stratus: URL
        var pocketBase: URL
        var kinto: URL
    }

    func run() throws -> Results {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent(
            "stratus-bench-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }

        var results = Results()
        Results.printHeader()
        let stratus = try Stratus(executable: programs.stratus, directory: directory)
        let pocketBase = try PocketBase(executable: programs.pocketBase, directory: directory)
        results.add(
            .cost("start", "ms", ours: stratus.start * 1000, peer: PocketBase.name, theirs: pocketBase.start * 1000))
        results.add(
            .cost(
                "idle-memory", "MB", ours: stratus.process.residentMemory, peer: PocketBase.name,
                theirs: pocketBase.process.residentMemory))

        if only == nil {
            let kinto = try Kinto(executable: programs.kinto, directory: directory)
            try saves(stratus, pocketBase, kinto, &results)
            try batches(stratus, pocketBase, directory, &results)
            try lookups(stratus, pocketBase, kinto, &results)
            try changes(stratus, pocketBase, kinto, directory, &results)
            try recordLayerShape(stratus, pocketBase, &results)
        }
        if only != .asset { try queries(stratus, pocketBase, directory, &results) }
        if only != .query { try files(stratus, pocketBase, &results) }
        if only == nil { try changesAtScale(stratus, &results) }
        return results
    }

    // MARK: - Saving

    private func saves(
        _ stratus: Stratus, _ pocketBase: PocketBase, _ kinto: Kinto, _ results: inout Results
    ) throws {
        for connections in [1, 16, 64] {
            let ours = try Load.run(port: stratus.process.port, connections: connections, seconds: seconds) {
                thread, count in
                stratus.save(["s\(connections)-\(thread)-\(count)"], [SmallRecord(thread << 24 | count)])
            }
            let theirs = try Load.run(port: pocketBase.process.port, connections: connections, seconds: seconds) {
                thread, count in
                pocketBase.save(connections << 40 | thread << 24 | count)
            }
            let name = "save/\(connections)"
            results.add(.rate(name, "saves/s", ours: ours.perSecond, peer: PocketBase.name, theirs: theirs.perSecond))
            results.add(
                .cost(
                    "\(name)/p99", "ms", ours: ours.percentile(0.99) * 1000, peer: PocketBase.name,
                    theirs: theirs.percentile(0.99) * 1000))
            // Kinto is slow enough that one comparison tells all.
            guard connections == 16 else { continue }
            let other = try Load.run(port: kinto.process.port, connections: 8, seconds: seconds) { thread, count in
                kinto.save(thread << 24 | count)
            }
            results.add(.rate(name, "saves/s", ours: ours.perSecond, peer: Kinto.name, theirs: other.perSecond))
        }
    }

    private func batches(
        _ stratus: Stratus, _ pocketBase: PocketBase, _ directory: URL, _ results: inout Results
    ) throws {
        let ours = try Load.run(port: stratus.process.port, connections: 1, seconds: seconds) { _, count in
            let numbers = count * 200..<count * 200 + 200
            return stratus.save(numbers.map { "b-\($0)" }, numbers.map { SmallRecord($0) })
        }
        let theirs = try Load.run(port: pocketBase.process.port, connections: 1, seconds: seconds) { _, count in
            pocketBase.saveBatch(1 << 50 | count * 200..<(1 << 50 | count * 200) + 200)
        }
        let raw = try RawSQLite(directory: directory, name: "raw-batch").rowsPerSecond(batch: 200, seconds: seconds)
        results.add(
            .rate(
                "batch/200", "records/s", ours: ours.perSecond * 200, peer: PocketBase.name,
                theirs: theirs.perSecond * 200))
        results.add(.rate("batch/200", "records/s", ours: ours.perSecond * 200, peer: RawSQLite.name, theirs: raw))
    }

    /// The shape of production saves in the Record Layer paper: 8 to 9 records and about 7 KB a transaction.
    private func recordLayerShape(_ stratus: Stratus, _ pocketBase: PocketBase, _ results: inout Results) throws {
        let ours = try Load.run(port: stratus.process.port, connections: 16, seconds: seconds) { thread, count in
            let size = 8 + count % 2
            let first = thread << 24 | count << 4
            let numbers = first..<first + size
            return stratus.save(numbers.map { "r-\($0)" }, numbers.map { SmallRecord($0) })
        }
        let theirs = try Load.run(port: pocketBase.process.port, connections: 16, seconds: seconds) { thread, count in
            let first = 1 << 51 | thread << 24 | count << 4
            return pocketBase.saveBatch(first..<first + 8 + count % 2)
        }
        results.add(
            .rate("save/record-layer", "saves/s", ours: ours.perSecond, peer: PocketBase.name, theirs: theirs.perSecond)
        )
    }

    // MARK: - Reading

    private func lookups(
        _ stratus: Stratus, _ pocketBase: PocketBase, _ kinto: Kinto, _ results: inout Results
    ) throws {
        try fill(stratus, pocketBase)
        let one = try Load.run(port: stratus.process.port, connections: 16, seconds: seconds) { thread, count in
            stratus.lookup(["b-\((thread &* 7919 &+ count) % 2000)"])
        }
        let theirs = try Load.run(port: pocketBase.process.port, connections: 16, seconds: seconds) { thread, count in
            pocketBase.lookup(1 << 50 | (thread &* 7919 &+ count) % 2000)
        }
        // A page's worth, also for the feed further down; how many it saved above depends on the machine.
        let connection = try HTTPConnection(port: kinto.process.port)
        for number in 0..<200 { _ = try connection.ask(kinto.save(number)) }
        let other = try Load.run(port: kinto.process.port, connections: 8, seconds: seconds) { thread, count in
            kinto.lookup((thread &* 7919 &+ count) % 200)
        }
        results.add(
            .rate("lookup/1", "lookups/s", ours: one.perSecond, peer: PocketBase.name, theirs: theirs.perSecond))
        results.add(.rate("lookup/1", "lookups/s", ours: one.perSecond, peer: Kinto.name, theirs: other.perSecond))

        let many = try Load.run(port: stratus.process.port, connections: 4, seconds: seconds) { thread, count in
            let first = (thread &* 7919 &+ count &* 200) % 1800
            return stratus.lookup((first..<first + 200).map { "b-\($0)" })
        }
        // PocketBase has no look-up of several; a page of 200 is the nearest that it does.
        let page = try Load.run(port: pocketBase.process.port, connections: 4, seconds: seconds) { _, count in
            pocketBase.page(1 + count % 10)
        }
        results.add(
            .rate("lookup/200", "lookups/s", ours: many.perSecond, peer: PocketBase.name, theirs: page.perSecond))
    }

    /// Brings both to the 2,000 records that are read, however few the batches above saved on a slow machine: a batch that is
    /// there already is refused as a whole.
    private func fill(_ stratus: Stratus, _ pocketBase: PocketBase) throws {
        let (ours, theirs) = (
            try HTTPConnection(port: stratus.process.port), try HTTPConnection(port: pocketBase.process.port)
        )
        for first in stride(from: 0, to: 2000, by: 200) {
            let numbers = first..<first + 200
            _ = try ours.ask(stratus.save(numbers.map { "b-\($0)" }, numbers.map { SmallRecord($0) }))
            _ = try theirs.ask(pocketBase.saveBatch(1 << 50 | first..<(1 << 50 | first) + 200))
        }
    }

    private func changes(
        _ stratus: Stratus, _ pocketBase: PocketBase, _ kinto: Kinto, _ directory: URL, _ results: inout Results
    ) throws {
        let tokens = try stratus.pageTokens(zone: "Bench", pages: 10)
        let ours = try Load.run(port: stratus.process.port, connections: 4, seconds: seconds) { _, count in
            stratus.changes(since: tokens[count % tokens.count])
        }
        let theirs = try Load.run(port: pocketBase.process.port, connections: 4, seconds: seconds) { _, count in
            pocketBase.page(1 + count % 10)
        }
        let other = try Load.run(port: kinto.process.port, connections: 4, seconds: seconds) { _, _ in kinto.changes() }
        let raw = try RawSQLite(directory: directory, name: "raw-changes").pagesPerSecond(of: 200, seconds: seconds)
        results.add(
            .rate("changes/200", "pages/s", ours: ours.perSecond, peer: PocketBase.name, theirs: theirs.perSecond))
        results.add(.rate("changes/200", "pages/s", ours: ours.perSecond, peer: Kinto.name, theirs: other.perSecond))
        results.add(.rate("changes/200", "pages/s", ours: ours.perSecond, peer: RawSQLite.name, theirs: raw))
    }

    /// A page costs what it returns: the same in a zone of a thousand records and in one of a million.
    private func changesAtScale(_ stratus: Stratus, _ results: inout Results) throws {
        var medians: [Double] = []
        for (zone, size) in [("Small", 1000), ("Large", scale)] {
            try stratus.ask(stratus.createZone(zone))
            let connection = try HTTPConnection(port: stratus.process.port)
            for first in stride(from: 0, to: size, by: 200) {
                let numbers = first..<first + 200
                let answer = try connection.ask(
                    stratus.save(numbers.map { "\(zone)-\($0)" }, numbers.map { SmallRecord($0) }, zone: zone))
                guard answer.status == 200 else {
                    throw HTTPConnection.Failure(description: String(decoding: answer.body.prefix(500), as: UTF8.self))
                }
            }
            let tokens = try stratus.pageTokens(zone: zone, pages: 4)
            let pages = try Load.run(port: stratus.process.port, connections: 1, seconds: seconds) { _, count in
                stratus.changes(zone: zone, since: tokens[count % tokens.count])
            }
            medians.append(pages.median)
        }
        results.add(
            .cost("changes/scale", "ms", ours: medians[1] * 1000, peer: "self", theirs: medians[0] * 1000))
    }
}
