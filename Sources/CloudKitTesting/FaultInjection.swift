import CloudKit
import Foundation
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
        try await apply(fault(for: call)) { () async throws(TransportError) in
            try await self.transport.send(call, limits: limits)
        } refused: {
            Reply(.failure($0))
        }
    }

    func sendFile(
        _ file: URL, to url: String, limits: RequestLimits, progress: @escaping @Sendable (Int64) -> Void
    ) async throws(TransportError) -> Result<Asset, ServerError> {
        try await apply(fault(for: "assets/upload/file", url)) { () async throws(TransportError) in
            try await self.transport.sendFile(file, to: url, limits: limits, progress: progress)
        } refused: {
            .failure($0)
        }
    }

    func fetchFile(
        from url: String, to file: URL, limits: RequestLimits, progress: @escaping @Sendable (Int64) -> Void
    ) async throws(TransportError) -> Result<Int64, ServerError> {
        try await apply(fault(for: "assets/download/file", url)) { () async throws(TransportError) in
            try await self.transport.fetchFile(from: url, to: file, limits: limits, progress: progress)
        } refused: {
            .failure($0)
        }
    }

    private func apply<Value>(
        _ fault: Fault?, _ body: () async throws(TransportError) -> Value, refused: (ServerError) -> Value
    ) async throws(TransportError) -> Value {
        state.withLock { $0.underway += 1 }
        host.stirring.stir()
        defer {
            state.withLock { $0.underway -= 1 }
            host.stirring.stir()
        }
        switch fault {
        case nil:
            return try await body()
        case .requestLost:
            throw .interrupted("The network connection was lost")
        case .answerLost:
            _ = try await body()
            throw .answerLost("The network connection was lost before the answer")
        case .offline:
            throw .unreachable("The device is offline")
        case .timedOut:
            throw .timedOut
        case .refused(let refusal, let retryAfter):
            return refused(
                ServerError(
                    refusal.code, "Refused by the test", retryAfter: retryAfter,
                    extensionCode: refusal == .limitExceeded ? .limitExceeded : nil))
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
        if call.operation.isOfDevice { return isOffline ? .offline : nil }
        return fault(for: call.operation.path, container: call.container, CKDatabase.Scope(wire: call.database))
    }

    /// Of a file nobody says which database it is of: files are asked about as the private one's.
    private func fault(for operation: String, _ url: String) -> Fault? {
        let components = url.split(separator: "/").map(String.init)
        let container = components.firstIndex(of: "assets").flatMap { components.dropFirst($0 + 2).first }
        return fault(for: operation, container: container ?? "", .private)
    }

    private func fault(for operation: String, container: String, _ database: CKDatabase.Scope) -> Fault? {
        state.withLock { state in
            state.requestCount += 1
            if state.isOffline { return .offline }
            if !state.queued.isEmpty { return state.queued.removeFirst() }
            return state.decision?(
                Request(operation: operation, container: container, database: database, number: state.requestCount))
        }
    }
}
