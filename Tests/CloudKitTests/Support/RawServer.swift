import Foundation
import Glibc

/// A server that takes a connection and does with it what a test says: the ways in which networks break.
final class RawServer: Sendable {
    enum Behaviour: Sendable {
        /// Closes as soon as the connection stands.
        case closesAtOnce
        /// Reads the request and closes.
        case closesAfterRequest
        /// Reads the request and says nothing.
        case silent
        case answers(String)
    }

    let url: URL
    private let descriptor: Int32

    init(_ behaviour: Behaviour) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = descriptor
        let bound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(descriptor, pointer, length) == 0 && listen(descriptor, 8) == 0
                    && getsockname(descriptor, pointer, &length) == 0
            }
        }
        guard bound, let url = URL(string: "http://127.0.0.1:\(UInt16(bigEndian: address.sin_port))") else {
            throw POSIXError(.EADDRNOTAVAIL)
        }
        self.url = url
        Thread.detachNewThread {
            while true {
                let connection = accept(descriptor, nil, nil)
                guard connection >= 0 else {
                    // Closed here and not in `stop`: the number may be another socket's by the time of the next accept.
                    close(descriptor)
                    return
                }
                Self.serve(connection, behaviour)
            }
        }
    }

    /// Nobody listens at the address afterwards.
    func stop() {
        shutdown(descriptor, Int32(SHUT_RDWR))
    }

    private static func serve(_ connection: Int32, _ behaviour: Behaviour) {
        if case .closesAtOnce = behaviour {
            close(connection)
            return
        }
        var received: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65536)
        while !isComplete(received) {
            let count = recv(connection, &buffer, buffer.count, 0)
            guard count > 0 else { break }
            received += buffer[0..<count]
        }
        switch behaviour {
        case .silent:
            // Until the client gives up.
            _ = recv(connection, &buffer, buffer.count, 0)
        case .answers(let text):
            _ = send(connection, text, text.utf8.count, Int32(MSG_NOSIGNAL))
        case .closesAtOnce, .closesAfterRequest: break
        }
        close(connection)
    }

    private static func isComplete(_ bytes: [UInt8]) -> Bool {
        let text = String(decoding: bytes, as: UTF8.self)
        guard let end = text.range(of: "\r\n\r\n") else { return false }
        let headers = text[..<end.lowerBound].lowercased()
        guard let length = headers.range(of: "content-length: ") else { return true }
        let count = Int(headers[length.upperBound...].prefix { $0.isNumber }) ?? 0
        return text[end.upperBound...].utf8.count >= count
    }
}
