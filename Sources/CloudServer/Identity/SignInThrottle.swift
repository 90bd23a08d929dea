import Synchronization

/// Slows down guessing at passwords: after three failures in a row an account takes no attempt for a second, then two,
/// then four, up to a minute. A success clears it.
final class SignInThrottle: Sendable {
    private let failures = Mutex<[String: (count: Int, until: Int64)]>([:])
    private static let allowance = 3
    private static let longestWait: Int64 = 60_000
    private static let capacity = 10_000

    /// How long, in milliseconds, until the account takes another attempt; 0 if it takes one now.
    func wait(_ account: String, now: Int64) -> Int64 {
        failures.withLock { max(0, ($0[account]?.until ?? 0) - now) }
    }

    func failed(_ account: String, now: Int64) {
        failures.withLock { failures in
            if failures.count >= Self.capacity { failures = failures.filter { $0.value.until > now } }
            // Full of names that are being guessed at right now: forgetting some is better than growing without end.
            if failures.count >= Self.capacity { failures.removeAll() }
            let count = (failures[account]?.count ?? 0) + 1
            let excess = count - Self.allowance
            let wait = excess < 0 ? 0 : min(1000 << Int64(min(excess, 16)), Self.longestWait)
            failures[account] = (count, now + wait)
        }
    }

    func succeeded(_ account: String) {
        _ = failures.withLock { $0.removeValue(forKey: account) }
    }
}
