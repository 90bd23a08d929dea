import Foundation
import Synchronization

/// When something came to each of several devices.
final class Arrivals: Sendable {
    private struct State {
        var name = ""
        var times: [Double] = []
        var count = 0
        var waiting: CheckedContinuation<Bool, Never>?
    }

    private let state = Mutex(State())

    struct Missing: Error {}

    /// From now on, only what has this name counts.
    func expect(_ name: String, count: Int) {
        state.withLock { $0 = State(name: name, count: count) }
    }

    func add(_ name: String) {
        let time = now()
        let waiting = state.withLock { state -> CheckedContinuation<Bool, Never>? in
            guard state.name == name else { return nil }
            state.times.append(time)
            guard state.times.count == state.count else { return nil }
            defer { state.waiting = nil }
            return state.waiting
        }
        waiting?.resume(returning: true)
    }

    /// The times of all, when the last one has come.
    func all(within seconds: Double) async throws -> [Double] {
        let end = Task {
            try await Task.sleep(for: .seconds(seconds))
            state.withLock { state in
                defer { state.waiting = nil }
                return state.waiting
            }?.resume(returning: false)
        }
        defer { end.cancel() }
        let isWhole = await withCheckedContinuation { continuation in
            let isWhole = state.withLock { state in
                if state.times.count == state.count { return true }
                state.waiting = continuation
                return false
            }
            if isWhole { continuation.resume(returning: true) }
        }
        guard isWhole else { throw Missing() }
        return state.withLock { $0.times }
    }
}
