/// The registered objects of one table's entities by their keys: open addressing over 64-bit keys.
///
/// It holds their states, and through them the objects.
struct IdentityTable: ~Copyable {
    private var keys: UnsafeMutablePointer<Int64>
    private var states: UnsafeMutablePointer<Unmanaged<_ModelState>?>
    private var shift: UInt64
    private var capacity: Int
    private(set) var count = 0
    /// Slots that were used since the last rehash, those of removed objects included.
    private var used = 0

    // No row has these keys: they begin at 1.
    private static let empty: Int64 = 0
    private static let removed: Int64 = -1

    init() {
        capacity = 16
        shift = 64 - 4
        keys = .allocate(capacity: 16)
        keys.initialize(repeating: Self.empty, count: 16)
        states = .allocate(capacity: 16)
        states.initialize(repeating: nil, count: 16)
    }

    deinit {
        for slot in 0..<capacity { states[slot]?.release() }
        keys.deallocate()
        states.deallocate()
    }

    private func slot(of key: Int64) -> Int {
        // Fibonacci hashing: keys that follow each other spread well.
        Int(truncatingIfNeeded: (UInt64(bitPattern: key) &* 0x9E37_79B9_7F4A_7C15) >> shift)
    }

    func state(of key: Int64) -> _ModelState? {
        var position = slot(of: key)
        while true {
            let found = keys[position]
            if found == key { return states[position]?.takeUnretainedValue() }
            if found == Self.empty { return nil }
            position = (position &+ 1) & (capacity &- 1)
        }
    }

    /// Adds a state whose key is not in the table.
    mutating func insert(_ state: _ModelState, key: Int64) {
        if (used &+ 1) &* 4 > capacity &* 3 { rehash() }
        var position = slot(of: key)
        while keys[position] > 0 { position = (position &+ 1) & (capacity &- 1) }
        if keys[position] == Self.empty { used &+= 1 }
        keys[position] = key
        states[position] = Unmanaged.passRetained(state)
        count &+= 1
    }

    @discardableResult
    mutating func remove(_ key: Int64) -> _ModelState? {
        var position = slot(of: key)
        while true {
            let found = keys[position]
            if found == key {
                keys[position] = Self.removed
                let state = states[position]?.takeRetainedValue()
                states[position] = nil
                count &-= 1
                return state
            }
            if found == Self.empty { return nil }
            position = (position &+ 1) & (capacity &- 1)
        }
    }

    private mutating func rehash() {
        let oldKeys = keys
        let oldStates = states
        let oldCapacity = capacity
        capacity = max(16, (count &* 2).nextPowerOfTwo)
        if count &* 4 > capacity &* 2 { capacity &*= 2 }
        shift = UInt64(64 - capacity.trailingZeroBitCount)
        keys = .allocate(capacity: capacity)
        keys.initialize(repeating: Self.empty, count: capacity)
        states = .allocate(capacity: capacity)
        states.initialize(repeating: nil, count: capacity)
        used = count
        for old in 0..<oldCapacity where oldKeys[old] > 0 {
            var position = slot(of: oldKeys[old])
            while keys[position] != Self.empty { position = (position &+ 1) & (capacity &- 1) }
            keys[position] = oldKeys[old]
            states[position] = oldStates[old]
        }
        oldKeys.deallocate()
        oldStates.deallocate()
    }

    func forEach(_ body: (_ModelState) -> Void) {
        for position in 0..<capacity where keys[position] > 0 {
            if let state = states[position]?.takeUnretainedValue() { body(state) }
        }
    }

    /// Takes out the states that a test picks.
    mutating func removeAll(where isPicked: (_ModelState) -> Bool) -> [_ModelState] {
        var taken: [_ModelState] = []
        for position in 0..<capacity where keys[position] > 0 {
            guard let state = states[position]?.takeUnretainedValue(), isPicked(state) else { continue }
            keys[position] = Self.removed
            states[position]?.release()
            states[position] = nil
            count &-= 1
            taken.append(state)
        }
        return taken
    }
}

extension Int {
    fileprivate var nextPowerOfTwo: Int {
        self <= 1 ? 1 : 1 << (Int.bitWidth - (self - 1).leadingZeroBitCount)
    }
}
