extension JSONWriter {
    @inlinable package mutating func int64(_ value: Int64) {
        reserve(22)
        comma()
        if value < 0 { append(UInt8(ascii: "-")) }
        appendDigits(value.magnitude)
        needsComma = true
    }

    @inlinable package mutating func uint64(_ value: UInt64) {
        reserve(22)
        comma()
        appendDigits(value)
        needsComma = true
    }

    @inlinable package mutating func int(_ value: Int) { int64(Int64(value)) }

    /// The shortest digits that read back as the same number, always with a fraction or an exponent, so that a double
    /// stays a double.
    ///
    /// JSON has neither infinities nor NaN. Whoever takes a number from a caller refuses them there, where the mistake can
    /// be named; here they become `null`, which keeps the text well formed.
    package mutating func double(_ value: Double) {
        guard value.isFinite else { return null() }
        if value == value.rounded(.towardZero), abs(value) < 1e15, !(value == 0 && value.sign == .minus) {
            reserve(24)
            comma()
            if value < 0 { append(UInt8(ascii: "-")) }
            appendDigits(UInt64(abs(value)))
            append(UInt8(ascii: "."))
            append(UInt8(ascii: "0"))
            needsComma = true
        } else {
            var text = value.description
            text.withUTF8 { raw(UnsafeRawBufferPointer($0)) }
        }
    }

    /// Twenty digits at most, for which there is room.
    @usableFromInline mutating func appendDigits(_ value: UInt64) {
        var length = 1
        var rest = value
        while rest >= 10 {
            rest /= 10
            length += 1
        }
        rest = value
        var offset = used + length
        repeat {
            offset -= 1
            start.storeBytes(of: UInt8(ascii: "0") + UInt8(rest % 10), toByteOffset: offset, as: UInt8.self)
            rest /= 10
        } while rest > 0
        used += length
    }
}
