import Foundation

/// What an HTTP server is told before it starts.
package struct HTTPServerConfiguration: Sendable {
    /// A name or an address; `::` listens on every interface, with IPv4 too.
    package var host: String
    /// Zero lets the system choose one.
    package var port: UInt16
    /// How many threads read, answer and write.
    package var threadCount: Int = max(2, ProcessInfo.processInfo.activeProcessorCount)
    /// How many connections may be open at once; fewer when the process may not open as many files.
    package var connectionLimit: Int = 10_000
    /// Bytes for each connection's headers and for what is read at a time. Headers that do not fit are refused with 431.
    package var connectionMemory: Int = 8 << 10
    /// The most bytes that a request's body may have.
    package var maximumBodySize: Int = 16 << 20
    /// The most bytes that the bodies of all requests under way may have together; what is beyond is told to come back.
    package var bodyMemory: Int = 256 << 20
    /// After how long without a byte in either direction a connection is closed, rounded up to seconds. Does not count
    /// while a handler has a request.
    package var idleTimeout: Duration = .seconds(60)
    /// How long a request may take from its first line to the end of its body.
    package var requestTimeout: Duration = .seconds(120)
    /// The same for a body that a sink takes, crowded or not: its sender has proved that it may send one.
    package var uploadTimeout: Duration = .seconds(15 * 60)
    /// How long a client may take to take an answer, and to take a file.
    package var answerTimeout: Duration = .seconds(120)
    package var downloadTimeout: Duration = .seconds(3600)
    /// The most bytes that answers may hold which clients have not taken yet. When there are more, whoever has been taking
    /// one for longest, and longer than a second, is cut off.
    package var answerMemory: Int = 256 << 20
    /// The times for idleness, and for a request or an answer, once most of the connections are taken: whoever only holds
    /// one makes room for others.
    package var crowdedIdleTimeout: Duration = .seconds(1)
    package var crowdedRequestTimeout: Duration = .seconds(10)
    /// For a file. Its client can go on where it was.
    package var crowdedDownloadTimeout: Duration = .seconds(60)
    /// Serves HTTPS when it is set.
    package var tls: TLS?
    /// Makes the answer to what never reaches the handler.
    package var refusal: @Sendable (HTTPRefusal, HTTPRequest) -> HTTPResponse = { refusal, _ in
        HTTPResponse(
            status: refusal.status, headers: [("Content-Type", "text/plain")], body: Array(refusal.description.utf8))
    }
    /// Says where the body of a request goes that names one of `uploadPath`; called when its headers have been read, on
    /// a thread that serves other connections too.
    package var bodyDestination: @Sendable (HTTPRequest) -> HTTPBodyDestination = { _ in .memory }
    /// A part of the targets that `bodyDestination` is asked about.
    package var uploadPath: String?
    /// Takes the complaints of the library below, one line each.
    package var log: @Sendable (String) -> Void = { _ in }

    package init(host: String = "127.0.0.1", port: UInt16 = 0) {
        self.host = host
        self.port = port
    }

    /// A certificate chain and its key, both PEM.
    package struct TLS: Sendable {
        package var certificate: String
        package var privateKey: String

        package init(certificate: String, privateKey: String) {
            self.certificate = certificate
            self.privateKey = privateKey
        }
    }
}

/// Why a request does not reach the handler, or its answer not the client.
package enum HTTPRefusal: Hashable, Sendable, CustomStringConvertible {
    /// The body is longer than `limit` bytes.
    case bodyTooLarge(limit: Int)
    /// The bodies of all requests under way fill the memory for them.
    case crowded
    /// The request line or the headers say nothing sensible.
    case malformed(String)
    /// The server is about to end.
    case stopping
    /// The handler's answer is none that HTTP can carry: a line break in a header, or a status that there is not.
    case invalidAnswer

    package var status: Int {
        switch self {
        case .bodyTooLarge: 413
        case .malformed: 400
        case .crowded, .stopping: 503
        case .invalidAnswer: 500
        }
    }

    package var description: String {
        switch self {
        case .bodyTooLarge(let limit): "The request is larger than \(limit) bytes."
        case .crowded: "The server has as many requests as it can hold just now."
        case .malformed(let what): "The request is malformed: \(what)."
        case .stopping: "The server is about to stop."
        case .invalidAnswer: "The server has no valid answer."
        }
    }
}
