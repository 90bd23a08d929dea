import Foundation
import Synchronization

/// Counts everything that begins or ends in a cloud and on its devices, and wakes whoever waits for the next.
final class Stirring: Sendable {
    private struct State {
        var count: UInt64 = 0
        var waiting: [UUID: CheckedContinuation<Void, Never>] = [:]
        /// Woken for another reason before they began to wait.
        var woken: Set<UUID> = []
    }

    private let state = Mutex(State())

    var count: UInt64 { state.withLock { $0.count } }

    func stir() {
        let waiting = state.withLock { state in
            state.count += 1
            defer { state.waiting = [:] }
            return Array(state.waiting.values)
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Returns when something has stirred since the count was taken, when the time is up, or when the task is cancelled.
    func next(after count: UInt64, by deadline: ContinuousClock.Instant) async {
        let id = UUID()
        let timer = Task {
            try? await Task.sleep(until: deadline)
            self.wake(id)
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if state.count != count || state.woken.remove(id) != nil { return true }
                    state.waiting[id] = continuation
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            wake(id)
        }
        timer.cancel()
        // The timer wakes as it is cancelled, too.
        await timer.value
        state.withLock { _ = $0.woken.remove(id) }
    }

    private func wake(_ id: UUID) {
        let continuation = state.withLock { state in
            if let continuation = state.waiting.removeValue(forKey: id) { return Optional(continuation) }
            state.woken.insert(id)
            return nil
        }
        continuation?.resume()
    }
}
