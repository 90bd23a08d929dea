import Glibc

/// A TCP socket that listens.
struct ListeningSocket {
    let descriptor: Int32
    let port: UInt16

    /// How many connections may wait to be accepted; the system may allow fewer.
    private static let backlog: Int32 = 1024

    init(host: String, port: UInt16) throws(HTTPServerError) {
        var hints = addrinfo()
        hints.ai_flags = AI_PASSIVE
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, String(port), &hints, &list)
        guard code == 0, let first = list else {
            throw .unknownHost(host, reason: String(cString: gai_strerror(code)))
        }
        defer { freeaddrinfo(list) }
        // A name may have several addresses; the first that can be had is taken.
        var reason = ""
        for info in sequence(first: first, next: { $0.pointee.ai_next }) {
            if let descriptor = Self.listen(on: info.pointee) {
                self.descriptor = descriptor
                self.port = Self.port(of: descriptor)
                return
            }
            reason = String(cString: strerror(errno))
        }
        throw .cannotListen(host: host, port: port, reason: reason)
    }

    private static func listen(on info: addrinfo) -> Int32? {
        // Non-blocking, since several threads wait for the same connection and only one gets it.
        let type = info.ai_socktype | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let descriptor = socket(info.ai_family, type, info.ai_protocol)
        guard descriptor >= 0 else { return nil }
        var (on, off) = (Int32(1), Int32(0))
        let size = socklen_t(MemoryLayout<Int32>.size)
        // A restarted server takes its port back at once, whatever old connections linger.
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, size)
        if info.ai_family == AF_INET6 { setsockopt(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &off, size) }
        if bind(descriptor, info.ai_addr, info.ai_addrlen) == 0, Glibc.listen(descriptor, backlog) == 0 {
            return descriptor
        }
        let reason = errno
        close(descriptor)
        errno = reason
        return nil
    }

    private static func port(of descriptor: Int32) -> UInt16 {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                guard getsockname(descriptor, address, &length) == 0 else { return 0 }
                return HTTPAddress(address)?.port ?? 0
            }
        }
    }
}
