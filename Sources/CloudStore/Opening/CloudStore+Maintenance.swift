extension CloudStore {
    /// Starts a thread that does every container's maintenance again and again: contents of deleted zones, old tombstones.
    /// It works in short steps, between which the writers serve others. A second call does nothing; `close()` ends it.
    ///
    /// - Parameters:
    ///   - every: the pause between two rounds; milliseconds.
    ///   - tombstoneLife: how long a deleted record or zone is remembered; milliseconds.
    ///   - report: told of failures, which end a container's turn but not the rounds.
    package func startMaintenance(
        every: Int64, tombstoneLife: Int64, report: @escaping @Sendable (StoreError) -> Void = { _ in }
    ) {
        // The thread must not keep the store alive, whose end is what ends it.
        maintenance.start(every: every) { [weak self] isEnding in
            guard let self else { return }
            do {
                for (identifier, environment) in try containers() {
                    if isEnding() { return }
                    try maintain(identifier, environment, tombstoneLife, report, isEnding)
                }
            } catch {
                report((error as? StoreError) ?? StoreError(.invalid, "\(error)"))
            }
        }
    }

    private func maintain(
        _ identifier: String, _ environment: String, _ tombstoneLife: Int64, _ report: (StoreError) -> Void,
        _ isEnding: () -> Bool
    ) throws {
        guard let container = try container(identifier, environment, create: false) else { return }
        do {
            while try container.runMaintenanceStep(now: backend.options.now(), tombstoneLife: tombstoneLife) {
                if isEnding() { return }
            }
        } catch {
            report((error as? StoreError) ?? StoreError(.invalid, "\(identifier) \(environment): \(error)"))
        }
    }
}

/// A thread that does something, pauses, and does it again until it is told to end.
final class MaintenanceThread: @unchecked Sendable {  // what changes is inside `condition`
    private let condition = Condition()
    private var thread: StoreThread?
    private var isEnding = false

    func start(every pause: Int64, _ round: @escaping @Sendable (_ isEnding: () -> Bool) -> Void) {
        condition.locked {
            guard thread == nil, !isEnding else { return }
            thread = StoreThread { [self] in
                while !hasEnded {
                    round { self.hasEnded }
                    condition.locked {
                        if !isEnding { condition.wait(milliseconds: max(pause, 1)) }
                    }
                }
            }
        }
    }

    private var hasEnded: Bool { condition.locked { isEnding } }

    /// Waits for the step under way.
    func end() {
        let joining: StoreThread? = condition.locked {
            isEnding = true
            condition.broadcast()
            defer { thread = nil }
            return thread
        }
        joining?.join()
    }
}
