import Dispatch
import Glibc
import Synchronization

/// What goes on in a server: its connections, how many requests are under way, and which of them wait for their answer.
final class HTTPActivity: Sendable {
    private struct State {
        var peers: [ObjectIdentifier: HTTPPeer] = [:]
        var exchangeCount = 0
        var suspended: [ObjectIdentifier: MicroHTTPExchange] = [:]
        var refusesSuspension = false
        var idle: DispatchSemaphore?
        var lastComplaint: String?
    }

    private let state = Mutex(State())
    private let draining = Atomic(false)

    /// Whether the server is about to end, so that no connection is kept for another request.
    var isDraining: Bool { draining.load(ordering: .relaxed) }

    var lastComplaint: String? {
        get { state.withLock { $0.lastComplaint } }
        set { state.withLock { $0.lastComplaint = newValue } }
    }

    // MARK: Connections

    func add(_ peer: HTTPPeer) { state.withLock { $0.peers[ObjectIdentifier(peer)] = peer } }

    func remove(_ peer: HTTPPeer) { state.withLock { _ = $0.peers.removeValue(forKey: ObjectIdentifier(peer)) } }

    /// Cuts off whoever has not sent a whole request by its deadline.
    func shutDownLatePeers() {
        let now = HTTPPeer.now
        // Under the lock: a peer that is still here has its socket still open.
        state.withLock { state in
            for peer in state.peers.values where peer.isLate(at: now) { shutdown(peer.socket, Int32(SHUT_RDWR)) }
        }
    }

    // MARK: Requests

    func begin() { state.withLock { $0.exchangeCount += 1 } }

    func end(_ exchange: MicroHTTPExchange) {
        state.withLock { state in
            state.exchangeCount -= 1
            state.suspended[ObjectIdentifier(exchange)] = nil
            if state.exchangeCount == 0 { state.idle?.signal() }
        }
    }

    /// Notes that the exchange waits for its answer; false when it must not, since the server ends.
    func suspend(_ exchange: MicroHTTPExchange) -> Bool {
        state.withLock { state in
            if state.refusesSuspension { return false }
            state.suspended[ObjectIdentifier(exchange)] = exchange
            return true
        }
    }

    // MARK: The end

    func open() {
        draining.store(false, ordering: .relaxed)
        state.withLock { $0 = State() }
    }

    func startDraining() { draining.store(true, ordering: .relaxed) }

    /// Lets no exchange wait any longer, and answers those that do.
    func refuseSuspension() -> [MicroHTTPExchange] {
        state.withLock { state in
            state.refusesSuspension = true
            return Array(state.suspended.values)
        }
    }

    /// Whether no request is under way, at the latest after this time.
    func waitUntilIdle(for time: Duration) -> Bool {
        let idle: DispatchSemaphore? = state.withLock { state in
            if state.exchangeCount == 0 { return nil }
            let idle = DispatchSemaphore(value: 0)
            state.idle = idle
            return idle
        }
        let nanoseconds = time.components.seconds * 1_000_000_000 + time.components.attoseconds / 1_000_000_000
        return idle?.wait(timeout: .now() + .nanoseconds(Int(nanoseconds))) != .timedOut
    }
}

/// A connection's other end.
final class HTTPPeer: Sendable {
    let socket: Int32
    let address: HTTPAddress?
    /// When a whole request must be here, in milliseconds of the monotonic clock; zero for never.
    private let deadline = Atomic<UInt64>(0)

    init(socket: Int32, address: HTTPAddress?) {
        self.socket = socket
        self.address = address
    }

    static var now: UInt64 { DispatchTime.now().uptimeNanoseconds / 1_000_000 }

    func setDeadline(after time: Duration) {
        let milliseconds = max(0, time.components.seconds * 1000 + time.components.attoseconds / 1_000_000_000_000_000)
        deadline.store(Self.now + UInt64(milliseconds), ordering: .relaxed)
    }

    func removeDeadline() { deadline.store(0, ordering: .relaxed) }

    func isLate(at now: UInt64) -> Bool {
        let deadline = deadline.load(ordering: .relaxed)
        return deadline != 0 && deadline < now
    }
}

/// Looks once a second for connections that are past their deadline.
// Unchecked: the timer is only ever cancelled, which any thread may do.
struct HTTPDeadlineWatch: @unchecked Sendable {
    private let timer: any DispatchSourceTimer
    private let queue = DispatchQueue(label: "stratus.http.deadlines")

    init(_ activity: HTTPActivity) {
        timer = DispatchSource.makeTimerSource(queue: queue)
        timer.schedule(deadline: .now() + 1, repeating: 1)
        timer.setEventHandler { activity.shutDownLatePeers() }
        timer.resume()
    }

    /// Returns when it no longer looks.
    func cancel() {
        timer.cancel()
        queue.sync {}
    }
}
