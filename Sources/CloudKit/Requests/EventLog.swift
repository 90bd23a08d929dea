import Synchronization

/// Events gathered for a caller that wants them all at the end.
final class EventLog<Event: Sendable>: Sendable {
    private let stored = Mutex<[Event]>([])

    var events: [Event] { stored.withLock { $0 } }

    func append(_ event: Event) {
        stored.withLock { $0.append(event) }
    }
}
