import Dispatch
import Synchronization

/// Where files that have come whole are kept. Each waits for the disk, so several do at once; of those that come later, one
/// of each tenant has its turn before the second of any, so that nobody waits behind all files of another.
final class KeepingLine: Sendable {
    private struct State: Sendable {
        var idle: [DispatchQueue]
        var waiting: [Tenant: [@Sendable () -> Void]] = [:]
        /// Whose turn it is next; each of `waiting` once.
        var turns: [Tenant] = []

        mutating func next() -> (@Sendable () -> Void)? {
            guard !turns.isEmpty else { return nil }
            let tenant = turns.removeFirst()
            guard var own = waiting[tenant], !own.isEmpty else { return nil }
            let body = own.removeFirst()
            waiting[tenant] = own.isEmpty ? nil : own
            if !own.isEmpty { turns.append(tenant) }
            return body
        }
    }

    private let state: Mutex<State>

    /// - Parameter width: how many wait for the disk at once.
    init(width: Int) {
        // Each has a thread when it needs one, which a concurrent queue has for each processor only.
        state = Mutex(State(idle: (0..<max(width, 1)).map { DispatchQueue(label: "stratus.keeping.\($0)") }))
    }

    func add(_ tenant: Tenant, _ body: @escaping @Sendable () -> Void) {
        let queue: DispatchQueue? = state.withLock { state in
            if let queue = state.idle.popLast() { return queue }
            if state.waiting[tenant] == nil { state.turns.append(tenant) }
            state.waiting[tenant, default: []].append(body)
            return nil
        }
        queue.map { run(body, on: $0) }
    }

    private func run(_ body: @escaping @Sendable () -> Void, on queue: DispatchQueue) {
        queue.async { [self] in
            body()
            let next = state.withLock { state in
                let next = state.next()
                if next == nil { state.idle.append(queue) }
                return next
            }
            if let next { run(next, on: queue) }
        }
    }
}
