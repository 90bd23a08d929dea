import CloudStore
import Dispatch
import Synchronization

/// The work that is never urgent: contents of deleted zones, old tombstones, files that no record refers to, old rows of the request log, ended sessions.
///
/// It goes in short steps, between which the store's writers serve others. A simulation never starts it and takes the
/// steps itself (`CloudServer.maintenanceStep`).
final class Maintenance: Sendable {
    private let queue = DispatchQueue(label: "stratus.maintenance", qos: .utility)
    private let running = Mutex<Running?>(nil)
    private let isStopping = Atomic(false)
    /// Containers of whose indexes this process knows that they are whole.
    private let indexed = Mutex<Set<String>>([])

    // Unchecked: the timer is only ever cancelled, which any thread may do.
    private struct Running: @unchecked Sendable {
        var timer: any DispatchSourceTimer
    }

    /// How often it looks for work.
    struct Schedule: Sendable {
        /// Sending the request log's waiting rows to their store.
        var flush: DispatchTimeInterval = .seconds(1)
        /// Rounds over all containers, in milliseconds.
        var round: Int64 = 60_000
        /// Steps at a time; the rest waits for the next tick.
        var steps = 200
    }

    func start(_ server: CloudServer, _ schedule: Schedule) {
        running.withLock { running in
            guard running == nil else { return }
            let timer = DispatchSource.makeTimerSource(queue: queue)
            timer.schedule(deadline: .now() + schedule.flush, repeating: schedule.flush)
            let nextRound = Mutex<Int64>(0)
            timer.setEventHandler { [weak self, weak server] in
                guard let server else { return }
                server.requestLog.flush()
                let now = server.clock.now()
                guard nextRound.withLock({ $0 <= now }) else { return }
                if !server.maintain(steps: schedule.steps) { nextRound.withLock { $0 = now + schedule.round } }
                self?.finishIndexes(server)
            }
            timer.resume()
            running = Running(timer: timer)
        }
    }

    /// Returns when no step is under way any more.
    func stop() {
        let timer = running.withLock { running in
            defer { running = nil }
            return running?.timer
        }
        guard let timer else { return }
        timer.cancel()
        isStopping.store(true, ordering: .relaxed)
        queue.sync {}
        isStopping.store(false, ordering: .relaxed)
    }

    /// Builds what an interrupted change of a schema left to do, and indexes that a newer version of the program has.
    func finishIndexes(_ server: CloudServer) {
        do {
            for (identifier, environment) in try server.store.containers() {
                let name = "\(identifier)/\(environment)"
                guard !indexed.withLock({ $0.contains(name) }),
                    let container = try server.store.container(identifier, environment, create: false)
                else { continue }
                let build = IndexBuild(container: container) { [weak self] in
                    self?.isStopping.load(ordering: .relaxed) ?? true
                }
                try build.run(now: server.clock.now())
                indexed.withLock { _ = $0.insert(name) }
            }
        } catch is CancellationError {
            // The next start goes on.
        } catch {
            server.log.write(.warning, "an index could not be built: \(error)")
        }
    }
}

extension CloudServer {
    /// Begins the work in the background: maintenance, and keeping the request log up to date.
    package func start() {
        maintenance.start(self, Maintenance.Schedule())
    }

    /// Ends the work in the background and every poll, and writes the rest of the request log. The store stays open.
    package func stop() {
        push.stop()
        maintenance.stop()
        requestLog.flush()
        do { try identity.saveThrottle() } catch { log.write(.warning, "cannot keep the failed sign-ins: \(error)") }
    }

    /// One short step of maintenance in each container.
    ///
    /// - Returns: whether there is more to do at once.
    package func maintenanceStep() throws -> Bool {
        let now = clock.now()
        var hasMore = false
        for (identifier, environment) in try store.containers() {
            guard let container = try store.container(identifier, environment, create: false) else { continue }
            if try container.runMaintenanceStep(now: now, tombstoneLife: configuration.tombstoneLife) { hasMore = true }
            if try container.runAssetStep(now: now) { hasMore = true }
        }
        var retention: [String: Int64] = [:]
        for container in try store.control.containers() {
            if let life = container.requestLogLife { retention[container.identifier] = now - life }
        }
        if try store.requests.prune(before: now - configuration.requestLogLife, retention: retention) { hasMore = true }
        try store.control.deleteSessions(expiredBefore: now)
        try identity.saveThrottle()
        return hasMore
    }

    /// Several steps, with what goes wrong in the log. Returns whether there is more to do.
    fileprivate func maintain(steps: Int) -> Bool {
        do {
            for _ in 0..<steps where try !maintenanceStep() { return false }
            return true
        } catch {
            log.write(.warning, "maintenance failed: \(error)")
            return false
        }
    }
}
