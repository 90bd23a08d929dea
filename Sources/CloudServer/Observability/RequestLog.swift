import CloudStore
import Synchronization

/// Request outcomes on their way to the request log, which is written in batches and never on a request's path.
package final class RequestLog: Sendable {
    private let store: RequestLogStore
    private let waiting = Mutex<[RequestLogRow]>([])
    private static let batch = 256

    init(store: RequestLogStore) {
        self.store = store
    }

    /// Adds a row; a full batch goes to the store's own thread.
    func append(_ row: RequestLogRow) {
        let full: [RequestLogRow]? = waiting.withLock { waiting in
            waiting.append(row)
            if waiting.count < Self.batch { return nil }
            defer { waiting.removeAll(keepingCapacity: true) }
            return waiting
        }
        if let full { store.append(full) }
    }

    /// Sends what is waiting, so that a quiet server's log is up to date as well.
    package func flush() {
        let rows = waiting.withLock { waiting in
            defer { waiting.removeAll() }
            return waiting
        }
        if !rows.isEmpty { store.append(rows) }
    }
}
