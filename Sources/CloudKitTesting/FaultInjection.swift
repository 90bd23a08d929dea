import CloudKit
import Synchronization
import WebServices

/// A transport that fails when it is told to.
final class FaultInjection: Transport {
    private struct State {
        var isOffline = false
        var queued: [Fault] = []
        var decision: (@Sendable (Request) -> Fault?)?
        var requestCount = 0
        /// Requests without an answer yet.
        var underway = 0
    }

    private let transport: any Transport
    private let state = Mutex(State())

    /// Keeps the server running.
    private let host: ServerHost

    init(_ transport: any Transport, host: ServerHost) {
        self.transport = transport
        self.host = host
    }

    var isOffline: Bool {
        get { state.withLock { $0.isOffline } }
        set { state.withLock { $0.isOffline = newValue } }
    }
    var requestCount: Int { state.withLock { $0.requestCount } }
    var isUnderway: Bool { state.withLock { $0.underway > 0 } }

    func queue(_ fault: Fault) {
        state.withLock { $0.queued.append(fault) }
    }

    func setDecision(_ decision: (@Sendable (Request) -> Fault?)?) {
        state.withLock { $0.decision = decision }
    }

    func send(_ call: Call, limits: RequestLimits) async throws(TransportError) -> Reply {
        state.withLock { $0.underway += 1 }
        host.stirring.stir()
        defer {
            state.withLock { $0.underway -= 1 }
            host.stirring.stir()
        }
        switch fault(for: call) {
        case nil:
            return try await transport.send(call, limits: limits)
        case .requestLost:
            throw .interrupted("The network connection was lost")
        case .answerLost:
            _ = try await transport.send(call, limits: limits)
            throw .answerLost("The network connection was lost before the answer")
        case .offline:
            throw .unreachable("The device is offline")
        case .timedOut:
            throw .timedOut
        case .refused(let refusal, let retryAfter):
            return Reply(
                .failure(
                    ServerError(
                        refusal.code, "Refused by the test", retryAfter: retryAfter,
                        extensionCode: refusal == .limitExceeded ? .limitExceeded : nil)))
        }
    }

    /// Waiting for pushes is no request that a test counts or lets fail; it needs a network all the same.
    func poll(_ call: Call, at webcourierURL: String) async throws(TransportError) -> Reply {
        guard !isOffline else { throw .unreachable("The device is offline") }
        let reply = try await transport.poll(call, at: webcourierURL)
        guard !isOffline else { throw .answerLost("The network connection was lost") }
        return reply
    }

    func signIn(account: String, password: String, limits: RequestLimits) async throws(TransportError) -> SignInReply {
        guard !isOffline else { throw .unreachable("The device is offline") }
        return try await transport.signIn(account: account, password: password, limits: limits)
    }

    private func fault(for call: Call) -> Fault? {
        state.withLock { state in
            if call.operation.isOfDevice { return state.isOffline ? .offline : nil }
            state.requestCount += 1
            if state.isOffline { return .offline }
            if !state.queued.isEmpty { return state.queued.removeFirst() }
            return state.decision?(
                Request(
                    operation: call.operation.path, container: call.container,
                    database: CKDatabase.Scope(wire: call.database), number: state.requestCount))
        }
    }
}
