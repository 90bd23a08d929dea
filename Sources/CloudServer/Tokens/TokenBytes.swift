/// The bytes inside a token: numbers as base-128 variable-length integers, low bits first.
struct TokenBytes {
    private(set) var bytes: [UInt8] = []

    mutating func append(_ number: Int64) {
        var rest = UInt64(bitPattern: number)
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    mutating func append(blob: some Collection<UInt8>) {
        append(Int64(blob.count))
        bytes.append(contentsOf: blob)
    }
}

/// Reads what `TokenBytes` wrote. Every method answers nil at the end of the bytes or on an over-long number.
struct TokenBytesReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) {
        rest = bytes
    }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func number() -> Int64? {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), through: 63, by: 7) {
            guard let byte = rest.popFirst() else { return nil }
            let bits = UInt64(byte & 0x7F)
            if shift == 63, bits > 1 { return nil }
            value |= bits << shift
            if byte & 0x80 == 0 { return Int64(bitPattern: value) }
        }
        return nil
    }

    /// A number that a token keeps at zero or above.
    mutating func count() -> Int64? {
        guard let value = number(), value >= 0 else { return nil }
        return value
    }

    mutating func blob() -> [UInt8]? {
        guard let length = count(), length <= Int64(rest.count) else { return nil }
        let blob = Array(rest.prefix(Int(length)))
        rest = rest.dropFirst(Int(length))
        return blob
    }
}
