import Synchronization

/// Counters of this process, for `/stratus/metrics`.
package final class Metrics: Sendable {
    /// Upper bounds of the histogram's buckets, in microseconds.
    private static let bounds: [Int64] = [
        500, 1000, 2500, 5000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000, 2_500_000,
    ]

    private struct Series: Hashable {
        var operation: String
        var status: Int
    }

    private struct Durations {
        var buckets = [Int](repeating: 0, count: Metrics.bounds.count + 1)
        var microseconds: Int64 = 0
        var count = 0

        mutating func add(_ duration: Int64, bucket: Int) {
            buckets[bucket] += 1
            microseconds &+= duration
            count += 1
        }
    }

    private struct State {
        var requests: [Series: Int] = [:]
        var durations: [String: Durations] = [:]
    }

    private let state = Mutex(State())

    package init() {}

    func count(_ operation: String, status: Int, microseconds: Int64) {
        let bucket = Self.bounds.firstIndex { microseconds <= $0 } ?? Self.bounds.count
        state.withLock { state in
            state.requests[Series(operation: operation, status: status), default: 0] += 1
            state.durations[operation, default: Durations()].add(microseconds, bucket: bucket)
        }
    }

    /// In Prometheus' text format, with gauges that are measured now.
    func prometheus(gauges: [(name: String, help: String, value: Int64)]) -> String {
        let state = state.withLock { $0 }
        var text = """
            # HELP stratus_requests_total Calls answered.
            # TYPE stratus_requests_total counter

            """
        for (series, count) in state.requests.sorted(by: {
            ($0.key.operation, $0.key.status) < ($1.key.operation, $1.key.status)
        }) {
            text += "stratus_requests_total{operation=\"\(series.operation)\",status=\"\(series.status)\"} \(count)\n"
        }
        text += """
            # HELP stratus_request_duration_seconds From a call's arrival to its answer.
            # TYPE stratus_request_duration_seconds histogram

            """
        for (operation, durations) in state.durations.sorted(by: { $0.key < $1.key }) {
            var sum = 0
            for (position, count) in durations.buckets.enumerated() {
                sum += count
                let bound = position < Self.bounds.count ? Self.seconds(Self.bounds[position]) : "+Inf"
                text += "stratus_request_duration_seconds_bucket{operation=\"\(operation)\",le=\"\(bound)\"} \(sum)\n"
            }
            text +=
                "stratus_request_duration_seconds_sum{operation=\"\(operation)\"} \(Self.seconds(durations.microseconds))\n"
            text += "stratus_request_duration_seconds_count{operation=\"\(operation)\"} \(durations.count)\n"
        }
        for gauge in gauges {
            text += "# HELP \(gauge.name) \(gauge.help)\n# TYPE \(gauge.name) gauge\n\(gauge.name) \(gauge.value)\n"
        }
        return text
    }

    private static func seconds(_ microseconds: Int64) -> String { "\(Double(microseconds) / 1_000_000)" }
}
