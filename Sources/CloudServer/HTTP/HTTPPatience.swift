import Dispatch

/// How long the server waits for what a client has to send, and to take.
struct HTTPPatience {
    /// Between requests, and from the first line of one to its end; in milliseconds.
    struct Times {
        var idle: UInt64
        var request: UInt64
        /// For an answer from memory, and for a file.
        var answer: UInt64
        var download: UInt64
    }

    var normal: Times
    /// While most of the connections are taken.
    var crowded: Times
    /// For a body that a sink takes, in milliseconds.
    var upload: UInt64

    init(_ configuration: HTTPServerConfiguration) {
        let request = configuration.requestTimeout.milliseconds
        // Between requests libmicrohttpd limits how long a connection may be silent; whoever keeps it awake byte by byte
        // without ever finishing a request line has until here.
        normal = Times(
            idle: configuration.idleTimeout.milliseconds + request, request: request,
            answer: configuration.answerTimeout.milliseconds, download: configuration.downloadTimeout.milliseconds)
        upload = configuration.uploadTimeout.milliseconds
        crowded = Times(
            idle: min(normal.idle, configuration.crowdedIdleTimeout.milliseconds),
            request: min(request, configuration.crowdedRequestTimeout.milliseconds),
            answer: min(normal.answer, configuration.crowdedRequestTimeout.milliseconds),
            download: min(normal.download, configuration.crowdedDownloadTimeout.milliseconds))
    }
}

/// Looks once a second for connections that are past their time.
// Unchecked: the timer is only ever cancelled, which any thread may do.
struct HTTPDeadlineWatch: @unchecked Sendable {
    private let timer: any DispatchSourceTimer
    private let queue = DispatchQueue(label: "stratus.http.deadlines")

    /// - Parameter connectionLimit: of which the server counts as crowded from seven eighths on.
    init(_ activity: HTTPActivity, _ patience: HTTPPatience, connectionLimit: Int) {
        timer = DispatchSource.makeTimerSource(queue: queue)
        timer.schedule(deadline: .now() + 1, repeating: 1)
        timer.setEventHandler { activity.shutDownLatePeers(patience, crowd: max(1, connectionLimit * 7 / 8)) }
        timer.resume()
    }

    /// Returns when it no longer looks.
    func cancel() {
        timer.cancel()
        queue.sync {}
    }
}

extension Duration {
    fileprivate var milliseconds: UInt64 {
        UInt64(max(0, components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000))
    }
}
