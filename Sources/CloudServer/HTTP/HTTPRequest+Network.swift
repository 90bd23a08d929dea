import Glibc

extension HTTPRequest {
    /// Where the request comes from, for counting failures: an IPv4 address, or the 64 bits of an IPv6 network that one
    /// customer has. Empty where it is not known.
    ///
    /// A proxy on this machine says for whom it asks in `X-Forwarded-For`, whose last entry is its own; what others write
    /// there is not read.
    var network: String {
        guard let address = remoteAddress else { return "" }
        guard address.isLoopback else { return Self.network(of: address.bytes) }
        guard let entries = headers.values(of: "X-Forwarded-For").last,
            let last = entries.split(separator: ",").last,
            let bytes = Self.bytes(ofAddress: last.trimmingPrefix { $0 == " " })
        else { return "" }
        return Self.network(of: bytes)
    }

    private static func network(of bytes: [UInt8]) -> String {
        bytes.prefix(bytes.count == 4 ? 4 : 8).map { String($0) }.joined(separator: ".")
    }

    private static func bytes(ofAddress text: Substring) -> [UInt8]? {
        let text = String(text)
        for (family, length) in [(AF_INET, 4), (AF_INET6, 16)] {
            var bytes = [UInt8](repeating: 0, count: length)
            if inet_pton(family, text, &bytes) == 1 { return bytes }
        }
        return nil
    }
}

extension HTTPAddress {
    fileprivate var isLoopback: Bool {
        bytes.count == 4 ? bytes[0] == 127 : bytes == [UInt8](repeating: 0, count: 15) + [1]
    }

    /// An address in bytes: four or sixteen.
    package init(bytes: [UInt8], port: UInt16) {
        self.bytes = bytes
        self.port = port
    }
}
