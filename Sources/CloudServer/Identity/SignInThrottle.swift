import CloudStore
import Synchronization
import WebServices

/// Slows down guessing at passwords.
///
/// Failures are counted for an account from one network, for a network over all accounts, and for an account from everywhere.
/// Each count has its allowance; beyond it no attempt is taken for a second, then two, then four, up to a minute, and what has
/// been quiet for a quarter of an hour is forgotten. Whoever signed in from a network before is only slowed by failures from
/// there: a stranger who guesses elsewhere keeps nobody out.
final class SignInThrottle: Sendable {
    /// Who tries, and from where; the network is empty where it is not known.
    struct Attempt: Sendable {
        var account: String
        var network: String

        var pair: String { "p\(account)\u{0}\(network)" }
        var subjects: [(name: String, allowance: Int)] {
            var all = [(pair, 3)]
            if !network.isEmpty { all += [("n\(network)", 30), ("a\(account)", 100)] }
            return all
        }
    }

    private struct Count: Sendable {
        var failures = 0
        /// No attempt before this time.
        var until: Int64 = 0
        /// When the last attempt was.
        var last: Int64
        /// Somebody has signed in here.
        var isKnown = false
    }

    private struct State: Sendable {
        var counts: [String: Count] = [:]
        var hasChanged = false
    }

    private let state = Mutex(State())
    /// What the counts are kept under: neither names nor addresses lie in memory or in the store for this.
    private let key: @Sendable (String) -> String
    private static let longestWait: Int64 = 60_000
    private static let memory: Int64 = 15 * 60_000
    private static let knownLife: Int64 = 90 * 24 * 3_600_000
    private static let capacity = 20_000

    init(_ secret: ServerSecret) {
        key = { Hex.encode(Array(secret.code(.signIn, Array($0.utf8)).prefix(12))) }
    }

    /// How long, in milliseconds, until the attempt is taken; 0 if it is taken now.
    func wait(_ attempt: Attempt, now: Int64) -> Int64 {
        state.withLock { state in
            let isKnown = state.counts[key(attempt.pair)].map { Self.isLive($0, now) && $0.isKnown } ?? false
            let subjects = isKnown ? attempt.subjects.prefix(1) : attempt.subjects[...]
            return subjects.reduce(0) { max($0, (state.counts[key($1.name)]?.until ?? 0) - now) }
        }
    }

    func failed(_ attempt: Attempt, now: Int64) {
        state.withLock { state in
            for subject in attempt.subjects {
                var count = state.counts[key(subject.name)] ?? Count(last: now)
                if now - count.last > Self.memory { count.failures = 0 }
                count.failures += 1
                count.last = now
                let excess = count.failures - subject.allowance
                count.until = excess < 0 ? 0 : now + min(1000 << Int64(min(excess, 16)), Self.longestWait)
                Self.keep(count, key(subject.name), &state, now)
            }
        }
    }

    func succeeded(_ attempt: Attempt, now: Int64) {
        state.withLock { state in
            Self.keep(Count(last: now, isKnown: true), key(attempt.pair), &state, now)
        }
    }

    private static func isLive(_ count: Count, _ now: Int64) -> Bool {
        now - count.last <= (count.isKnown ? knownLife : memory)
    }

    private static func keep(_ count: Count, _ key: String, _ state: inout State, _ now: Int64) {
        if state.counts.count >= capacity, state.counts[key] == nil {
            state.counts = state.counts.filter { isLive($0.value, now) }
            // Full of what is being guessed at right now: forgetting half of it is better than growing without end.
            if state.counts.count >= capacity {
                let known = state.counts.filter { $0.value.isKnown }
                state.counts = known.count < capacity / 2 ? known : [:]
            }
        }
        state.counts[key] = count
        state.hasChanged = true
    }

    // MARK: - Over a restart

    /// The counts as text, if they are others than when they were last asked for.
    func changes(now: Int64) -> [UInt8]? {
        state.withLock { state in
            guard state.hasChanged else { return nil }
            state.hasChanged = false
            let lines = state.counts.filter { Self.isLive($0.value, now) }
                .map { "\($0) \($1.failures) \($1.until) \($1.last) \($1.isKnown ? 1 : 0)" }
            return Array(lines.joined(separator: "\n").utf8)
        }
    }

    func restore(_ text: [UInt8]) {
        state.withLock { state in
            for line in String(decoding: text, as: UTF8.self).split(separator: "\n").prefix(Self.capacity) {
                let parts = line.split(separator: " ")
                guard parts.count == 5, let failures = Int(parts[1]), let until = Int64(parts[2]),
                    let last = Int64(parts[3])
                else { continue }
                state.counts[String(parts[0])] = Count(
                    failures: failures, until: until, last: last, isKnown: parts[4] == "1")
            }
        }
    }
}

extension Identity {
    private static let throttleSetting = "sign-in.throttle"

    /// Keeps the counts of failed sign-ins for after a restart, if they have changed.
    func saveThrottle() throws {
        guard let text = throttle.changes(now: clock.now()) else { return }
        try control.setSetting(Self.throttleSetting, text)
    }

    func restoreThrottle() throws {
        if let text = try control.setting(Self.throttleSetting) { throttle.restore(text) }
    }
}
