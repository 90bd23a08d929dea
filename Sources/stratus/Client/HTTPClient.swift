import CTLS
import Foundation

/// One request and its answer, over a connection of its own. For the program's few requests as a client; blocking.
struct HTTPClient: Sendable {
    struct Response: Sendable {
        var status: Int
        /// By lower-case name.
        var headers: [String: String]
        var body: [UInt8]
    }

    var url: URL
    /// A file of certificates to trust besides the system's.
    var authorities: String?
    var seconds: Int32 = 10
    /// Answers larger than this are no answers of ours.
    private static let limit = 8 << 20

    init(_ text: String, authorities: String? = nil) throws {
        guard let url = URL(string: text), let scheme = url.scheme?.lowercased(), url.host() != nil,
            ["http", "https"].contains(scheme)
        else {
            throw Failure(
                .usage, "“\(text)” is no address of a cloud.", remedy: "Give one such as https://cloud.example.com")
        }
        self.url = url
        self.authorities = authorities
    }

    /// - Throws: `Failure` with `.unreachable` where no answer comes.
    func send(
        _ method: String, _ path: String, query: [(String, String)] = [], body: [UInt8]? = nil
    ) throws -> Response {
        let connection = try connect()
        defer { tls_close(connection) }
        try write(request(method, path, query: query, body: body), to: connection)
        return try parse(readAll(from: connection))
    }

    private var isSecure: Bool { url.scheme?.lowercased() == "https" }
    private var host: String { (url.host() ?? "").trimmingCharacters(in: CharacterSet(charactersIn: "[]")) }
    private var port: Int { url.port ?? (isSecure ? 443 : 80) }

    private func request(_ method: String, _ path: String, query: [(String, String)], body: [UInt8]?) -> [UInt8] {
        var target = url.path().hasSuffix("/") ? String(url.path().dropLast()) : url.path()
        target += path
        if !query.isEmpty {
            target += "?" + query.map { "\($0.0)=\(Self.escape($0.1))" }.joined(separator: "&")
        }
        var head = "\(method) \(target) HTTP/1.1\r\nHost: \(url.host() ?? ""):\(port)\r\n"
        head += "Connection: close\r\nAccept: application/json\r\nUser-Agent: stratus\r\n"
        if let body { head += "Content-Type: application/json\r\nContent-Length: \(body.count)\r\n" }
        return Array((head + "\r\n").utf8) + (body ?? [])
    }

    private static func escape(_ text: String) -> String {
        let plain = CharacterSet(charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
        return text.addingPercentEncoding(withAllowedCharacters: plain) ?? ""
    }

    // MARK: The connection

    private func connect() throws -> OpaquePointer {
        var connection: OpaquePointer?
        var text = [CChar](repeating: 0, count: 256)
        let status = tls_connect(
            host, String(port), isSecure ? 1 : 0, authorities, seconds, &connection, &text, text.count)
        if status == TLS_OK, let connection { return connection }
        let detail = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        throw unreachable(status, detail)
    }

    private func unreachable(_ status: tls_status, _ detail: String) -> Failure {
        let place = "\(host):\(port)"
        let reason = detail.isEmpty ? "" : " (\(detail))"
        switch status {
        case TLS_NO_ADDRESS:
            return Failure(
                .unreachable, "The name \(host) has no address\(reason).", remedy: "Check the spelling and the network."
            )
        case TLS_REFUSED:
            return Failure(
                .unreachable, "\(place) does not prove that it is \(host)\(reason).",
                remedy: "For a certificate of your own, name the file of its issuer with --authority.")
        case TLS_TIMEOUT:
            return Failure(.unreachable, "\(place) does not answer within \(seconds) seconds.")
        default:
            return Failure(
                .unreachable, "Nothing answers at \(place)\(reason).",
                remedy: "Is the cloud running? `stratus dev` starts one on this machine.")
        }
    }

    private func write(_ bytes: [UInt8], to connection: OpaquePointer) throws {
        let status = bytes.withUnsafeBytes { tls_write(connection, $0.baseAddress, $0.count) }
        guard status == TLS_OK else { throw unreachable(status, "") }
    }

    private func readAll(from connection: OpaquePointer) throws -> [UInt8] {
        var all: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while all.count < Self.limit {
            var count = 0
            let status = buffer.withUnsafeMutableBytes { tls_read(connection, $0.baseAddress, $0.count, &count) }
            // A server may end a TLS stream without the closing words; what came is judged by its length below.
            if status == TLS_BROKEN, !all.isEmpty { break }
            guard status == TLS_OK else { throw unreachable(status, "") }
            if count == 0 { break }
            all += buffer[..<count]
        }
        return all
    }

    // MARK: The answer

    private func parse(_ bytes: [UInt8]) throws -> Response {
        let notHTTP = Failure(.unreachable, "What answers at \(host):\(port) does not speak HTTP.")
        guard let end = bytes.firstIndex(ofSequence: Array("\r\n\r\n".utf8)) else { throw notHTTP }
        let lines = String(decoding: bytes[..<end], as: UTF8.self).split(separator: "\r\n")
        let first = lines.first?.split(separator: " ") ?? []
        guard first.count >= 2, first[0].hasPrefix("HTTP/1."), let status = Int(first[1]) else { throw notHTTP }
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { continue }
            headers[line[..<colon].lowercased()] = line[line.index(after: colon)...].trimmingCharacters(
                in: .whitespaces)
        }
        var body = Array(bytes[(end + 4)...])
        if headers["transfer-encoding"]?.lowercased() == "chunked" {
            body = Self.joinChunks(body)
        } else if let length = headers["content-length"].flatMap({ Int($0) }) {
            guard body.count >= length, length >= 0 else {
                throw Failure(.unreachable, "The answer of \(host):\(port) ended in the middle.")
            }
            body = Array(body.prefix(length))
        }
        return Response(status: status, headers: headers, body: body)
    }

    private static func joinChunks(_ bytes: [UInt8]) -> [UInt8] {
        var body: [UInt8] = []
        var rest = bytes[...]
        while let lineEnd = rest.firstIndex(of: 10) {
            let digits = rest[rest.startIndex..<lineEnd].prefix { $0 != 13 && $0 != UInt8(ascii: ";") }
            guard let size = Int(String(decoding: digits, as: UTF8.self), radix: 16), size > 0 else { break }
            rest = rest[(lineEnd + 1)...]
            guard rest.count >= size else { break }
            body += rest.prefix(size)
            rest = rest.dropFirst(size).dropFirst(2)
        }
        return body
    }
}

extension [UInt8] {
    func firstIndex(ofSequence sequence: [UInt8]) -> Int? {
        guard count >= sequence.count else { return nil }
        return (0...(count - sequence.count)).first { self[$0..<($0 + sequence.count)].elementsEqual(sequence) }
    }
}
