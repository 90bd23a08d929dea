import Foundation
import Synchronization

/// What goes on by itself on a device, its sync engines and its waiting for pushes: so that a test can wait until nothing
/// does.
package final class Activities: Sendable {
    /// Says what is at work or about to be; nil while nothing is. Asked from any thread.
    package typealias Check = @Sendable () -> String?

    private let checks = Mutex<[UUID: Check]>([:])
    private let changes = Observers()

    package init() {}

    /// - Parameter check: Hold what it looks at weakly. Whenever its answer may be another one, call `changed`.
    /// - Returns: What keeps the activity; letting it go ends it.
    package func begin(_ check: @escaping Check) -> Observation {
        let id = UUID()
        checks.withLock { $0[id] = check }
        changed()
        return Observation { [weak self] in
            self?.checks.withLock { $0[id] = nil }
            self?.changed()
        }
    }

    /// Something began, or ended. Beginnings count: whoever looks at one activity after the other has to look again.
    package func changed() { changes.notify() }

    /// Calls `observer` after each change.
    package func observe(_ observer: @escaping @Sendable () -> Void) -> Observation { changes.add(observer) }

    /// What goes on.
    package var descriptions: [String] {
        checks.withLock { Array($0.values) }.compactMap { $0() }
    }
}
