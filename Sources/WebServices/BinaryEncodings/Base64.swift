/// Bytes as base64 (RFC 4648), in its ordinary form and in the one for URLs.
package enum Base64 {
    /// Which characters stand for 62 and 63, and whether `=` fills the last group of four.
    package enum Alphabet: Sendable {
        /// `+` and `/`, filled up.
        case standard
        /// `-` and `_`, not filled up.
        case url
    }

    package static func encode(_ bytes: some Sequence<UInt8>, alphabet: Alphabet = .standard) -> String {
        if let text = bytes.withContiguousStorageIfAvailable({ encode(UnsafeRawBufferPointer($0), alphabet: alphabet) })
        {
            return text
        }
        return encode(Array(bytes), alphabet: alphabet)
    }

    package static func encode(_ bytes: UnsafeRawBufferPointer, alphabet: Alphabet = .standard) -> String {
        String(unsafeUninitializedCapacity: encodedLength(of: bytes.count)) { buffer in
            guard let target = buffer.baseAddress else { return 0 }
            return encode(bytes, into: UnsafeMutableRawPointer(target), alphabet: alphabet)
        }
    }

    /// How many characters `count` bytes need, filled up.
    package static func encodedLength(of count: Int) -> Int { (count + 2) / 3 * 4 }

    /// Writes the characters to `target`, which has room for ``encodedLength(of:)``, and answers how many they are.
    package static func encode(
        _ bytes: UnsafeRawBufferPointer, into target: UnsafeMutableRawPointer, alphabet: Alphabet = .standard
    ) -> Int {
        let table = alphabet == .standard ? standardCharacters : urlCharacters
        return table.withUTF8Buffer { characters in
            var written = 0
            func put(_ value: UInt32) {
                target.storeBytes(of: characters[Int(value & 63)], toByteOffset: written, as: UInt8.self)
                written += 1
            }
            var index = 0
            while index + 3 <= bytes.count {
                let group = UInt32(bytes[index]) << 16 | UInt32(bytes[index + 1]) << 8 | UInt32(bytes[index + 2])
                put(group >> 18)
                put(group >> 12)
                put(group >> 6)
                put(group)
                index += 3
            }
            let rest = bytes.count - index
            guard rest > 0 else { return written }
            let group = UInt32(bytes[index]) << 16 | (rest == 2 ? UInt32(bytes[index + 1]) << 8 : 0)
            put(group >> 18)
            put(group >> 12)
            if rest == 2 { put(group >> 6) }
            if alphabet == .standard {
                for _ in rest..<3 {
                    target.storeBytes(of: UInt8(ascii: "="), toByteOffset: written, as: UInt8.self)
                    written += 1
                }
            }
            return written
        }
    }

    /// The bytes, or nil when `text` is malformed.
    ///
    /// Either alphabet is read, filled up or not, since clients differ; anything else is refused: white space, a single
    /// leftover character, leftover bits that are not zero.
    package static func decode(_ text: some Sequence<UInt8>) -> [UInt8]? {
        if let bytes = text.withContiguousStorageIfAvailable({ decode(contiguous: $0) }) { return bytes }
        return Array(text).withUnsafeBufferPointer { decode(contiguous: $0) }
    }

    /// The bytes, or nil when `text` is malformed. See ``decode(_:)``.
    package static func decode(_ text: String) -> [UInt8]? { decode(text.utf8) }

    private static func decode(contiguous text: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
        var length = text.count
        if length > 0, length.isMultiple(of: 4) {
            if text[length - 1] == UInt8(ascii: "=") { length -= 1 }
            if text[length - 1] == UInt8(ascii: "=") { length -= 1 }
        }
        guard length % 4 != 1 else { return nil }
        var isMalformed = false
        let bytes = [UInt8](unsafeUninitializedCapacity: length / 4 * 3 + 2) { buffer, count in
            var group: UInt32 = 0
            var bits = 0
            for index in 0..<length {
                let value = values[Int(text[index])]
                if value > 63 {
                    isMalformed = true
                    return
                }
                group = group << 6 | UInt32(value)
                bits += 6
                if bits >= 8 {
                    bits -= 8
                    buffer[count] = UInt8(truncatingIfNeeded: group >> UInt32(bits))
                    count += 1
                }
            }
            if group & ((1 << UInt32(bits)) - 1) != 0 { isMalformed = true }
        }
        return isMalformed ? nil : bytes
    }

    private static var standardCharacters: StaticString {
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    }
    private static var urlCharacters: StaticString {
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    }

    /// What each character stands for; 255 for those that stand for nothing.
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 255, count: 256)
        for table in [standardCharacters, urlCharacters] {
            table.withUTF8Buffer { characters in
                for (value, character) in characters.enumerated() { values[Int(character)] = UInt8(value) }
            }
        }
        return values
    }()
}
