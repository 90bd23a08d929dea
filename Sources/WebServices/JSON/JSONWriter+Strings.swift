extension JSONWriter {
    /// Appends the text with quotes, backslashes and control characters escaped. There is room for all of it and eight
    /// bytes more as long as nothing needs escaping.
    @usableFromInline mutating func escape(_ text: UnsafeRawBufferPointer) {
        guard let source = text.baseAddress else { return }
        let end = text.count
        var index = 0
        while index < end {
            // Eight bytes at a time are copied before it is known how many of them may stay.
            while index + 8 <= end {
                let word = (source + index).loadUnaligned(as: UInt64.self).littleEndian
                start.storeBytes(of: word.littleEndian, toByteOffset: used, as: UInt64.self)
                let found = Self.escapable(in: word)
                if found != 0 {
                    let clean = found.trailingZeroBitCount / 8
                    used += clean
                    index += clean
                    break
                }
                used += 8
                index += 8
            }
            if index == end { return }
            let byte = source.load(fromByteOffset: index, as: UInt8.self)
            if byte >= 0x20, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") {
                append(byte)
            } else {
                appendEscape(of: byte)
                reserve(end - index + 16)
            }
            index += 1
        }
    }

    /// The highest bit of every byte that must be escaped; above the first of them, bits may be set without reason.
    @inline(__always) private static func escapable(in word: UInt64) -> UInt64 {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let high: UInt64 = 0x8080_8080_8080_8080
        // Each term sets the highest bit of a byte that is zero after the subtraction wraps, unless the byte had it.
        let quote = word ^ (ones &* UInt64(UInt8(ascii: "\"")))
        let backslash = word ^ (ones &* UInt64(UInt8(ascii: "\\")))
        let control = (word &- ones &* 0x20) & ~word
        return (control | ((quote &- ones) & ~quote) | ((backslash &- ones) & ~backslash)) & high
    }

    private mutating func appendEscape(of byte: UInt8) {
        reserve(6)
        append(UInt8(ascii: "\\"))
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): append(byte)
        case 0x08: append(UInt8(ascii: "b"))
        case 0x09: append(UInt8(ascii: "t"))
        case 0x0A: append(UInt8(ascii: "n"))
        case 0x0C: append(UInt8(ascii: "f"))
        case 0x0D: append(UInt8(ascii: "r"))
        default:
            append(UInt8(ascii: "u"))
            append(UInt8(ascii: "0"))
            append(UInt8(ascii: "0"))
            append(Hex.digit(byte >> 4))
            append(Hex.digit(byte & 15))
        }
    }
}
