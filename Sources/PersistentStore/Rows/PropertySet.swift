/// A set of property indexes.
package struct PropertySet: Hashable, Sendable, Sequence, ExpressibleByArrayLiteral {
    /// The indexes below 64, as bits.
    @usableFromInline var low: UInt64
    /// 64 more each.
    @usableFromInline var high: [UInt64]

    @inlinable
    package init() {
        low = 0
        high = []
    }

    package init(arrayLiteral elements: Int...) {
        self.init(elements)
    }

    package init(_ elements: some Sequence<Int>) {
        self.init()
        for element in elements { insert(element) }
    }

    @inlinable package var isEmpty: Bool { low == 0 && high.allSatisfy { $0 == 0 } }

    @inlinable package var count: Int { high.reduce(low.nonzeroBitCount) { $0 + $1.nonzeroBitCount } }

    @inlinable
    package func contains(_ index: Int) -> Bool {
        if index < 64 { return low & (1 << UInt64(index)) != 0 }
        let word = index / 64 - 1
        return word < high.count && high[word] & (1 << UInt64(index % 64)) != 0
    }

    @inlinable
    package mutating func insert(_ index: Int) {
        if index < 64 {
            low |= 1 << UInt64(index)
            return
        }
        let word = index / 64 - 1
        while high.count <= word { high.append(0) }
        high[word] |= 1 << UInt64(index % 64)
    }

    @inlinable
    package mutating func remove(_ index: Int) {
        if index < 64 {
            low &= ~(1 << UInt64(index))
            return
        }
        let word = index / 64 - 1
        if word < high.count { high[word] &= ~(1 << UInt64(index % 64)) }
        // So that equal sets have one form.
        while high.last == 0 { high.removeLast() }
    }

    @inlinable
    package mutating func formUnion(_ other: PropertySet) {
        low |= other.low
        while high.count < other.high.count { high.append(0) }
        for (word, bits) in other.high.enumerated() { high[word] |= bits }
    }

    @inlinable
    package func intersection(_ other: PropertySet) -> PropertySet {
        var result = PropertySet()
        for index in self where other.contains(index) { result.insert(index) }
        return result
    }

    /// The indexes in rising order.
    package struct Iterator: IteratorProtocol {
        @usableFromInline var word: UInt64
        @usableFromInline var base = 0
        @usableFromInline var rest: ArraySlice<UInt64>

        @inlinable
        init(_ set: PropertySet) {
            word = set.low
            rest = set.high[...]
        }

        @inlinable
        package mutating func next() -> Int? {
            while word == 0 {
                guard let following = rest.popFirst() else { return nil }
                word = following
                base += 64
            }
            let bit = word.trailingZeroBitCount
            word &= word &- 1
            return base + bit
        }
    }

    @inlinable
    package func makeIterator() -> Iterator { Iterator(self) }
}

extension PropertySet {
    /// The set as the history keeps it: bit 0 of byte 0 is index 0.
    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        for index in self {
            while bytes.count <= index / 8 { bytes.append(0) }
            bytes[index / 8] |= 1 << UInt8(index % 8)
        }
        return bytes
    }

    init(bytes: [UInt8]) {
        self.init()
        // No entity has more properties than SQLite has columns; the rest of a damaged value is not read.
        for (position, byte) in bytes.prefix(4096).enumerated() where byte != 0 {
            for bit in 0..<8 where byte & (1 << UInt8(bit)) != 0 { insert(position * 8 + bit) }
        }
    }
}
