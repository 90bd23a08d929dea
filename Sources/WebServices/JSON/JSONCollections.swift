/// The elements of a JSON array, in order.
package struct JSONArray: Sequence, Sendable {
    @usableFromInline let document: JSONDocument
    @usableFromInline let index: Int

    @inlinable init(document: JSONDocument, index: Int) {
        self.document = document
        self.index = index
    }

    /// How many elements there are; beyond 16,777,215 it stays there.
    @inlinable package var count: Int { JSONValue(document: document, index: index).elementCount }
    @inlinable package var isEmpty: Bool { count == 0 }
    @inlinable package var underestimatedCount: Int { count }

    @inlinable package func makeIterator() -> Iterator {
        Iterator(document: document, index: index + 1)
    }

    package struct Iterator: IteratorProtocol {
        @usableFromInline let document: JSONDocument
        @usableFromInline var index: Int

        @inlinable init(document: JSONDocument, index: Int) {
            self.document = document
            self.index = index
        }

        @inlinable package mutating func next() -> JSONValue? {
            let value = JSONValue(document: document, index: index)
            if value.tag == UInt8(ascii: "]") { return nil }
            index = value.indexAfter
            return value
        }
    }
}

/// The members of a JSON object, in the order of the text, with those whose key occurs again.
package struct JSONObject: Sequence, Sendable {
    @usableFromInline let document: JSONDocument
    @usableFromInline let index: Int

    @inlinable init(document: JSONDocument, index: Int) {
        self.document = document
        self.index = index
    }

    /// A key with its value.
    package struct Member: Sendable {
        @usableFromInline let document: JSONDocument
        @usableFromInline let index: Int

        @inlinable init(document: JSONDocument, index: Int) {
            self.document = document
            self.index = index
        }

        @inlinable var keyValue: JSONValue { JSONValue(document: document, index: index) }

        @inlinable package var key: String { String(decoding: keyValue.utf8, as: UTF8.self) }
        @inlinable package var value: JSONValue { JSONValue(document: document, index: index + 1) }
    }

    /// How many members there are; beyond 16,777,215 it stays there.
    @inlinable package var count: Int { JSONValue(document: document, index: index).elementCount }
    @inlinable package var isEmpty: Bool { count == 0 }
    @inlinable package var underestimatedCount: Int { count }

    /// The value of the last member with this key.
    @inlinable package subscript(_ key: String) -> JSONValue? {
        var key = key
        return key.withUTF8 { bytes in
            var found: JSONValue?
            var next = index + 1
            while true {
                let name = JSONValue(document: document, index: next)
                if name.tag == UInt8(ascii: "}") { return found }
                let value = JSONValue(document: document, index: next + 1)
                if name.equals(bytes) { found = value }
                next = value.indexAfter
            }
        }
    }

    @inlinable package func makeIterator() -> Iterator {
        Iterator(document: document, index: index + 1)
    }

    package struct Iterator: IteratorProtocol {
        @usableFromInline let document: JSONDocument
        @usableFromInline var index: Int

        @inlinable init(document: JSONDocument, index: Int) {
            self.document = document
            self.index = index
        }

        @inlinable package mutating func next() -> Member? {
            let member = Member(document: document, index: index)
            if member.keyValue.tag == UInt8(ascii: "}") { return nil }
            index = member.value.indexAfter
            return member
        }
    }
}
