import CDevices
import Foundation
import Glibc

/// `./bench sync`: devices that keep each other up to date through Stratus.
struct SyncBenchmark {
    var stratus: URL
    /// The program whose devices are written as an app is.
    var devices: URL
    /// A tenth of the rounds, devices and records, to try it out.
    var isQuick: Bool

    func run() throws -> Results {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent(
            "stratus-bench-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        Self.raiseFileLimit()
        func folder(_ name: String) throws -> URL {
            let folder = directory.appendingPathComponent(name)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            return folder
        }

        var results = Results()
        Results.printHeader()
        let counts = isQuick ? [1, 100] : [1, 100, 1000]
        let crowd = (0..<5).map { "crowd-\($0)" }
        // A server that has done nothing yet, so that what it takes is the devices'.
        try idleDevices(Stratus(executable: stratus, directory: try folder("idle"), accounts: crowd), crowd, &results)
        // An account for each: that a device has left is noticed only when its poll's time is up.
        let server = try Stratus(
            executable: stratus, directory: try folder("busy"), accounts: ["bench"] + counts.map { "owner-\($0)" })
        for count in counts { try events(server, devices: count, account: "owner-\(count)", &results) }
        try initialSync(server, directory, &results)
        return results
    }

    // MARK: - Events

    /// Of the connected devices, up to ten are apps, with sync engines; what reaches them is timed. The others do what an
    /// app does on the wire.
    private func events(
        _ server: Stratus, devices count: Int, account: String, _ results: inout Results
    ) throws {
        let apps = min(count, 10)
        let rounds = [
            String(isQuick ? 20 : count < 1000 ? 200 : 60), String(apps), String(0.02 + Double(count) * 0.0005),
        ]
        try server.ask(server.createZone("Events", account: account))
        try server.ask(server.subscribe(account: account))
        let targets = try server.pushTargets(count - apps, account: account)
        var crowd = Herd(
            port: server.process.port, targets: targets, fetching: server.changesTarget(account), zone: "Events")
        try crowd?.waitUntilWaiting()
        let ours = try withExtendedLifetime(crowd) { try measure(server.environment(account), ["event"] + rounds) }
        crowd = nil

        guard let bare = bare_server_start() else { throw HTTPConnection.Failure(description: "no bare server") }
        defer { bare_server_stop(bare) }
        let port = Int(bare_server_port(bare))
        let others = Herd(port: port, targets: Array(repeating: "/wait", count: count - apps))
        try others?.waitUntilWaiting()
        let theirs = try withExtendedLifetime(others) {
            try measure([:], ["long-poll", "http://127.0.0.1:\(port)"] + rounds)
        }

        func add(_ name: String, _ key: String) {
            results.add(
                .cost(
                    name, "ms", ours: (ours[key] ?? .nan) * 1000, peer: "long-poll",
                    theirs: (theirs[key] ?? .nan) * 1000))
        }
        add("event/\(count)", "median")
        add("event/\(count)/p99", "p99")
    }

    // MARK: - The first sync

    private func initialSync(_ server: Stratus, _ directory: URL, _ results: inout Results) throws {
        let count = isQuick ? 10_000 : 100_000
        try server.ask(server.createZone("Full"))
        let connection = try HTTPConnection(port: server.process.port)
        for first in stride(from: 0, to: count, by: 200) {
            let numbers = first..<first + 200
            let answer = try connection.ask(
                server.save(numbers.map { "full-\($0)" }, numbers.map { SmallRecord($0) }, zone: "Full"))
            guard answer.status == 200 else {
                throw HTTPConnection.Failure(description: String(decoding: answer.body.prefix(500), as: UTF8.self))
            }
        }
        let ours = try (0..<3).map { _ in try measure(server.environment("bench"), ["initial-sync", "Full"]) }
        guard ours.allSatisfy({ $0["records"] == Double(count) }) else {
            throw HTTPConnection.Failure(description: "not all records came: \(ours)")
        }
        let best = ours.compactMap { $0["seconds"] }.sorted()[1]
        let raw = try RawSQLite(directory: directory, name: "raw-full").secondsToRead(rows: count)
        results.add(.cost("initial-sync/\(count)", "ms", ours: best * 1000, peer: RawSQLite.name, theirs: raw * 1000))
    }

    // MARK: - Devices that wait

    private func idleDevices(_ server: Stratus, _ accounts: [String], _ results: inout Results) throws {
        let each = isQuick ? 100 : 1000
        let count = each * accounts.count
        for account in accounts {
            try server.ask(server.createZone("Events", account: account))
            try server.ask(server.subscribe(account: account))
        }
        let before = server.process.residentMemory
        let targets = try accounts.flatMap { try server.pushTargets(each, account: $0) }
        var crowd = Herd(port: server.process.port, targets: targets)
        guard let first = crowd else { throw HTTPConnection.Failure(description: "the devices cannot connect") }
        try first.waitUntilWaiting()
        let memory = (server.process.residentMemory - before) * 1024 / Double(count)
        results.add(.cost("idle-device", "KB", ours: memory, peer: "aim", theirs: 16))

        let ours = try first.reach(rounds: 9) { round in
            try inParallel(accounts) { account in
                try server.ask(
                    server.save(["reach-\(round)"], [SmallRecord(round)], zone: "Events", account: account))
            }
        }
        crowd = nil
        guard let bare = bare_server_start() else { throw HTTPConnection.Failure(description: "no bare server") }
        defer { bare_server_stop(bare) }
        let port = Int(bare_server_port(bare))
        guard let others = Herd(port: port, targets: Array(repeating: "/wait", count: count)) else {
            throw HTTPConnection.Failure(description: "the devices cannot connect")
        }
        try others.waitUntilWaiting()
        let theirs = try others.reach(rounds: 9) { _ in
            _ = try HTTPConnection(port: port).ask(HTTPQuestion("POST", "/tell"))
        }
        results.add(
            .cost("idle-device/one", "ms", ours: ours.one * 1000, peer: "long-poll", theirs: theirs.one * 1000))
        results.add(
            .cost("idle-device/all", "ms", ours: ours.all * 1000, peer: "long-poll", theirs: theirs.all * 1000))
    }

    // MARK: - Parts

    /// Lets the program with the apps' devices measure something.
    private func measure(_ environment: [String: String], _ arguments: [String]) throws -> [String: Double] {
        let process = Process()
        let output = Pipe()
        process.executableURL = devices
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardOutput = output
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw HTTPConnection.Failure(description: "\(arguments.joined(separator: " ")) failed")
        }
        return try JSONDecoder().decode([String: Double].self, from: data)
    }

    private static func raiseFileLimit() {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
}

/// Does something for each element at the same time.
private func inParallel<Element: Sendable>(
    _ elements: [Element], _ body: @escaping @Sendable (Element) throws -> Void
) throws {
    let failures = Failures()
    DispatchQueue.concurrentPerform(iterations: elements.count) { index in
        do { try body(elements[index]) } catch { failures.add(error) }
    }
    if let failure = failures.first { throw failure }
}

// Unchecked: every access is under the lock.
private final class Failures: @unchecked Sendable {
    private let lock = NSLock()
    private var errors: [any Error] = []

    func add(_ error: any Error) { lock.withLock { errors.append(error) } }
    var first: (any Error)? { lock.withLock { errors.first } }
}
