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
        let request = request(method, path, query: query, body: body)
        let answer: [UInt8]
        do {
            let connection = try TLSConnection(
                host: host, port: port, isSecure: isSecure, authorities: authorities, seconds: seconds)
            try connection.write(request)
            answer = try readAll(from: connection)
        } catch {
            throw unreachable(error)
        }
        return try parse(answer)
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

    private func readAll(from connection: TLSConnection) throws(TLSConnection.Failure) -> [UInt8] {
        var all: [UInt8] = []
        while all.count < Self.limit {
            let some: [UInt8]
            do {
                some = try connection.read(limit: 16_384)
            } catch {
                // A server may end a TLS stream without the closing words; what came is judged by its length below.
                if error == .broken, !all.isEmpty { break }
                throw error
            }
            if some.isEmpty { break }
            all += some
        }
        return all
    }

    private func unreachable(_ failure: TLSConnection.Failure) -> Failure {
        let place = "\(host):\(port)"
        switch failure {
        case .noAddress(let reason):
            return Failure(
                .unreachable, "The name \(host) has no address\(Self.parenthesis(reason)).",
                remedy: "Check the spelling and the network.")
        case .refused(let reason):
            return Failure(
                .unreachable, "\(place) does not prove that it is \(host)\(Self.parenthesis(reason)).",
                remedy: "For a certificate of your own, name the file of its issuer with --authority.")
        case .timedOut:
            return Failure(.unreachable, "\(place) does not answer within \(seconds) seconds.")
        case .noConnection(let reason):
            return nothingAnswers(place, reason)
        case .broken:
            return nothingAnswers(place, "")
        }
    }

    private func nothingAnswers(_ place: String, _ reason: String) -> Failure {
        Failure(
            .unreachable, "Nothing answers at \(place)\(Self.parenthesis(reason)).",
            remedy: "Is the cloud running? `stratus dev` starts one on this machine.")
    }

    private static func parenthesis(_ reason: String) -> String { reason.isEmpty ? "" : " (\(reason))" }

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
