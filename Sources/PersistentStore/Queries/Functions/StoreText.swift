import Foundation

/// What queries ask of text, in one place for SQL and for objects in memory. Texts are equal, contained and ordered as Swift's
/// strings are: by characters, with canonical equivalence.
///
/// Text that is ASCII on both sides, most of what a store holds, is compared as bytes without making a string of it.
enum StoreText {
    /// The order of two texts: negative, 0 or positive.
    static func order(_ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer) -> Int32 {
        if isASCII(first), isASCII(second) {
            let common = min(first.count, second.count)
            if common > 0, let left = first.baseAddress, let right = second.baseAddress {
                let order = memcmp(left, right, common)
                if order != 0 { return order }
            }
            return first.count < second.count ? -1 : first.count > second.count ? 1 : 0
        }
        let (left, right) = (string(first), string(second))
        return left < right ? -1 : left == right ? 0 : 1
    }

    static func order(
        _ order: StoreTextOrder, _ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer
    ) -> Int32 {
        if order == .localizedStandard, let quick = PlainTextOrder.compare(first, second) { return quick }
        return self.order(order, string(first), string(second))
    }

    static func order(_ order: StoreTextOrder, _ first: String, _ second: String) -> Int32 {
        let result: ComparisonResult =
            switch order {
            case .caseInsensitive: first.caseInsensitiveCompare(second)
            case .localized: first.localizedCompare(second)
            case .localizedStandard: first.localizedStandardCompare(second)
            }
        return Int32(result.rawValue)
    }

    static func test(_ test: StoreTextTest, _ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer) -> Bool {
        guard isASCII(first), isASCII(second) else { return self.test(test, string(first), string(second)) }
        switch test {
        case .contains:
            // A line's end of two bytes is one character, of which neither byte is a part.
            if second.last == 0x0D || second.first == 0x0A { break }
            return find(second, in: first)
        case .startsWith:
            if second.last == 0x0D { break }
            return first.count >= second.count && first.prefix(second.count).elementsEqual(second)
        case .localizedStandardContains: return findIgnoringCase(second, in: first)
        }
        return self.test(test, string(first), string(second))
    }

    static func test(_ test: StoreTextTest, _ first: String, _ second: String) -> Bool {
        switch test {
        case .contains: second.isEmpty || contains(first, second)
        case .startsWith: first.starts(with: second)
        case .localizedStandardContains: first.localizedStandardContains(second)
        }
    }

    /// Whether the characters of the second occur in a row in the first. (Foundation's `contains` looks for scalars.)
    private static func contains(_ first: String, _ second: String) -> Bool {
        guard let initial = second.first else { return true }
        var rest = first[...]
        while let start = rest.firstIndex(of: initial) {
            rest = rest[start...]
            if rest.starts(with: second) { return true }
            rest = rest.dropFirst()
        }
        return false
    }

    static func string(_ bytes: UnsafeRawBufferPointer) -> String {
        String(decoding: bytes, as: UTF8.self)
    }

    static func isASCII(_ bytes: UnsafeRawBufferPointer) -> Bool {
        bytes.allSatisfy { $0 < 0x80 }
    }

    private static func find(_ needle: UnsafeRawBufferPointer, in hay: UnsafeRawBufferPointer) -> Bool {
        guard let start = needle.baseAddress, needle.count > 0 else { return true }
        guard let whole = hay.baseAddress, hay.count >= needle.count else { return false }
        // The places of the first byte, which memchr finds many bytes at a time.
        var from = 0
        let first = Int32(needle[0])
        while from <= hay.count - needle.count,
            let place = memchr(whole + from, first, hay.count - needle.count - from + 1)
        {
            if memcmp(place, start, needle.count) == 0 { return true }
            from = UnsafeRawPointer(place) - whole + 1
        }
        return false
    }

    private static func findIgnoringCase(_ needle: UnsafeRawBufferPointer, in hay: UnsafeRawBufferPointer) -> Bool {
        // Nothing is found nowhere, as in Foundation.
        guard let first = needle.first, hay.count >= needle.count else { return false }
        let wanted = lowercased(first)
        for start in 0...(hay.count - needle.count) where lowercased(hay[start]) == wanted {
            var length = 1
            while length < needle.count, lowercased(hay[start + length]) == lowercased(needle[length]) { length += 1 }
            if length == needle.count { return true }
        }
        return false
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte
    }
}

extension StoreTextOrder {
    /// The name of the collation in SQL.
    var collation: String {
        switch self {
        case .caseInsensitive: "stratus_caseless"
        case .localized: "stratus_localized"
        case .localizedStandard: "stratus_standard"
        }
    }
}
