import Dispatch
import Glibc
import Synchronization

/// What goes on in a server: its connections, how many requests are under way, and which of them wait for their answer.
final class HTTPActivity: Sendable {
    fileprivate struct State {
        var peers: [ObjectIdentifier: HTTPPeer] = [:]
        var exchangeCount = 0
        var suspended: [ObjectIdentifier: MicroHTTPExchange] = [:]
        /// Requests that begin now are not handled any more.
        var refusesRequests = false
        var refusesSuspension = false
        /// Signalled when what it waits for is so.
        var waiter: (condition: Quiet, semaphore: DispatchSemaphore)?
        var lastComplaint: String?
        /// When those who take no answer were last cut off; milliseconds of the monotonic clock.
        var lastCut: UInt64 = 0
    }

    /// How quiet a server can be.
    enum Quiet {
        case noRequests, noConnections
    }

    private let state = Mutex(State())
    private let draining = Atomic(false)
    private let bodyBytes = Atomic(0)
    private let answerBytes = Atomic(0)

    /// Whether the server is about to end, so that no connection is kept for another request.
    var isDraining: Bool { draining.load(ordering: .relaxed) }

    var lastComplaint: String? {
        get { state.withLock { $0.lastComplaint } }
        set { state.withLock { $0.lastComplaint = newValue } }
    }

    // MARK: Connections

    func add(_ peer: HTTPPeer) { state.withLock { $0.peers[ObjectIdentifier(peer)] = peer } }

    func remove(_ peer: HTTPPeer) {
        state.withLock { state in
            state.peers[ObjectIdentifier(peer)] = nil
            state.signalWaiter()
        }
    }

    /// Cuts off whoever has not sent a whole request in time.
    ///
    /// - Parameter crowd: from how many connections on the time is short.
    func shutDownLatePeers(_ times: HTTPPatience, crowd: Int) {
        let now = HTTPPeer.now
        // Under the lock: a peer that is still here has its socket still open.
        state.withLock { state in
            let isCrowded = state.peers.count >= crowd
            for peer in state.peers.values where peer.isLate(at: now, times, isCrowded: isCrowded) {
                shutdown(peer.socket, Int32(SHUT_RDWR))
            }
        }
    }

    /// Lets nobody send any more, or nobody receive either.
    func shutDownAllPeers(_ direction: Int) {
        state.withLock { state in
            for peer in state.peers.values { shutdown(peer.socket, Int32(direction)) }
        }
    }

    // MARK: Requests

    /// Takes memory for a part of a body; false when all bodies together would have more than the limit.
    func takeBodyMemory(_ count: Int, limit: Int) -> Bool {
        if bodyBytes.wrappingAdd(count, ordering: .relaxed).newValue <= limit { return true }
        giveBodyMemory(count)
        return false
    }

    /// Bytes of all bodies that are being received.
    var bodyMemory: Int { bodyBytes.load(ordering: .relaxed) }

    func giveBodyMemory(_ count: Int) { bodyBytes.wrappingSubtract(count, ordering: .relaxed) }

    // MARK: Answers

    /// Bytes of all answers that are on their way.
    var answerMemory: Int { answerBytes.load(ordering: .relaxed) }

    /// Notes that an answer is on its way to a peer.
    ///
    /// - Parameter memory: bytes that it holds until it is sent.
    func beginAnswer(_ peer: HTTPPeer, memory: Int, isFile: Bool) {
        peer.takesAnswer(memory: memory, isFile: isFile)
        answerBytes.wrappingAdd(memory, ordering: .relaxed)
    }

    func endAnswer(_ peer: HTTPPeer) {
        answerBytes.wrappingSubtract(peer.giveAnswerMemory(), ordering: .relaxed)
    }

    /// Whether there is memory for another answer, after cutting off who takes none.
    func hasRoomForAnswer(limit: Int) -> Bool {
        if answerMemory <= limit { return true }
        state.withLock { $0.cutOffWhoTakesNothing(keeping: limit / 4 * 3, endAnswer) { self.answerMemory } }
        return answerMemory <= limit
    }

    // MARK: Requests under way

    /// Notes that a request has begun.
    ///
    /// - Returns: whether it may be handled. Between the last answer and the server's end none may: it would have an effect
    ///   and no answer that says so.
    func begin() -> Bool {
        state.withLock { state in
            state.exchangeCount += 1
            return !state.refusesRequests
        }
    }

    func end(_ exchange: MicroHTTPExchange) {
        state.withLock { state in
            state.exchangeCount -= 1
            state.suspended[ObjectIdentifier(exchange)] = nil
            state.signalWaiter()
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

    /// Whether a request that has come whole may still be handled.
    var handlesRequests: Bool { state.withLock { !$0.refusesSuspension } }

    // MARK: The end

    func open() {
        draining.store(false, ordering: .relaxed)
        state.withLock { $0 = State() }
    }

    func startDraining() { draining.store(true, ordering: .relaxed) }

    /// Lets no exchange wait any longer, and answers those that do.
    func refuseSuspension() -> [MicroHTTPExchange] {
        state.withLock { state in
            state.refusesRequests = true
            state.refusesSuspension = true
            return Array(state.suspended.values)
        }
    }

    /// Waits for the server to be that quiet; false when it is not after this time. Once no request is under way, none that
    /// begins later is handled.
    func wait(for condition: Quiet, atMost time: Duration) -> Bool {
        let semaphore: DispatchSemaphore? = state.withLock { state in
            if state.reaches(condition) { return nil }
            let semaphore = DispatchSemaphore(value: 0)
            state.waiter = (condition, semaphore)
            return semaphore
        }
        let (seconds, attoseconds) = time.components
        let limit =
            DispatchTime.now() + .seconds(Int(clamping: seconds)) + .nanoseconds(Int(attoseconds / 1_000_000_000))
        return semaphore?.wait(timeout: limit) != .timedOut
    }
}

extension HTTPActivity.State {
    /// How long a client that keeps up may take for what fits into its socket and the next round trips.
    private static let patience: UInt64 = 1000

    /// Whoever has been longest at taking its answer goes first.
    fileprivate mutating func cutOffWhoTakesNothing(
        keeping limit: Int, _ endAnswer: (HTTPPeer) -> Void, _ memory: () -> Int
    ) {
        let now = HTTPPeer.now
        // Everybody is looked at, which is not for every request.
        guard now >= lastCut &+ 50 else { return }
        lastCut = now
        let slow = peers.values.compactMap { peer in peer.answerAge(at: now).map { (peer: peer, age: $0) } }
            .filter { $0.age > Self.patience }.sorted { $0.age > $1.age }
        for (peer, _) in slow where memory() > limit {
            endAnswer(peer)
            shutdown(peer.socket, Int32(SHUT_RDWR))
        }
    }

    /// Whether it is that quiet, and will stay so.
    fileprivate mutating func reaches(_ condition: HTTPActivity.Quiet) -> Bool {
        switch condition {
        case .noRequests:
            guard exchangeCount == 0 else { return false }
            refusesRequests = true
            return true
        case .noConnections:
            return peers.isEmpty
        }
    }

    fileprivate mutating func signalWaiter() {
        guard let (condition, semaphore) = waiter, reaches(condition) else { return }
        semaphore.signal()
        waiter = nil
    }
}
