import Foundation
import Glibc

/// What a run of requests came to.
struct LoadResult: Sendable {
    /// Seconds of each request, sorted.
    var latencies: [Double]
    /// Seconds from the first request to the last answer.
    var duration: Double

    var perSecond: Double { Double(latencies.count) / duration }
    var median: Double { percentile(0.5) }

    func percentile(_ share: Double) -> Double {
        latencies.isEmpty ? 0 : latencies[min(latencies.count - 1, Int(Double(latencies.count) * share))]
    }
}

enum Load {
    /// Keeps `connections` connections busy for `seconds`, each asking what `question` gives it next, and counts only answers
    /// that were a success.
    ///
    /// - Parameter question: called with the number of the connection and of the request on it.
    static func run(
        port: Int, connections: Int, seconds: Double, question: @escaping @Sendable (Int, Int) -> HTTPQuestion
    ) throws -> LoadResult {
        try work(connections: connections, seconds: seconds, atMost: .max, port: port) { number, count, connection in
            let asked = question(number, count)
            let answer = try connection.ask(asked)
            if answer.status / 100 != 2 {
                throw HTTPConnection.Failure(
                    description:
                        "\(asked.method) \(asked.path) answered \(answer.status): \(String(decoding: answer.body.prefix(400), as: UTF8.self))"
                )
            }
        }
    }

    /// Keeps `connections` connections busy for `seconds` with work of more than one request.
    ///
    /// - Parameters:
    ///   - limit: how often each connection works, if that comes first.
    ///   - body: called with the number of the connection and of the work on it.
    static func work(
        connections: Int, seconds: Double, atMost limit: Int, port: Int,
        body: @escaping @Sendable (Int, Int, HTTPConnection) throws -> Void
    ) throws -> LoadResult {
        let collected = Collected()
        let start = now()
        let threads = (0..<connections).map { number in
            Thread {
                do {
                    let connection = try HTTPConnection(port: port)
                    var latencies: [Double] = []
                    while now() - start < seconds, latencies.count < limit {
                        let begin = now()
                        try body(number, latencies.count, connection)
                        latencies.append(now() - begin)
                    }
                    collected.add(latencies)
                } catch {
                    collected.fail(error)
                }
            }
        }
        for thread in threads {
            thread.stackSize = 1 << 19
            thread.start()
        }
        let latencies = try collected.wait(for: connections)
        return LoadResult(latencies: latencies.sorted(), duration: now() - start)
    }

    /// Seconds of a clock that never goes back.
    static func now() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}

/// What the threads of a run bring home.
private final class Collected: @unchecked Sendable {
    // Unchecked: every access is under the condition's lock.
    private let condition = NSCondition()
    private var latencies: [Double] = []
    private var finished = 0
    private var failure: (any Error)?

    func add(_ more: [Double]) {
        condition.lock()
        latencies += more
        finished += 1
        condition.broadcast()
        condition.unlock()
    }

    func fail(_ error: any Error) {
        condition.lock()
        failure = failure ?? error
        finished += 1
        condition.broadcast()
        condition.unlock()
    }

    func wait(for threads: Int) throws -> [Double] {
        condition.lock()
        defer { condition.unlock() }
        while finished < threads { condition.wait() }
        if let failure { throw failure }
        return latencies
    }
}
