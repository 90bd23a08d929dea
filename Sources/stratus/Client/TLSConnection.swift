import CTLS
import Glibc

/// A connection to a server, plain or over TLS; blocking, used by one thread.
///
/// For the few requests that the program itself makes (`login`, `whoami`, `doctor`): Foundation's networking would cost
/// every server that the same program runs 7 MB and 15 ms.
final class TLSConnection {
    enum Failure: Error, Equatable {
        /// The host's name has none.
        case noAddress(reason: String)
        /// Nothing listens there, or it is too far away.
        case noConnection(reason: String)
        /// The handshake failed: an unknown issuer, another name, an old date.
        case refused(reason: String)
        case timedOut
        /// It ended in the middle.
        case broken
    }

    private let descriptor: Int32
    /// OpenSSL's `SSL`; nil on a plain connection.
    private var session: OpaquePointer?

    /// - Parameters:
    ///   - authorities: A file of certificates to trust besides the system's.
    ///   - seconds: How long each address may take to answer, and then each read and write.
    init(host: String, port: Int, isSecure: Bool, authorities: String?, seconds: Int32) throws(Failure) {
        descriptor = try Self.connect(host: host, port: port, seconds: seconds)
        // From here on, `deinit` closes what is open, also when this throws.
        if isSecure { try shakeHands(host: host, authorities: authorities) }
    }

    deinit {
        if let session {
            SSL_shutdown(session)
            SSL_free(session)
        }
        close(descriptor)
    }

    func write(_ bytes: [UInt8]) throws(Failure) {
        var rest = bytes[...]
        while !rest.isEmpty { rest = rest.dropFirst(try writeSome(rest)) }
    }

    /// What came, at most `limit` bytes; empty at the end of the stream.
    func read(limit: Int) throws(Failure) -> [UInt8] {
        // The initializer would rethrow without the error's type, hence the detour through a result.
        var outcome = Result<Int, Failure>.success(0)
        let bytes = [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
            outcome = session.map { receive(from: $0, into: buffer) } ?? receive(into: buffer)
            if case .success(let received) = outcome { count = received }
        }
        _ = try outcome.get()
        return bytes
    }
}

// MARK: Bytes

extension TLSConnection {
    private func writeSome(_ bytes: ArraySlice<UInt8>) throws(Failure) -> Int {
        if let session {
            var written = 0
            let result = bytes.withUnsafeBytes { SSL_write_ex(session, $0.baseAddress, $0.count, &written) }
            guard result == 1 else { throw .broken }
            return written
        }
        let sent = retrying {
            bytes.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        }
        guard sent >= 0 else { throw errno == EAGAIN ? .timedOut : .broken }
        return sent
    }

    private func receive(into buffer: UnsafeMutableBufferPointer<UInt8>) -> Result<Int, Failure> {
        let received = retrying { recv(descriptor, buffer.baseAddress, buffer.count, 0) }
        if received >= 0 { return .success(received) }
        return .failure(errno == EAGAIN ? .timedOut : .broken)
    }

    private func receive(
        from session: OpaquePointer, into buffer: UnsafeMutableBufferPointer<UInt8>
    ) -> Result<Int, Failure> {
        var received = 0
        if SSL_read_ex(session, buffer.baseAddress, buffer.count, &received) == 1 { return .success(received) }
        switch SSL_get_error(session, 0) {
        case SSL_ERROR_ZERO_RETURN: return .success(0)
        case SSL_ERROR_WANT_READ: return .failure(.timedOut)
        default: return .failure(.broken)
        }
    }

    /// A signal that arrives during a system call is no failure of it.
    private func retrying(_ call: () -> Int) -> Int {
        while true {
            let result = call()
            if result >= 0 || errno != EINTR { return result }
        }
    }
}

// MARK: The socket

extension TLSConnection {
    private static func connect(host: String, port: Int, seconds: Int32) throws(Failure) -> Int32 {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, String(port), &hints, &list)
        guard code == 0, let first = list else { throw .noAddress(reason: String(cString: gai_strerror(code))) }
        defer { freeaddrinfo(list) }
        // A name may have several addresses; the first that answers is taken.
        var reason: Int32 = 0
        for address in sequence(first: first, next: { $0.pointee.ai_next }) {
            if let descriptor = connect(to: address.pointee, seconds: seconds) { return descriptor }
            reason = errno
        }
        throw reason == ETIMEDOUT ? .timedOut : .noConnection(reason: String(cString: strerror(reason)))
    }

    /// Nil, with `errno` set, where nobody answers.
    private static func connect(to address: addrinfo, seconds: Int32) -> Int32? {
        let descriptor = socket(
            address.ai_family, address.ai_socktype | Int32(SOCK_CLOEXEC.rawValue), address.ai_protocol)
        guard descriptor >= 0 else { return nil }
        let flags = fcntl(descriptor, F_GETFL)
        // Non-blocking for the connecting only: the system's own patience is two minutes.
        _ = fcntl(descriptor, F_SETFL, flags | O_NONBLOCK)
        var reason: Int32 = 0
        if Glibc.connect(descriptor, address.ai_addr, address.ai_addrlen) != 0 {
            reason = errno == EINPROGRESS ? outcome(of: descriptor, seconds: seconds) : errno
        }
        guard reason == 0 else {
            close(descriptor)
            errno = reason
            return nil
        }
        _ = fcntl(descriptor, F_SETFL, flags)
        var limit = timeval(tv_sec: Int(seconds), tv_usec: 0)
        let size = socklen_t(MemoryLayout<timeval>.size)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, size)
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, size)
        return descriptor
    }

    /// How a connecting that has begun ends: 0, or the error's number.
    private static func outcome(of descriptor: Int32, seconds: Int32) -> Int32 {
        var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        guard poll(&waiting, 1, seconds &* 1000) == 1 else { return ETIMEDOUT }
        var reason: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &reason, &size)
        return reason
    }
}

// MARK: The handshake

extension TLSConnection {
    private func shakeHands(host: String, authorities: String?) throws(Failure) {
        guard let context = SSL_CTX_new(TLS_client_method()) else { throw .refused(reason: "") }
        // The session keeps the context as long as it needs it.
        defer { SSL_CTX_free(context) }
        ctls_set_minimum_version(context, TLS1_2_VERSION)
        SSL_CTX_set_default_verify_paths(context)
        SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nil)
        if let authorities, SSL_CTX_load_verify_locations(context, authorities, nil) != 1 {
            throw .refused(reason: "the file of trusted certificates cannot be read")
        }
        session = SSL_new(context)
        guard let session else { throw .refused(reason: "") }
        if Self.isNumeric(host) {
            X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(session), host)
        } else {
            ctls_set_host_name(session, host)
            SSL_set1_host(session, host)
        }
        // OpenSSL writes without MSG_NOSIGNAL: a server that went away is an error, not the end of this program.
        signal(SIGPIPE, SIG_IGN)
        SSL_set_fd(session, descriptor)
        guard SSL_connect(session) == 1 else { throw .refused(reason: Self.reason(session)) }
    }

    private static func isNumeric(_ host: String) -> Bool {
        var address = in6_addr()
        return inet_pton(AF_INET, host, &address) == 1 || inet_pton(AF_INET6, host, &address) == 1
    }

    private static func reason(_ session: OpaquePointer) -> String {
        let verified = SSL_get_verify_result(session)
        let text =
            verified == Int(X509_V_OK)
            ? ERR_reason_error_string(ERR_peek_last_error()) : X509_verify_cert_error_string(verified)
        return text.map { String(cString: $0) } ?? ""
    }
}
