import Dispatch
import Synchronization

/// Ends requests whose time is up.
///
/// Foundation takes one limit for all requests of a session on these platforms and ignores a request's own. One timer
/// serves all requests: a timer for each would outlive its request by the length of the limit.
final class RequestDeadlines: Sendable {
    static let shared = RequestDeadlines()

    struct Entry: Hashable, Sendable {
        fileprivate let number: UInt64
    }

    private struct State {
        var last: UInt64 = 0
        var pending: [Entry: (deadline: ContinuousClock.Instant, expire: @Sendable () -> Void)] = [:]
        var isTicking = false
    }

    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "CloudKit.deadlines")
    /// How late a request may be ended.
    private static let step = DispatchTimeInterval.milliseconds(200)

    /// - Parameter expire: Called once, when the time is up and the entry was not removed.
    func add(after seconds: Double, _ expire: @escaping @Sendable () -> Void) -> Entry {
        let deadline = ContinuousClock.now + .seconds(min(max(seconds, 0), 1e9))
        let (entry, begins) = state.withLock { state in
            state.last += 1
            let entry = Entry(number: state.last)
            state.pending[entry] = (deadline, expire)
            let begins = !state.isTicking
            state.isTicking = true
            return (entry, begins)
        }
        if begins { tickLater() }
        return entry
    }

    func remove(_ entry: Entry) {
        state.withLock { $0.pending[entry] = nil }
    }

    private func tickLater() {
        queue.asyncAfter(deadline: .now() + Self.step) { self.tick() }
    }

    private func tick() {
        let now = ContinuousClock.now
        let (expired, goesOn) = state.withLock { state in
            let expired = state.pending.filter { $0.value.deadline <= now }
            for entry in expired.keys { state.pending[entry] = nil }
            state.isTicking = !state.pending.isEmpty
            return (expired.values.map(\.expire), state.isTicking)
        }
        for expire in expired { expire() }
        if goesOn { tickLater() }
    }
}
