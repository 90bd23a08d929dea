import Foundation
import SQL

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#elseif canImport(Darwin)
    import Darwin
#endif

/// Follows the history of a file on a thread of its own and tells what other processes, and other stores of this one, committed.
///
/// It holds the connections and the observers but not the store, which would else never end.
final class CommitWatch: @unchecked Sendable {  // `seen` is used by the thread only
    private let url: URL
    private let database: StoreDatabase
    private let layout: StoreLayout
    private let observers: CommitObservers
    private var seen: Int64
    private let stopPipe: (read: Int32, write: Int32)

    init?(url: URL, database: StoreDatabase, layout: StoreLayout, observers: CommitObservers, seen: Int64) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return nil }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        stopPipe = (ends[0], ends[1])
        self.url = url
        self.database = database
        self.layout = layout
        self.observers = observers
        self.seen = seen
    }

    deinit { close(stopPipe.read) }

    func start() {
        let thread = Thread { self.run() }
        thread.name = "PersistentStore commits"
        thread.stackSize = 512 << 10
        thread.start()
    }

    func stop() { close(stopPipe.write) }

    private func run() {
        #if os(Linux) || os(Android)
            let notifications = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
            if notifications >= 0 {
                inotify_add_watch(
                    notifications, url.deletingLastPathComponent().path, UInt32(IN_MODIFY) | UInt32(IN_CREATE))
            }
            defer { if notifications >= 0 { close(notifications) } }
            let quiet: Int32 = notifications >= 0 ? -1 : 200
        #else
            let notifications: Int32 = -1
            let quiet: Int32 = 200
        #endif
        // The log is written before the commit can be seen, which nothing reports: after each sign of a write the thread looks
        // again and again, ever more slowly, for some seconds.
        var timeout: Int32 = 10
        // What came between the store's first look and the beginning of the watch.
        tell()
        while true {
            var events = [
                pollfd(fd: stopPipe.read, events: Int16(POLLIN), revents: 0),
                pollfd(fd: notifications, events: Int16(POLLIN), revents: 0),
            ]
            let count = poll(&events, 2, timeout)
            if events[0].revents != 0 { return }
            if count < 0 && errno != EINTR { return }
            if events[1].revents != 0 {
                timeout = 5
            } else if timeout != quiet {
                timeout = timeout < 2000 ? timeout * 2 : quiet
            }
            if notifications >= 0 {
                // Which file it was is not worth reading: the history tells.
                withUnsafeTemporaryAllocation(byteCount: 16384, alignment: 8) { buffer in
                    while read(notifications, buffer.baseAddress, buffer.count) > 0 {}
                }
            }
            tell()
        }
    }

    private func tell() {
        let news: [HistoryTransaction]? = try? database.read { session in
            let reader = StoreReader(session: session, layout: layout)
            guard try reader.newestTransaction() > seen else { return [] }
            var query = HistoryQuery(after: seen)
            query.failsWhenExpired = false
            query.includesChanges = false
            var news = try reader.history(query)
            seen = news.last?.number ?? seen
            // This store's own, which may be large, were told when they were made.
            news.removeAll { observers.takeOwn($0.number) }
            query.includesChanges = true
            return try news.flatMap { transaction in
                query.after = transaction.number - 1
                query.through = transaction.number
                return try reader.history(query)
            }
        }
        for transaction in news ?? [] { observers.enqueue(Commit(transaction), isOwn: false) }
        observers.deliver(ownToo: false)
    }
}

extension Commit {
    init(_ transaction: HistoryTransaction) {
        self.init(
            transaction: transaction.number, author: transaction.author, context: transaction.context,
            timestamp: transaction.timestamp)
        for change in transaction.changes {
            switch change.kind {
            case .insert: inserted.append(change.row)
            case .update:
                updated.append(change.row)
                updatedProperties.append(change.updatedProperties ?? PropertySet())
            case .delete: deleted.append(change.row)
            }
        }
    }
}
