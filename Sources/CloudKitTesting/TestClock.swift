import Foundation
import Synchronization

/// A clock that stands until the test turns it, but for a millisecond at each request, so that no two saves have the same
/// date.
public final class TestClock: Sendable {
    private let time: Mutex<Int64>

    /// - Parameter start: 2026-01-01 00:00 UTC unless told otherwise.
    public init(start: Date = Date(timeIntervalSince1970: 1_767_225_600)) {
        time = Mutex(Int64((start.timeIntervalSince1970 * 1000).rounded()))
    }

    public var now: Date { Date(timeIntervalSince1970: Double(milliseconds) / 1000) }

    /// Turns the clock forward.
    public func advance(by duration: Duration) {
        let (seconds, attoseconds) = duration.components
        time.withLock { $0 += seconds * 1000 + attoseconds / 1_000_000_000_000_000 }
    }

    var milliseconds: Int64 { time.withLock { $0 } }

    func tick() -> Int64 {
        time.withLock { time in
            time += 1
            return time
        }
    }
}
