import Glibc
import WebServices

/// An answer as it came, whichever way.
struct WireAnswer: Sendable {
    var status: Int
    /// Names in lower case.
    var headers: [String: String]
    var body: [UInt8]

    var json: JSONValue? { (try? JSONDocument(parsing: body))?.root }

    subscript(_ key: String) -> JSONValue? { json?[key] }

    /// The one error that the answer consists of.
    var error: ServerError? { json.flatMap { ServerError($0) } }

    var webAuthToken: String? { headers["x-apple-cloudkit-web-auth-token"] }
}

extension JSONValue {
    subscript(_ position: Int) -> JSONValue? {
        array.flatMap { $0.dropFirst(position).first { _ in true } }
    }
}

/// The smallest HTTP client: a connection for each request, so that a test says every byte that is sent.
struct HTTPClient {
    let port: UInt16

    struct Failure: Error {
        var what: String
        var code = errno
    }

    func send(
        _ method: String, _ target: String, headers: [(String, String)] = [], body: [UInt8] = []
    ) throws -> WireAnswer {
        var text = "\(method) \(target) HTTP/1.1\r\nHost: localhost:\(port)\r\nConnection: close\r\n"
        for (name, value) in headers { text += "\(name): \(value)\r\n" }
        if !body.isEmpty || method == "POST" { text += "Content-Length: \(body.count)\r\n" }
        return try parse(exchange(Array("\(text)\r\n".utf8) + body))
    }

    /// Sends bytes and reads what comes until the server closes.
    ///
    /// - Parameter patience: seconds; a server that hangs fails the test, instead of hanging it.
    func exchange(_ bytes: [UInt8], patience: Int = 60) throws -> [UInt8] {
        let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard socket >= 0 else { throw Failure(what: "socket") }
        defer { close(socket) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let connected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard connected == 0 else { throw Failure(what: "connect") }
        var limit = timeval(tv_sec: patience, tv_usec: 0)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var rest = bytes[...]
        while !rest.isEmpty {
            let sent = rest.withUnsafeBytes { Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            // The server may refuse what it does not want to read to the end: its answer tells.
            if sent <= 0 { break }
            rest = rest.dropFirst(sent)
        }
        var received: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(socket, &part, part.count, 0)
            if count == 0 { return received }
            guard count > 0 else {
                if !received.isEmpty, errno == ECONNRESET { return received }
                throw Failure(what: "recv")
            }
            received.append(contentsOf: part[..<count])
        }
    }

    func parse(_ bytes: [UInt8]) throws -> WireAnswer {
        guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { throw Failure(what: "no headers") }
        let lines = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).split(separator: "\r\n")
        guard let status = lines.first.flatMap({ Int($0.dropFirst(9).prefix(3)) }) else {
            throw Failure(what: "no status")
        }
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            headers[parts[0].lowercased()] = parts.count > 1 ? String(parts[1].drop { $0 == " " }) : ""
        }
        return WireAnswer(status: status, headers: headers, body: Array(bytes[end.upperBound...]))
    }
}
