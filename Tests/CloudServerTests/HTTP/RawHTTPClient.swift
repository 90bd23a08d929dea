import CloudServer
import Glibc
import Testing

/// A connection that sends bytes as they are, since a proper client would not send the wrong ones.
final class RawHTTPClient {
    struct Answer {
        var status: Int
        var headers: [String: String]
        var body: [UInt8]

        var text: String { String(decoding: body, as: UTF8.self) }
    }

    /// Nobody listens.
    struct Refused: Error {}

    private let socket: Int32
    private var buffer: [UInt8] = []

    /// - Parameter receiveBuffer: bytes that the system takes before somebody reads; nil leaves it to the system.
    init(port: UInt16, receiveBuffer: Int32? = nil) throws {
        socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        try #require(socket >= 0)
        if var receiveBuffer {
            setsockopt(socket, SOL_SOCKET, SO_RCVBUF, &receiveBuffer, socklen_t(MemoryLayout<Int32>.size))
        }
        // A server that never answers must fail a test, not hang it.
        var limit = timeval(tv_sec: 30, tv_usec: 0)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let connected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        if connected != 0 { throw Refused() }
    }

    deinit { close(socket) }

    func send(_ text: String) { send(Array(text.utf8)) }

    func send(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let sent = rest.withUnsafeBytes {
                Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if sent <= 0 { return }
            rest = rest.dropFirst(sent)
        }
    }

    func request(_ method: String, _ target: String, headers: [String] = [], body: String? = nil) {
        var lines = ["\(method) \(target) HTTP/1.1", "Host: localhost"] + headers
        if let body { lines.append("Content-Length: \(body.utf8.count)") }
        send(lines.joined(separator: "\r\n") + "\r\n\r\n" + (body ?? ""))
    }

    func get(_ target: String) throws -> Answer {
        request("GET", target)
        return try answer()
    }

    func answer(hasBody: Bool = true) throws -> Answer {
        var lines: [String] = []
        while true {
            let line = try #require(readLine())
            if line.isEmpty { break }
            lines.append(line)
        }
        let status = try #require(lines.first.flatMap { Int($0.dropFirst(9).prefix(3)) })
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            headers[parts[0].lowercased()] = parts.count > 1 ? String(parts[1].drop { $0 == " " }) : ""
        }
        let length = hasBody ? headers["content-length"].flatMap { Int($0) } ?? 0 : 0
        while buffer.count < length { try #require(fill()) }
        let body = Array(buffer.prefix(length))
        buffer.removeFirst(length)
        return Answer(status: status, headers: headers, body: body)
    }

    /// Whether the server closes the connection and sends nothing before it does.
    func isClosedByServer() -> Bool { buffer.isEmpty && !fill() && errno != EAGAIN }

    /// Whether the server closes the connection sooner or later, whatever it sends before.
    func isClosedByServerFinally() -> Bool {
        while fill() { buffer = [] }
        return errno != EAGAIN
    }

    /// Whether the server closes the connection although a byte arrives every now and then.
    func isClosedByServerWhileSending() -> Bool {
        for _ in 0..<1500 {
            send("a")
            var state = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
            if poll(&state, 1, 20) > 0 { return isClosedByServer() }
        }
        return false
    }

    /// Takes one byte of what the server sends; false when there is none to come.
    func takeByte() -> Bool {
        var byte: UInt8 = 0
        return recv(socket, &byte, 1, 0) == 1
    }

    private func readLine() -> String? {
        while true {
            if let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
                let line = buffer[..<end].filter { $0 != UInt8(ascii: "\r") }
                buffer.removeSubrange(...end)
                return String(decoding: line, as: UTF8.self)
            }
            guard fill() else { return nil }
        }
    }

    private func fill() -> Bool {
        var part = [UInt8](repeating: 0, count: 65_536)
        errno = 0
        let count = recv(socket, &part, part.count, 0)
        if count > 0 { buffer.append(contentsOf: part[..<count]) }
        return count > 0
    }
}
