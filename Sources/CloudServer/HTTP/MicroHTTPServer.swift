import CHTTPServer
import Dispatch
import Glibc
import Synchronization

/// ``HTTPServer`` over GNU libmicrohttpd, in its poll mode with a pool of threads.
///
/// What to mind about the library: a connection whose handler has not answered is *suspended*; it leaves the poll set, so
/// nobody notices when its client goes away, and ending the library with one suspended aborts the process. So every
/// suspended exchange is known here and answered before the end.
package final class MicroHTTPServer: HTTPServer {
    let configuration: HTTPServerConfiguration
    let handler: HTTPHandler
    let activity = HTTPActivity()
    private let state = Mutex(State())

    // Unchecked by the compiler: the daemon is libmicrohttpd's, whose functions may be called from any thread; the
    // options belong to it until it has ended.
    private struct State: @unchecked Sendable {
        var daemon: OpaquePointer?
        var options: UnsafeMutablePointer<chttp_options>?
        var socket: ListeningSocket?
        var watch: HTTPDeadlineWatch?
        var isStopping = false
    }

    package init(_ configuration: HTTPServerConfiguration, handler: @escaping HTTPHandler) {
        self.configuration = configuration
        self.handler = handler
    }

    package var port: UInt16? {
        state.withLock { $0.socket?.port }
    }

    /// Bytes of all bodies that are being received.
    package var bodyMemory: Int { activity.bodyMemory }

    /// Bytes of all answers that are on their way.
    package var answerMemory: Int { activity.answerMemory }

    package func start() throws(HTTPServerError) {
        try state.withLock { state throws(HTTPServerError) in
            guard state.daemon == nil else { throw .alreadyStarted }
            let socket = try ListeningSocket(host: configuration.host, port: configuration.port)
            // Page faults were a fifth of the time that a page of 200 changes took.
            chttp_keep_memory()
            activity.open()
            let options = makeOptions(socket: socket)
            guard let daemon = chttp_start(options) else {
                free(options)
                close(socket.descriptor)
                throw .cannotStart(reason: activity.lastComplaint ?? "the library does not say why")
            }
            state.daemon = daemon
            state.options = options
            state.socket = socket
            state.watch = HTTPDeadlineWatch(
                activity, HTTPPatience(configuration), connectionLimit: Int(options.pointee.connection_limit))
            state.isStopping = false
        }
    }

    package func stop(grace: Duration = .seconds(10)) {
        let running: State? = state.withLock { state in
            guard state.daemon != nil, !state.isStopping else { return nil }
            state.isStopping = true
            return state
        }
        guard let running, let daemon = running.daemon, let socket = running.socket, let options = running.options
        else {
            return
        }
        activity.startDraining()
        // The threads forget the socket a moment later; its number stays taken until they have ended.
        MHD_quiesce_daemon(daemon)
        shutdown(socket.descriptor, Int32(SHUT_RD))
        if !activity.wait(for: .noRequests, atMost: grace) {
            for exchange in activity.refuseSuspension() {
                exchange.answer(configuration.refusal(.stopping, exchange.requestForRefusal))
            }
            // Time enough to send the refusals; who does not take them by then is cut off.
            _ = activity.wait(for: .noRequests, atMost: .seconds(1))
        }
        _ = activity.refuseSuspension()
        // Told to end while it reads a malformed request, the library reaches for an answer that it could not make. So
        // all connections end before it does: first those that wait for a request, then those that take no answer.
        for direction in [SHUT_RD, SHUT_RDWR] {
            activity.shutDownAllPeers(Int(direction))
            if activity.wait(for: .noConnections, atMost: .seconds(1)) { break }
        }
        MHD_stop_daemon(daemon)
        running.watch?.cancel()
        close(socket.descriptor)
        free(options)
        state.withLock { $0 = State() }
    }
}

// MARK: - Starting

extension MicroHTTPServer {
    private func makeOptions(socket: ListeningSocket) -> UnsafeMutablePointer<chttp_options> {
        let limit = FileDescriptorLimit.raised(for: max(configuration.connectionLimit, 1))
        let threads = min(max(configuration.threadCount, 1), limit)
        let options = UnsafeMutablePointer<chttp_options>.allocate(capacity: 1)
        options.initialize(
            to: chttp_options(
                listen_socket: socket.descriptor,
                threads: UInt32(threads),
                connection_limit: UInt32(limit),
                connection_memory: min(max(configuration.connectionMemory, 1024), 64 << 10),
                idle_timeout_seconds: UInt32(clamping: max(1, configuration.idleTimeout.roundedUpSeconds)),
                certificate: configuration.tls.map { UnsafePointer(strdup($0.certificate)) } ?? nil,
                private_key: configuration.tls.map { UnsafePointer(strdup($0.privateKey)) } ?? nil,
                // The server stays alive as long as the options, that is, until `stop` has ended the daemon.
                context: Unmanaged.passRetained(self).toOpaque(),
                handle: MicroHTTPServer.handle,
                begin: MicroHTTPServer.begin,
                complete: MicroHTTPServer.complete,
                notify_connection: MicroHTTPServer.notifyConnection,
                log: MicroHTTPServer.log))
        return options
    }

    private func free(_ options: UnsafeMutablePointer<chttp_options>) {
        Glibc.free(UnsafeMutablePointer(mutating: options.pointee.certificate))
        Glibc.free(UnsafeMutablePointer(mutating: options.pointee.private_key))
        let context = options.pointee.context
        options.deinitialize(count: 1)
        options.deallocate()
        if let context { Unmanaged<MicroHTTPServer>.fromOpaque(context).release() }
    }
}

extension Duration {
    /// Whole seconds, at least as long.
    fileprivate var roundedUpSeconds: Int64 {
        components.seconds &+ (components.attoseconds > 0 ? 1 : 0)
    }
}

/// How many files the process may open.
private enum FileDescriptorLimit {
    /// What the process opens besides connections: databases, assets, libraries.
    private static let others = 256

    /// Raises the limit, if need be and as far as the system allows, and answers for how many connections it is enough.
    static func raised(for connections: Int) -> Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return connections }
        let needed = rlim_t(connections + others)
        if limit.rlim_cur < needed {
            limit.rlim_cur = min(needed, limit.rlim_max)
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        }
        return min(connections, max(16, Int(clamping: limit.rlim_cur) - others))
    }
}
