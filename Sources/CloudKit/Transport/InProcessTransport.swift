import Synchronization
import WebServices

/// Hands calls to a server that lives in this process. Nothing is encoded.
package struct InProcessTransport: Transport {
    package typealias SignIn = @Sendable (_ account: String, _ password: String) -> Result<String, ServerError>

    private let handler: CallHandler
    private let signInHandler: SignIn?

    /// - Parameters:
    ///   - handler: The server.
    ///   - signIn: Checks a password; without it nobody can sign in through this transport.
    package init(handler: @escaping CallHandler, signIn: SignIn? = nil) {
        self.handler = handler
        self.signInHandler = signIn
    }

    package func send(_ call: Call, limits: RequestLimits) async throws(TransportError) -> Reply {
        let slot = ReplySlot()
        let reply = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                guard slot.wait(continuation) else { return }
                handler(call) { slot.finish($0) }
            }
        } onCancel: {
            slot.finish(nil)
        }
        guard let reply else { throw .cancelled }
        return reply
    }

    package func signIn(
        account: String, password: String, limits: RequestLimits
    ) async throws(TransportError) -> SignInReply {
        guard let signInHandler else {
            return SignInReply(.failure(ServerError(.authenticationFailed, "This cloud has no passwords")))
        }
        return SignInReply(signInHandler(account, password))
    }
}

/// Resumes one continuation once, whichever of the server's reply and the cancellation comes first.
private final class ReplySlot: Sendable {
    private enum State {
        case idle
        case waiting(CheckedContinuation<Reply?, Never>)
        case finished
    }
    private let state = Mutex(State.idle)

    /// False when the call was cancelled before it began; the continuation has been resumed then.
    func wait(_ continuation: CheckedContinuation<Reply?, Never>) -> Bool {
        let cancelled = state.withLock { state in
            if case .finished = state { return true }
            state = .waiting(continuation)
            return false
        }
        if cancelled { continuation.resume(returning: nil) }
        return !cancelled
    }

    func finish(_ reply: Reply?) {
        let continuation: CheckedContinuation<Reply?, Never>? = state.withLock { state in
            defer { state = .finished }
            if case .waiting(let continuation) = state { return continuation }
            return nil
        }
        continuation?.resume(returning: reply)
    }
}
