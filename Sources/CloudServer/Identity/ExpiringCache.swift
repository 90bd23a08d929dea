import Synchronization

/// Answers of the control store, remembered for a few seconds: another process may change them at any time.
final class ExpiringCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private let entries = Mutex<[Key: (value: Value, until: Int64)]>([:])
    /// Milliseconds.
    private let life: Int64
    private let capacity: Int

    init(life: Int64, capacity: Int = 10_000) {
        self.life = life
        self.capacity = capacity
    }

    /// The remembered value, or the one that `load` finds; nil is not remembered.
    func value(_ key: Key, now: Int64, load: () throws -> Value?) rethrows -> Value? {
        if let known = entries.withLock({ $0[key] }), known.until > now, known.until <= now + life {
            return known.value
        }
        guard let value = try load() else {
            forget(key)
            return nil
        }
        entries.withLock { entries in
            if entries.count >= capacity { entries.removeAll(keepingCapacity: true) }
            entries[key] = (value, now + life)
        }
        return value
    }

    func forgetAll() {
        entries.withLock { $0.removeAll() }
    }

    func forget(_ key: Key) {
        _ = entries.withLock { $0.removeValue(forKey: key) }
    }
}
