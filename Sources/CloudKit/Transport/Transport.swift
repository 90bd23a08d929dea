import Foundation
import WebServices

/// Carries one call to a cloud and brings its reply back: over HTTP, or by calling a server of the same process.
/// A transport neither retries nor interprets; both happen once, in `CloudConnection`.
package protocol Transport: Sendable {
    /// Sends the call. Cancelling the task gives the call up and throws `.cancelled`.
    func send(_ call: Call, limits: RequestLimits) async throws(TransportError) -> Reply

    /// Sends a `courierPoll`, which the server answers when there is news, or after a minute.
    ///
    /// - Parameter webcourierURL: Where, as `tokens/create` said it.
    func poll(_ call: Call, at webcourierURL: String) async throws(TransportError) -> Reply

    /// Sends a file of this machine to an address that `assets/upload` gave.
    ///
    /// - Parameter progress: Told how many bytes have gone out.
    func sendFile(
        _ file: URL, to url: String, limits: RequestLimits, progress: @escaping @Sendable (Int64) -> Void
    ) async throws(TransportError) -> Result<Asset, ServerError>

    /// Fetches a file from the `downloadURL` of an asset to a place where there is none yet.
    ///
    /// - Parameter progress: Told how many bytes have come.
    /// - Returns: How many there were.
    func fetchFile(
        from url: String, to file: URL, limits: RequestLimits, progress: @escaping @Sendable (Int64) -> Void
    ) async throws(TransportError) -> Result<Int64, ServerError>

    /// Exchanges an account's password for a web token, where this cloud has passwords.
    func signIn(account: String, password: String, limits: RequestLimits) async throws(TransportError) -> SignInReply
}

extension Transport {
    package func sendFile(
        _ file: URL, to url: String, limits: RequestLimits, progress: @escaping @Sendable (Int64) -> Void
    ) async throws(TransportError) -> Result<Asset, ServerError> {
        throw .unreachable("This transport carries no files")
    }

    package func fetchFile(
        from url: String, to file: URL, limits: RequestLimits, progress: @escaping @Sendable (Int64) -> Void
    ) async throws(TransportError) -> Result<Int64, ServerError> {
        throw .unreachable("This transport carries no files")
    }

    package func poll(_ call: Call, at webcourierURL: String) async throws(TransportError) -> Reply {
        try await send(call, limits: RequestLimits(timeout: CourierPoll.longestWait))
    }
}

extension CourierPoll {
    /// Seconds; servers answer within 55.
    static let longestWait = 75.0
}

/// What one request may use.
package struct RequestLimits: Sendable, Equatable {
    /// Seconds without an answer after which the request is given up.
    package var timeout: Double
    package var allowsCellularAccess: Bool

    package init(timeout: Double = 60, allowsCellularAccess: Bool = true) {
        self.timeout = timeout
        self.allowsCellularAccess = allowsCellularAccess
    }
}

/// The answer to a sign-in: a web token, or why not.
package struct SignInReply: Sendable {
    package var result: Result<String, ServerError>

    package init(_ result: Result<String, ServerError>) {
        self.result = result
    }
}

/// Why no reply came. What the server itself refuses is a `Reply`, not one of these.
package enum TransportError: Error, Sendable, Equatable {
    /// No connection could be made: refused, no route, no such host, offline. Nothing was sent.
    case unreachable(String)
    /// The connection broke before the whole request had gone out.
    case interrupted(String)
    /// The whole request had gone out and the connection broke before an answer: the outcome is unknown.
    case answerLost(String)
    case timedOut
    case cancelled
    /// Something answered that is not this protocol: a proxy's page, cut JSON. With the HTTP status, if any.
    case notUnderstood(status: Int?, String)
}
