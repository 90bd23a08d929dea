import Dispatch
import Foundation
import Synchronization
import WebServices

/// Hands calls to a server that lives in this process. Nothing is encoded.
package struct InProcessTransport: Transport {
    package typealias SignIn = @Sendable (_ account: String, _ password: String) -> Result<String, ServerError>

    private let handler: CallHandler
    private let signInHandler: SignIn?
    private let files: Files?

    /// How the server takes and gives files; both block.
    package struct Files: Sendable {
        package typealias Progress = (_ bytes: Int64) -> Void
        package var send: @Sendable (_ file: String, _ url: String, Progress) -> Result<Asset, ServerError>
        package var fetch: @Sendable (_ url: String, _ file: String, Progress) -> Result<Int64, ServerError>

        package init(
            send: @escaping @Sendable (_ file: String, _ url: String, Progress) -> Result<Asset, ServerError>,
            fetch: @escaping @Sendable (_ url: String, _ file: String, Progress) -> Result<Int64, ServerError>
        ) {
            self.send = send
            self.fetch = fetch
        }
    }

    /// - Parameters:
    ///   - handler: The server.
    ///   - signIn: Checks a password; without it nobody can sign in through this transport.
    ///   - files: Without it no files can be saved or fetched.
    package init(handler: @escaping CallHandler, signIn: SignIn? = nil, files: Files? = nil) {
        self.files = files
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

    private static let fileQueue = DispatchQueue(label: "CloudKit.files", attributes: .concurrent)

    package func sendFile(
        _ file: URL, to url: String, limits: RequestLimits, progress: @escaping @Sendable (Int64) -> Void
    ) async throws(TransportError) -> Result<Asset, ServerError> {
        guard let files else { throw .unreachable("This transport carries no files") }
        return await Self.blocking { files.send(file.path, url, progress) }
    }

    package func fetchFile(
        from url: String, to file: URL, limits: RequestLimits, progress: @escaping @Sendable (Int64) -> Void
    ) async throws(TransportError) -> Result<Int64, ServerError> {
        guard let files else { throw .unreachable("This transport carries no files") }
        return await Self.blocking { files.fetch(url, file.path, progress) }
    }

    /// Off the tasks' own threads.
    private static func blocking<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            fileQueue.async { continuation.resume(returning: body()) }
        }
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
