import Foundation

/// What of a web address decides who may read an answer.
enum WebAddress {
    /// Whether it is scheme, host and maybe port of a page, and nothing else.
    static func isOrigin(_ text: String) -> Bool { origin(of: text) == text }

    /// The origin of an http or https address; nil for anything that could not stand in a header or in a script.
    static func origin(of address: String) -> String? {
        guard let scheme = ["https://", "http://"].first(where: { address.hasPrefix($0) }), address.utf8.count <= 2048,
            address.utf8.allSatisfy(isPlain)
        else { return nil }
        let host = address.utf8.dropFirst(scheme.utf8.count).prefix { ![UInt8]("/?#".utf8).contains($0) }
        guard !host.isEmpty, host.allSatisfy(isOfHost) else { return nil }
        return scheme + String(decoding: host, as: UTF8.self)
    }

    /// The address with more in its query, which ends where a fragment begins.
    static func adding(_ parameters: String, to address: String) -> String {
        let mark = address.firstIndex(of: "#") ?? address.endIndex
        let (body, fragment) = (address[..<mark], address[mark...])
        let joint = !body.contains("?") ? "?" : body.hasSuffix("?") || body.hasSuffix("&") ? "" : "&"
        return "\(body)\(joint)\(parameters)\(fragment)"
    }

    /// Whether an origin is a page's on the machine that the browser runs on.
    static func isOfThisMachine(_ origin: String) -> Bool {
        guard let start = origin.range(of: "://")?.upperBound else { return false }
        let authority = origin[start...]
        let host = authority.hasPrefix("[") ? authority.prefix { $0 != "]" } + "]" : authority.prefix { $0 != ":" }
        return ["localhost", "127.0.0.1", "[::1]"].contains(host) || host.hasSuffix(".localhost")
    }

    private static func isOfHost(_ byte: UInt8) -> Bool {
        byte.isASCIILetter || byte.isASCIIDigit || [UInt8](".-:[]".utf8).contains(byte)
    }

    /// The characters of an address (RFC 3986) but the apostrophe.
    private static func isPlain(_ byte: UInt8) -> Bool {
        byte.isASCIILetter || byte.isASCIIDigit || [UInt8]("-._~:/?#[]@!$&()*+,;=%".utf8).contains(byte)
    }
}
