import Foundation
import Synchronization

/// Those who want to be told when something happens.
package final class Observers: Sendable {
    private let closures = Mutex<[UUID: @Sendable () -> Void]>([:])

    package init() {}

    /// Calls `observer` on whatever thread it happens, until the observation is cancelled or let go.
    package func add(_ observer: @escaping @Sendable () -> Void) -> Observation {
        let id = UUID()
        closures.withLock { $0[id] = observer }
        return Observation { [weak self] in self?.remove(id) }
    }

    package func notify() {
        for closure in closures.withLock({ Array($0.values) }) { closure() }
    }

    private func remove(_ id: UUID) {
        closures.withLock { $0[id] = nil }
    }
}

/// Somebody who is told something, until it is cancelled or let go.
package final class Observation: Sendable {
    private let end: Mutex<(@Sendable () -> Void)?>

    package init(_ end: @escaping @Sendable () -> Void) {
        self.end = Mutex(end)
    }

    package func cancel() {
        let end = self.end.withLock { end in
            defer { end = nil }
            return end
        }
        end?()
    }

    deinit { cancel() }
}
