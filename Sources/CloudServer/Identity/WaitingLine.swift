import Dispatch
import Synchronization
import WebServices

/// What takes long is done one at a time, on a thread beside those that answer requests. The line is short: who comes to its
/// end is told to come back, and one network has no more than a part of it.
package final class WaitingLine: Sendable {
    private struct Line: Sendable {
        var length = 0
        var networks: [String: Int] = [:]
    }

    private let queue: DispatchQueue
    private let line = Mutex(Line())
    private let capacity: Int

    init(_ name: String, capacity: Int) {
        queue = DispatchQueue(label: "stratus.\(name)")
        self.capacity = capacity
    }

    /// Runs `body` when its turn comes.
    ///
    /// - Parameter network: where the request came from; empty where that is not known.
    /// - Throws: `TRY_AGAIN_LATER` when too many wait.
    func add(from network: String, _ body: @escaping @Sendable () -> Void) throws(ServerError) {
        let isIn = line.withLock { line in
            let own = line.networks[network, default: 0]
            guard line.length < capacity, network.isEmpty || own < max(capacity / 4, 1) else { return false }
            line.length += 1
            line.networks[network] = own + 1
            return true
        }
        guard isIn else {
            throw ServerError(.tryAgainLater, "Too many people wait just now", retryAfter: 2)
        }
        queue.async { [self] in
            body()
            line.withLock { line in
                line.length -= 1
                let own = line.networks[network, default: 1] - 1
                line.networks[network] = own == 0 ? nil : own
            }
        }
    }
}
