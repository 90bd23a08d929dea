/// What of a file a request asks for. [RFC 9110, 14]
package enum HTTPRange: Hashable, Sendable {
    case whole
    /// Bytes `first` to `last`, inclusive.
    case part(first: Int64, last: Int64)
    /// No byte of it is there.
    case unsatisfiable

    /// - Parameters:
    ///   - header: the field `Range`; what is not understood, and several ranges at once, mean the whole file.
    ///   - size: of the file.
    package init(_ header: String?, size: Int64) {
        self = .whole
        guard let header, header.lowercased().hasPrefix("bytes=") else { return }
        let bounds = header.dropFirst("bytes=".count).split(separator: "-", omittingEmptySubsequences: false)
        guard bounds.count == 2, bounds.allSatisfy({ $0.utf8.allSatisfy(\.isASCIIDigit) }) else { return }
        switch (bounds[0].isEmpty, bounds[1].isEmpty) {
        case (true, true): return
        case (true, false):
            // The last bytes. Digits that are no Int64 are more than any file has.
            let count = Int64(bounds[1]) ?? .max
            self = count == 0 || size == 0 ? .unsatisfiable : .part(first: max(0, size - count), last: size - 1)
        case (false, let isOpen):
            let first = Int64(bounds[0]) ?? .max
            let last = isOpen ? .max : Int64(bounds[1]) ?? .max
            guard first <= last else { return }
            self = first < size ? .part(first: first, last: min(last, size - 1)) : .unsatisfiable
        }
    }
}

extension HTTPResponse {
    /// A file that never changes, or the part of it that the request asks for.
    ///
    /// - Parameters:
    ///   - file: opens it anew.
    ///   - tag: what stands for its content, without quotes.
    package static func file(
        _ request: HTTPRequest, size: Int64, tag: String, headers: [(String, String)],
        _ file: (_ offset: Int64, _ length: Int64) -> HTTPFile?
    ) -> HTTPResponse? {
        let quoted = "\"\(tag)\""
        let common = headers + [("ETag", quoted), ("Accept-Ranges", "bytes")]
        if let known = request.headers["If-None-Match"], known == "*" || known.contains(quoted) {
            return HTTPResponse(status: 304, headers: common)
        }
        // A range of another content than the client has the rest of would make nonsense.
        let isCurrent = request.headers["If-Range"].map { $0 == quoted } ?? true
        var response = HTTPResponse(headers: common)
        switch HTTPRange(isCurrent ? request.headers["Range"] : nil, size: size) {
        case .whole:
            response.file = file(0, size)
        case .part(let first, let last):
            response.status = 206
            response.headers.append(("Content-Range", "bytes \(first)-\(last)/\(size)"))
            response.file = file(first, last - first + 1)
        case .unsatisfiable:
            return HTTPResponse(status: 416, headers: common + [("Content-Range", "bytes */\(size)")])
        }
        return response.file == nil ? nil : response
    }
}
