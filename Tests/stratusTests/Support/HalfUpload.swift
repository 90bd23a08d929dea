import Foundation
import Glibc
import Testing

/// A client that sends a file to an address in parts.
final class HalfUpload: Sendable {
    /// Nobody listens.
    struct Refused: Error {}

    private let socket: Int32

    /// - Parameter size: what it says that it will send.
    init(_ url: URL, size: Int = 40 << 20) throws {
        socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(try #require(url.port)).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let connected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        if connected != 0 {
            close(socket)
            throw Refused()
        }
        var limit = timeval(tv_sec: 30, tv_usec: 0)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        send(Array("POST \(url.path) HTTP/1.1\r\nHost: x\r\nContent-Length: \(size)\r\n\r\n".utf8))
    }

    deinit { close(socket) }

    func send(megabytes: Int) {
        for _ in 0..<megabytes { send([UInt8](repeating: 7, count: 1 << 20)) }
    }

    func send(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let sent = rest.withUnsafeBytes { Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            if sent <= 0 { return }
            rest = rest.dropFirst(sent)
        }
    }

    /// What the server sends until it closes.
    func answer() -> String {
        var received: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = recv(socket, &part, part.count, 0)
            if count <= 0 { return String(decoding: received, as: UTF8.self) }
            received.append(contentsOf: part[..<count])
        }
    }
}
