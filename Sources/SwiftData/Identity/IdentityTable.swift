/// The registered objects of one table's entities by their keys: open addressing over 64-bit keys.
///
/// It holds their states, and through them the objects.
struct IdentityTable: ~Copyable {
    private var keys: UnsafeMutablePointer<Int64>
    private var states: UnsafeMutablePointer<Unmanaged<_ModelState>?>
    private var capacity: Int
    private(set) var count = 0
    /// Slots that were used since the last rehash, those of removed objects included.
    private var used = 0

    // No row has these keys: they begin at 1.
    private static let empty: Int64 = 0
    private static let removed: Int64 = -1

    init() {
        capacity = 16
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

    /// The slots in which a key may be, in order. Keys mostly follow each other, and then so do their slots, and their objects in
    /// memory; keys that collide go separate ways by their higher bits.
    private struct Probe {
        private(set) var slot: Int
        private var rest: UInt64
        private let mask: Int

        @inline(__always)
        init(_ key: Int64, _ capacity: Int) {
            mask = capacity &- 1
            rest = UInt64(bitPattern: key)
            slot = Int(truncatingIfNeeded: key) & mask
        }

        @inline(__always)
        mutating func advance() {
            rest >>= 5
            slot = (slot &* 5 &+ 1 &+ Int(truncatingIfNeeded: rest)) & mask
        }
    }

    func state(of key: Int64) -> _ModelState? {
        var probe = Probe(key, capacity)
        while true {
            let found = keys[probe.slot]
            if found == key { return states[probe.slot]?.takeUnretainedValue() }
            if found == Self.empty { return nil }
            probe.advance()
        }
    }

    /// Adds a state whose key is not in the table.
    mutating func insert(_ state: _ModelState, key: Int64) {
        if (used &+ 1) &* 4 > capacity &* 3 { rehash() }
        var probe = Probe(key, capacity)
        while keys[probe.slot] > 0 { probe.advance() }
        if keys[probe.slot] == Self.empty { used &+= 1 }
        keys[probe.slot] = key
        states[probe.slot] = Unmanaged.passRetained(state)
        count &+= 1
    }

    @discardableResult
    mutating func remove(_ key: Int64) -> _ModelState? {
        var probe = Probe(key, capacity)
        while true {
            let found = keys[probe.slot]
            if found == key {
                keys[probe.slot] = Self.removed
                let state = states[probe.slot]?.takeRetainedValue()
                states[probe.slot] = nil
                count &-= 1
                return state
            }
            if found == Self.empty { return nil }
            probe.advance()
        }
    }

    private mutating func rehash() {
        let oldKeys = keys
        let oldStates = states
        let oldCapacity = capacity
        capacity = max(16, (count &* 2).nextPowerOfTwo)
        if count &* 4 > capacity &* 2 { capacity &*= 2 }
        keys = .allocate(capacity: capacity)
        keys.initialize(repeating: Self.empty, count: capacity)
        states = .allocate(capacity: capacity)
        states.initialize(repeating: nil, count: capacity)
        used = count
        for old in 0..<oldCapacity where oldKeys[old] > 0 {
            var probe = Probe(oldKeys[old], capacity)
            while keys[probe.slot] != Self.empty { probe.advance() }
            keys[probe.slot] = oldKeys[old]
            states[probe.slot] = oldStates[old]
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
