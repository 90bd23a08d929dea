import Glibc

/// An Internet address and a port.
package struct HTTPAddress: Hashable, Sendable, CustomStringConvertible {
    /// Four bytes or sixteen.
    package let bytes: [UInt8]
    package let port: UInt16

    /// Nil for what is no Internet address.
    init?(_ address: UnsafePointer<sockaddr>) {
        let raw = UnsafeRawPointer(address)
        switch Int32(address.pointee.sa_family) {
        case AF_INET:
            let address = raw.loadUnaligned(as: sockaddr_in.self)
            bytes = withUnsafeBytes(of: address.sin_addr) { Array($0) }
            port = UInt16(bigEndian: address.sin_port)
        case AF_INET6:
            let address = raw.loadUnaligned(as: sockaddr_in6.self)
            let all = withUnsafeBytes(of: address.sin6_addr) { Array($0) }
            // A socket for both families reports IPv4 as ::ffff:a.b.c.d.
            let isMapped = all.prefix(10).allSatisfy { $0 == 0 } && all[10] == 0xFF && all[11] == 0xFF
            bytes = isMapped ? Array(all[12...]) : all
            port = UInt16(bigEndian: address.sin6_port)
        default:
            return nil
        }
    }

    /// The address without the port, as in `203.0.113.7` or `2001:db8::7`.
    package var host: String {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        guard inet_ntop(bytes.count == 4 ? AF_INET : AF_INET6, bytes, &text, socklen_t(text.count)) != nil else {
            return ""
        }
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    package var description: String { bytes.count == 4 ? "\(host):\(port)" : "[\(host)]:\(port)" }
}
