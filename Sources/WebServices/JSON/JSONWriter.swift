/// Writes minified JSON into a growing byte buffer.
///
/// The writer sets the commas. It trusts its caller with the rest of the grammar: that keys and values alternate in an
/// object, and that what begins also ends.
///
///     var writer = JSONWriter()
///     writer.beginObject()
///     writer.key("recordName")
///     writer.string(name)
///     writer.endObject()
///     let body = writer.finish()
package struct JSONWriter: ~Copyable {
    @usableFromInline var start: UnsafeMutableRawPointer
    @usableFromInline var capacity: Int
    @usableFromInline var used = 0
    /// Whether a comma is due before the next key or element.
    @usableFromInline var needsComma = false

    /// - Parameter capacity: how many bytes to make room for; more is made when it is needed.
    package init(capacity: Int = 1024) {
        self.capacity = max(capacity, 64)
        start = .allocate(byteCount: self.capacity, alignment: 16)
    }

    deinit {
        start.deallocate()
    }

    /// How many bytes are written.
    @inlinable package var count: Int { used }

    /// What is written, without copying it. The buffer must not escape.
    @inlinable package borrowing func withBytes<Value, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        try body(UnsafeRawBufferPointer(start: start, count: used))
    }

    /// What is written.
    package consuming func finish() -> [UInt8] {
        [UInt8](UnsafeRawBufferPointer(start: start, count: used))
    }
}

// MARK: - Containers

extension JSONWriter {
    @inlinable package mutating func beginObject() {
        punctuate(UInt8(ascii: "{"))
        needsComma = false
    }

    @inlinable package mutating func endObject() {
        reserve(1)
        append(UInt8(ascii: "}"))
        needsComma = true
    }

    @inlinable package mutating func beginArray() {
        punctuate(UInt8(ascii: "["))
        needsComma = false
    }

    @inlinable package mutating func endArray() {
        reserve(1)
        append(UInt8(ascii: "]"))
        needsComma = true
    }

    /// A literal key, which must need no escaping.
    @inlinable package mutating func key(_ key: StaticString) {
        key.withUTF8Buffer { bytes in
            reserve(bytes.count + 4)
            comma()
            append(UInt8(ascii: "\""))
            append(UnsafeRawBufferPointer(bytes))
            append(UInt8(ascii: "\""))
            append(UInt8(ascii: ":"))
        }
        needsComma = false
    }

    // Disfavoured, so that a literal takes the other one.
    @inlinable @_disfavoredOverload package mutating func key(_ key: String) {
        string(key)
        reserve(1)
        append(UInt8(ascii: ":"))
        needsComma = false
    }
}

// MARK: - Values

extension JSONWriter {
    @inlinable package mutating func null() { literal("null") }

    @inlinable package mutating func bool(_ value: Bool) { literal(value ? "true" : "false") }

    @inlinable package mutating func string(_ value: String) {
        var value = value
        value.withUTF8 { string(utf8: $0) }
    }

    /// A string from UTF-8, which is not checked again.
    @inlinable package mutating func string(utf8: UnsafeBufferPointer<UInt8>) {
        // Quotes, a comma, and eight bytes of slack for the copy by words.
        reserve(utf8.count + 16)
        comma()
        append(UInt8(ascii: "\""))
        escape(UnsafeRawBufferPointer(utf8))
        reserve(1)
        append(UInt8(ascii: "\""))
        needsComma = true
    }

    /// Bytes as a string of base64.
    package mutating func base64(_ bytes: UnsafeRawBufferPointer) {
        let length = Base64.encodedLength(of: bytes.count)
        reserve(length + 3)
        comma()
        append(UInt8(ascii: "\""))
        used += Base64.encode(bytes, into: start + used)
        append(UInt8(ascii: "\""))
        needsComma = true
    }

    /// Bytes as a string of base64.
    @inlinable package mutating func base64(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { base64($0) }
    }

    /// A value that is JSON already. It is not checked.
    @inlinable package mutating func raw(_ json: UnsafeRawBufferPointer) {
        reserve(json.count + 1)
        comma()
        append(json)
        needsComma = true
    }

    /// A value that is JSON already. It is not checked.
    @inlinable package mutating func raw(_ json: [UInt8]) {
        json.withUnsafeBytes { raw($0) }
    }

    /// A value that is JSON already. It is not checked.
    @inlinable package mutating func raw(_ json: ArraySlice<UInt8>) {
        json.withUnsafeBytes { raw($0) }
    }

    /// A parsed value with everything in it, minified. Keys that occur twice are written twice.
    package mutating func writeCompact(_ value: JSONValue) {
        switch value.kind {
        case .null: null()
        case .bool: bool(value.bool ?? false)
        case .integer: int64(value.int64 ?? 0)
        case .unsigned: uint64(value.uint64 ?? 0)
        // The parser lets no infinite number through.
        case .double: double(value.double ?? 0)
        case .string: string(utf8: value.utf8)
        case .array:
            beginArray()
            // As deep as the parser allowed the text to be.
            for element in JSONArray(document: value.document, index: value.index) { writeCompact(element) }
            endArray()
        case .object:
            beginObject()
            for member in JSONObject(document: value.document, index: value.index) {
                string(utf8: member.keyValue.utf8)
                reserve(1)
                append(UInt8(ascii: ":"))
                needsComma = false
                writeCompact(member.value)
            }
            endObject()
        }
    }

    @inlinable mutating func literal(_ text: StaticString) {
        text.withUTF8Buffer { raw(UnsafeRawBufferPointer($0)) }
    }
}

// MARK: - The buffer

extension JSONWriter {
    /// Makes room for `more` bytes.
    @inlinable @inline(__always) mutating func reserve(_ more: Int) {
        if capacity - used < more { grow(more) }
    }

    @usableFromInline @inline(never) mutating func grow(_ more: Int) {
        let larger = max(capacity * 2, used + more)
        let moved = UnsafeMutableRawPointer.allocate(byteCount: larger, alignment: 16)
        moved.copyMemory(from: start, byteCount: used)
        start.deallocate()
        start = moved
        capacity = larger
    }

    /// Only with room reserved, as everything below.
    @inlinable @inline(__always) mutating func append(_ byte: UInt8) {
        start.storeBytes(of: byte, toByteOffset: used, as: UInt8.self)
        used += 1
    }

    @inlinable @inline(__always) mutating func append(_ bytes: UnsafeRawBufferPointer) {
        if let source = bytes.baseAddress { (start + used).copyMemory(from: source, byteCount: bytes.count) }
        used += bytes.count
    }

    @inlinable @inline(__always) mutating func comma() {
        if needsComma { append(UInt8(ascii: ",")) }
    }

    @inlinable @inline(__always) mutating func punctuate(_ byte: UInt8) {
        reserve(2)
        comma()
        append(byte)
    }
}
