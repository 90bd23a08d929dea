import Foundation
import Glibc

/// A keep-alive connection that asks one question at a time, as cheaply as it can: the load generator shares the machine
/// with what it measures.
final class HTTPConnection {
    struct Answer {
        var status: Int
        var body: [UInt8]
    }

    struct Failure: Error, CustomStringConvertible {
        var description: String
    }

    private let descriptor: Int32
    private let host: String
    private var buffer = [UInt8](repeating: 0, count: 1 << 16)
    private var filled = 0

    init(port: Int) throws {
        host = "127.0.0.1:\(port)"
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        let connected = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard connected == 0 else {
            close(descriptor)
            throw Failure(description: "cannot connect to \(host): \(String(cString: strerror(errno)))")
        }
        var on: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
    }

    deinit {
        close(descriptor)
    }

    func ask(_ request: HTTPQuestion) throws -> Answer {
        var bytes = Array(
            "\(request.method) \(request.path) HTTP/1.1\r\nHost: \(host)\r\n\(request.headerLines)Content-Length: \(request.body.count)\r\n\r\n"
                .utf8)
        // A long body is not copied.
        if request.body.count <= 1 << 16 { bytes.append(contentsOf: request.body) }
        try send(bytes)
        if request.body.count > 1 << 16 { try send(request.body) }
        return try receive()
    }

    /// Fetches a file and lets go of it as it comes.
    func fetch(_ path: String, size: Int) throws {
        try send(Array("GET \(path) HTTP/1.1\r\nHost: \(host)\r\n\r\n".utf8))
        var headerEnd = endOfHeader()
        while headerEnd == nil {
            try fill()
            headerEnd = endOfHeader()
        }
        guard let headerEnd, buffer[9..<12].elementsEqual("200".utf8) else {
            throw Failure(description: "\(path): \(String(decoding: buffer.prefix(filled).prefix(200), as: UTF8.self))")
        }
        var rest = size - (filled - headerEnd - 4)
        filled = 0
        while rest > 0 {
            try fill()
            rest -= filled
            filled = 0
        }
        guard rest == 0 else { throw Failure(description: "\(path) has more than \(size) bytes") }
    }

    private func send(_ bytes: [UInt8]) throws {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes { raw -> Int in
                guard let start = raw.baseAddress else { return 0 }
                return Glibc.send(descriptor, start + sent, raw.count - sent, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else {
                throw Failure(description: "the peer closed the connection while it was written to")
            }
            sent += count
        }
    }

    private func receive() throws -> Answer {
        var headerEnd: Int?
        while headerEnd == nil {
            try fill()
            headerEnd = endOfHeader()
        }
        guard let headerEnd else { throw Failure(description: "no header") }
        // By bytes: to Swift, CR LF is one character.
        let lines = buffer[..<headerEnd].split(separator: 13).map {
            String(decoding: $0.drop { $0 == 10 }, as: UTF8.self).lowercased()
        }
        let status = Int(lines.first?.split(separator: " ").dropFirst().first ?? "") ?? 0
        consume(headerEnd + 4)
        if lines.contains("transfer-encoding: chunked") { return Answer(status: status, body: try chunks()) }
        let length =
            lines.first { $0.hasPrefix("content-length:") }.flatMap { Int($0.dropFirst(15).drop { $0 == " " }) } ?? 0
        return Answer(status: status, body: try take(length))
    }

    private func endOfHeader() -> Int? {
        guard filled >= 4 else { return nil }
        var index = 0
        while index + 3 < filled {
            if buffer[index] == 13, buffer[index + 1] == 10, buffer[index + 2] == 13, buffer[index + 3] == 10 {
                return index
            }
            index += 1
        }
        return nil
    }

    private func chunks() throws -> [UInt8] {
        var body: [UInt8] = []
        while true {
            var line: [UInt8] = []
            while line.suffix(2) != [13, 10] { line += try take(1) }
            let digits = String(decoding: line.dropLast(2).prefix { $0 != UInt8(ascii: ";") }, as: UTF8.self)
            guard let size = Int(digits, radix: 16) else { throw Failure(description: "a chunk without a size") }
            body += try take(size)
            _ = try take(2)
            if size == 0 { return body }
        }
    }

    private func take(_ count: Int) throws -> [UInt8] {
        while filled < count { try fill() }
        let bytes = Array(buffer[..<count])
        consume(count)
        return bytes
    }

    private func consume(_ count: Int) {
        let rest = filled - count
        if rest > 0 {
            buffer.withUnsafeMutableBytes { raw in
                guard let start = raw.baseAddress else { return }
                memmove(start, start + count, rest)
            }
        }
        filled = rest
    }

    private func fill() throws {
        if filled == buffer.count { buffer += [UInt8](repeating: 0, count: buffer.count) }
        let room = buffer.count - filled
        let offset = filled
        let count = buffer.withUnsafeMutableBytes { raw -> Int in
            guard let start = raw.baseAddress else { return 0 }
            return recv(descriptor, start + offset, room, 0)
        }
        guard count > 0 else {
            throw Failure(description: "the peer closed the connection before its answer was whole")
        }
        filled += count
    }
}

/// A request to be sent.
struct HTTPQuestion: Sendable {
    var method: String
    var path: String
    /// Each line ends with CR LF.
    var headerLines: String
    var body: [UInt8]

    init(_ method: String, _ path: String, headers: [(String, String)] = [], body: String = "") {
        self.init(method, path, headers: headers, bytes: Array(body.utf8))
    }

    init(_ method: String, _ path: String, headers: [(String, String)] = [], bytes: [UInt8]) {
        self.method = method
        self.path = path
        headerLines = headers.map { "\($0.0): \($0.1)\r\n" }.joined()
        body = bytes
    }
}
