import Dispatch
import Synchronization
import WebServices

/// Where passwords are checked: one at a time, since each takes tens of milliseconds and 19 MiB on purpose, on a thread beside
/// those that answer requests. The line is short: who comes to its end is told to come back, and one network has no more than
/// a part of it.
package final class PasswordQueue: Sendable {
    private struct Line: Sendable {
        var length = 0
        var networks: [String: Int] = [:]
    }

    private let queue = DispatchQueue(label: "stratus.passwords")
    private let line = Mutex(Line())
    private let capacity: Int

    init(capacity: Int) { self.capacity = capacity }

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
            throw ServerError(.tryAgainLater, "Too many people are signing in just now", retryAfter: 2)
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
