import CloudStore

/// Request outcomes on their way to the request log, which is written in batches and never on a request's path.
package final class RequestLog: Sendable {
    private let store: RequestLogStore

    init(store: RequestLogStore) { self.store = store }
}
