import Foundation
import Synchronization

/// What goes on by itself on a device, such as its sync engines: so that a test can wait until nothing does.
package final class Activities: Sendable {
    private let checks = Mutex<[UUID: @Sendable () -> Bool]>([:])

    init() {}

    /// - Parameter isBusy: Whether something is at work or about to be; asked from any thread. Hold what it looks at weakly.
    /// - Returns: To be handed to `remove`.
    package func add(_ isBusy: @escaping @Sendable () -> Bool) -> UUID {
        let id = UUID()
        checks.withLock { $0[id] = isBusy }
        return id
    }

    package func remove(_ id: UUID) {
        checks.withLock { $0[id] = nil }
    }

    package var isBusy: Bool {
        checks.withLock { Array($0.values) }.contains { $0() }
    }
}
