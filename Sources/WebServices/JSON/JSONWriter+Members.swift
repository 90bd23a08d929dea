// A key and its value in one call, and members that are left out when there is nothing to say.

extension JSONWriter {
    @inlinable package mutating func member(_ key: StaticString, _ value: String) {
        self.key(key)
        string(value)
    }

    @inlinable package mutating func member(_ key: StaticString, _ value: Int64) {
        self.key(key)
        int64(value)
    }

    @inlinable package mutating func member(_ key: StaticString, _ value: Int) {
        self.key(key)
        int(value)
    }

    @inlinable package mutating func member(_ key: StaticString, _ value: Double) {
        self.key(key)
        double(value)
    }

    @inlinable package mutating func member(_ key: StaticString, _ value: Bool) {
        self.key(key)
        bool(value)
    }

    package mutating func member(_ key: StaticString, _ values: [String]) {
        self.key(key)
        beginArray()
        for value in values { string(value) }
        endArray()
    }

    package mutating func member(ifPresent key: StaticString, _ value: String?) {
        if let value { member(key, value) }
    }

    package mutating func member(ifPresent key: StaticString, _ value: Int?) {
        if let value { member(key, value) }
    }

    package mutating func member(ifPresent key: StaticString, _ value: [String]?) {
        if let value { member(key, value) }
    }

    /// Writes the member only when it is true: false is every flag's default.
    package mutating func member(ifTrue key: StaticString, _ value: Bool) {
        if value { member(key, true) }
    }
}
