import Foundation

/// Who is told of commits, and the commits yet to be told: each once, in their order, by one thread at a time.
final class CommitObservers: @unchecked Sendable {  // what changes is used under the lock
    private let lock = NSLock()
    private var observers: [(id: Int, tell: @Sendable (Commit) -> Void)] = []
    private var nextID = 0
    private var waiting: [Waiting] = []
    private var isDelivering = false
    private var onStop: (@Sendable () -> Void)?
    /// Transactions that this store wrote itself, so that the watch over the file does not tell them again.
    private var own: Set<Int64> = []

    /// A commit yet to be told.
    private struct Waiting {
        var commit: Commit
        /// Whether any thread may tell it; else the one that committed, which is on its way.
        var isAnybodys: Bool
    }

    func add(_ tell: @escaping @Sendable (Commit) -> Void) -> Int {
        lock.withLock {
            nextID += 1
            observers.append((nextID, tell))
            return nextID
        }
    }

    /// - Returns: whether nobody is left.
    func remove(_ id: Int) -> Bool {
        lock.withLock {
            observers.removeAll { $0.id == id }
            return observers.isEmpty
        }
    }

    /// - Parameter isOwn: Whether this thread committed it, and will call `deliver(ownToo: true)`.
    func enqueue(_ commit: Commit, isOwn: Bool) {
        lock.withLock {
            guard !observers.isEmpty else { return }
            waiting.append(Waiting(commit: commit, isAnybodys: !isOwn))
        }
    }

    /// Called before the commit: the watch may see it sooner than the writer goes on.
    func noteOwn(_ transaction: Int64) {
        lock.withLock {
            if onStop != nil, transaction > 0 { own.insert(transaction) }
        }
    }

    /// Whether a transaction is one of this store's own; asked once for each.
    func takeOwn(_ transaction: Int64) -> Bool {
        lock.withLock { own.remove(transaction) != nil }
    }

    /// Tells what waits, unless another thread is at it, which then tells this too.
    ///
    /// - Parameter ownToo: Whether this thread has committed. The watch over the file, which may see a commit sooner than its
    ///   writer goes on, leaves it to the writer: that is when apps expect to hear of it.
    func deliver(ownToo: Bool) {
        while true {
            let next: (Commit, [@Sendable (Commit) -> Void])? = lock.withLock {
                if isDelivering {
                    if ownToo { for index in waiting.indices { waiting[index].isAnybodys = true } }
                    return nil
                }
                guard let first = waiting.first, ownToo || first.isAnybodys else { return nil }
                isDelivering = true
                return (waiting.removeFirst().commit, observers.map(\.tell))
            }
            guard let (commit, tell) = next else { return }
            for each in tell { each(commit) }
            lock.withLock { isDelivering = false }
        }
    }

    /// Keeps the watch over the file, to end it with the store.
    func watch(stop: @escaping @Sendable () -> Void) -> Bool {
        lock.withLock {
            guard onStop == nil else { return false }
            onStop = stop
            return true
        }
    }

    func stop() {
        let stop = lock.withLock {
            defer { onStop = nil }
            return onStop
        }
        stop?()
    }
}

extension PersistentStore {
    /// Tells of every commit after it is kept: those of this store on the thread that committed, in their order; those of other
    /// processes and of other stores of the file soon after, if they keep a history.
    ///
    /// - Returns: ends the telling when it goes or is cancelled.
    package func observeCommits(_ tell: @escaping @Sendable (Commit) -> Void) -> CommitObservation {
        let id = observers.add(tell)
        startWatch()
        return CommitObservation { [observers] in _ = observers.remove(id) }
    }

    private func startWatch() {
        guard case .file(let url) = location, options.tracksHistory else { return }
        guard let seen = try? read({ try $0.newestTransaction() }),
            let watch = CommitWatch(url: url, database: database, layout: layout, observers: observers, seen: seen),
            observers.watch(stop: { watch.stop() })
        else { return }
        watch.start()
    }
}
