/// An HTTP server: where requests come from and answers go to.
///
/// The rest of the server knows this protocol only, so that another implementation can take the place of
/// ``MicroHTTPServer``.
package protocol HTTPServer: AnyObject, Sendable {
    /// The port that the server listens on; nil when it does not.
    var port: UInt16? { get }

    /// Begins to listen and to answer.
    func start() throws(HTTPServerError)

    /// Takes no more connections, gives the requests under way time to finish, and ends. Answers that come later are
    /// dropped. Blocks until everything has ended; not to be called from a handler.
    ///
    /// - Parameter grace: how long to wait for requests under way; those that have no answer by then get a refusal.
    func stop(grace: Duration)
}

/// Answers a request.
///
/// The handler runs on one of the server's threads, which serve many connections each: what takes longer than a few
/// milliseconds goes elsewhere. The second argument takes the answer, at once or later from any thread, exactly once.
/// Answering at once is cheaper.
package typealias HTTPHandler = @Sendable (HTTPRequest, @escaping @Sendable (HTTPResponse) -> Void) -> Void

/// Why a server does not start.
package enum HTTPServerError: Error, Hashable, Sendable, CustomStringConvertible {
    case alreadyStarted
    /// The host name or address means nothing here.
    case unknownHost(String, reason: String)
    /// The port is taken, or the process may not have it.
    case cannotListen(host: String, port: UInt16, reason: String)
    /// The certificate or its key is unusable, or there are no threads to be had; what the library said.
    case cannotStart(reason: String)

    package var description: String {
        switch self {
        case .alreadyStarted: "The server is running already."
        case .unknownHost(let host, let reason): "Cannot listen on “\(host)”: \(reason)."
        case .cannotListen(let host, let port, let reason): "Cannot listen on \(host), port \(port): \(reason)."
        case .cannotStart(let reason): "The HTTP server does not start: \(reason)"
        }
    }
}
