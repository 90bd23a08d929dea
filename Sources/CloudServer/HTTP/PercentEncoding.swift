import WebServices

/// Percent-encoding (RFC 3986), read strictly.
package enum PercentEncoding {
    /// The text, or nil when a `%` has no two digits behind it or the result is not UTF-8.
    package static func decode<Text: Collection<UInt8>>(_ text: Text, plusIsSpace: Bool = false) -> String? {
        let isPlain = !text.contains { $0 == UInt8(ascii: "%") || (plusIsSpace && $0 == UInt8(ascii: "+")) }
        if isPlain { return String(validating: text, as: UTF8.self) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        var iterator = text.makeIterator()
        while let byte = iterator.next() {
            if byte == UInt8(ascii: "%") {
                guard let high = iterator.next().flatMap(Hex.value(of:)),
                    let low = iterator.next().flatMap(Hex.value(of:))
                else { return nil }
                bytes.append(high << 4 | low)
            } else if plusIsSpace, byte == UInt8(ascii: "+") {
                bytes.append(UInt8(ascii: " "))
            } else {
                bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
