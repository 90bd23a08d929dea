/// A request with its whole body, or with the sink that took it.
package struct HTTPRequest: Sendable {
    /// `GET`, `POST` and so on, as the client wrote it.
    package var method: String
    /// The path as it was received, still percent-encoded.
    package var path: String
    /// The parts of the path between slashes, percent-decoded. `/` has none; `/a/` has an empty one at its end.
    package var pathComponents: [String]
    package var query: HTTPQuery
    package var headers: HTTPHeaders
    package var body: [UInt8]
    /// What took the body as it arrived, in place of `body`.
    package var bodySink: (any HTTPBodySink)?
    package var remoteAddress: HTTPAddress?

    /// - Parameter target: path and query as in a request line.
    /// - Returns: nil when the target is not validly percent-encoded UTF-8.
    package init?(
        method: String, target: String, headers: HTTPHeaders = HTTPHeaders(), body: [UInt8] = [],
        remoteAddress: HTTPAddress? = nil
    ) {
        let (path, query) = Self.split(Substring(target))
        guard let pathComponents = Self.components(of: path), let query = HTTPQuery(query) else { return nil }
        self.method = method
        self.path = String(path)
        self.pathComponents = pathComponents
        self.query = query
        self.headers = headers
        self.body = body
        self.remoteAddress = remoteAddress
    }

    /// A request that never becomes one, for whoever words the refusal.
    init(refusedTarget target: String, method: String, headers: HTTPHeaders, remoteAddress: HTTPAddress?) {
        self.method = method
        path = String(Self.split(Substring(target)).path)
        pathComponents = []
        query = HTTPQuery()
        self.headers = headers
        body = []
        self.remoteAddress = remoteAddress
    }

    private static func split(_ target: Substring) -> (path: Substring, query: Substring) {
        var target = target
        // A proxy may write the whole URL (RFC 9112, 3.2.2).
        let isWhole = target.utf8.first != UInt8(ascii: "/")
        for scheme in ["http://", "https://"] where isWhole && target.hasPrefix(scheme) {
            let rest = target.dropFirst(scheme.count)
            target = rest[(rest.utf8.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex)...]
        }
        guard let mark = target.utf8.firstIndex(of: UInt8(ascii: "?")) else { return (target, "") }
        return (target[..<mark], target[target.utf8.index(after: mark)...])
    }

    private static func components(of path: Substring) -> [String]? {
        let bytes = Array(path.utf8)
        let relative = bytes.first == UInt8(ascii: "/") ? bytes.dropFirst() : bytes[...]
        guard !relative.isEmpty else { return [] }
        var components: [String] = []
        components.reserveCapacity(8)
        for part in relative.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
            guard let component = PercentEncoding.decode(part) else { return nil }
            components.append(component)
        }
        return components
    }
}

/// A request's query: `name=value` pairs, percent-decoded.
package struct HTTPQuery: Sendable {
    /// The query as it was received, without the question mark.
    package let raw: String
    package let items: [(name: String, value: String)]

    package init() {
        raw = ""
        items = []
    }

    /// Nil when the query is not validly percent-encoded UTF-8. A `+` is a space, as HTML forms and most libraries write
    /// it.
    package init?(_ raw: some StringProtocol) {
        var items: [(name: String, value: String)] = []
        // Bytes in an array: walking a substring's UTF-8 index by index took longer than the look-up of a record.
        let bytes = Array(raw.utf8)
        for pair in bytes.split(separator: UInt8(ascii: "&")) {
            let equals = pair.firstIndex(of: UInt8(ascii: "="))
            let value = equals.map { pair[($0 + 1)...] }
            guard let name = PercentEncoding.decode(pair[..<(equals ?? pair.endIndex)], plusIsSpace: true),
                let value = value.map({ PercentEncoding.decode($0, plusIsSpace: true) }) ?? ""
            else { return nil }
            items.append((name, value))
        }
        self.raw = String(raw)
        self.items = items
    }

    /// The value of the first pair with this name.
    package subscript(_ name: String) -> String? {
        items.first { $0.name == name }?.value
    }
}
