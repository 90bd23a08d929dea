/// The headers of a request.
///
/// They lie in one buffer, and what is not asked for never becomes a string.
package struct HTTPHeaders: Sendable, Sequence {
    /// For each header two 16-bit lengths, low byte first, and then name and value.
    private var storage: [UInt8] = []

    package init() {}

    package init(_ headers: [(String, String)]) {
        for (name, value) in headers {
            var (name, value) = (name, value)
            name.withUTF8 { name in value.withUTF8 { append(name: name, value: $0) } }
        }
    }

    /// Names and values beyond 65,535 bytes are cut; no server's header memory holds them.
    mutating func append(name: UnsafeBufferPointer<UInt8>, value: UnsafeBufferPointer<UInt8>) {
        if storage.isEmpty { storage.reserveCapacity(512) }
        let name = name.prefix(Int(UInt16.max))
        let value = value.prefix(Int(UInt16.max))
        appendLength(name.count)
        appendLength(value.count)
        storage.append(contentsOf: name)
        storage.append(contentsOf: value)
    }

    private mutating func appendLength(_ length: Int) {
        storage.append(UInt8(length & 255))
        storage.append(UInt8(length >> 8))
    }

    /// The value of the first header with this name, whose case does not matter; invalid UTF-8 in it is replaced.
    package subscript(_ name: String) -> String? {
        values(of: name).first
    }

    /// The values of all headers with this name, in order.
    package func values(of name: String) -> [String] {
        var values: [String] = []
        forEachRange { nameRange, valueRange in
            if Self.equal(storage[nameRange], name.utf8) {
                values.append(String(decoding: storage[valueRange], as: UTF8.self))
            }
        }
        return values
    }

    package func makeIterator() -> IndexingIterator<[(name: String, value: String)]> {
        var headers: [(name: String, value: String)] = []
        forEachRange { name, value in
            headers.append(
                (String(decoding: storage[name], as: UTF8.self), String(decoding: storage[value], as: UTF8.self)))
        }
        return headers.makeIterator()
    }

    private func forEachRange(_ body: (Range<Int>, Range<Int>) -> Void) {
        var offset = 0
        while offset < storage.count {
            let nameEnd = offset + 4 + (Int(storage[offset]) | Int(storage[offset + 1]) << 8)
            let valueEnd = nameEnd + (Int(storage[offset + 2]) | Int(storage[offset + 3]) << 8)
            body(offset + 4..<nameEnd, nameEnd..<valueEnd)
            offset = valueEnd
        }
    }

    private static func equal(_ first: ArraySlice<UInt8>, _ second: String.UTF8View) -> Bool {
        first.count == second.count && zip(first, second).allSatisfy { lowercase($0) == lowercase($1) }
    }

    private static func lowercase(_ byte: UInt8) -> UInt8 {
        byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") ? byte | 0x20 : byte
    }
}
