/// Integers with more digits than 64 bits hold.
enum JSONLongIntegers {
    /// The text with `e0` behind every such integer, which makes it a double; nil when there is none.
    static func rewrittenAsDoubles(_ text: UnsafeRawBufferPointer) -> [UInt8]? {
        var rewritten: [UInt8] = []
        var copied = 0
        var index = 0
        var isInString = false
        while index < text.count {
            let byte = text[index]
            if isInString {
                if byte == UInt8(ascii: "\\") { index += 1 }
                if byte == UInt8(ascii: "\"") { isInString = false }
                index += 1
            } else if byte == UInt8(ascii: "\"") {
                isInString = true
                index += 1
            } else if isDigit(byte) {
                let start = index
                while index < text.count, isDigit(text[index]) { index += 1 }
                // A fraction or an exponent makes a double of it anyway; 19 digits are the first that can be too many.
                let isInteger = index == text.count || !isPartOfNumber(text[index])
                let isWhole = start == 0 || !isPartOfNumber(text[start - 1]) || text[start - 1] == UInt8(ascii: "-")
                if isInteger, isWhole, index - start >= 19, isBeyond64Bits(text, start..<index) {
                    rewritten.append(contentsOf: text[copied..<index])
                    rewritten.append(contentsOf: "e0".utf8)
                    copied = index
                }
            } else {
                index += 1
            }
        }
        guard copied > 0 else { return nil }
        rewritten.append(contentsOf: text[copied...])
        return rewritten
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
    }

    private static func isPartOfNumber(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"), UInt8(ascii: "+"), UInt8(ascii: "-"): true
        default: isDigit(byte)
        }
    }

    private static func isBeyond64Bits(_ text: UnsafeRawBufferPointer, _ digits: Range<Int>) -> Bool {
        let isNegative = digits.lowerBound > 0 && text[digits.lowerBound - 1] == UInt8(ascii: "-")
        let string = String(decoding: UnsafeRawBufferPointer(rebasing: text[digits]), as: UTF8.self)
        return isNegative ? Int64("-" + string) == nil : UInt64(string) == nil
    }
}
