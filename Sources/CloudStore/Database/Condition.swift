import Glibc

/// A lock that a thread can wait at until another says that something changed.
///
/// The standard library's `Mutex` has no way to wait, and hands out nothing that is not Sendable, as a connection is not.
final class Condition: @unchecked Sendable {  // both pointers are fixed, and what they point to is made for sharing
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>

    init() {
        mutex = .allocate(capacity: 1)
        condition = .allocate(capacity: 1)
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(condition, nil)
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    func locked<Value, Failure: Error>(_ body: () throws(Failure) -> Value) throws(Failure) -> Value {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body()
    }

    /// nil when another thread holds the lock.
    func lockedIfFree<Value>(_ body: () -> Value) -> Value? {
        guard pthread_mutex_trylock(mutex) == 0 else { return nil }
        defer { pthread_mutex_unlock(mutex) }
        return body()
    }

    /// Only inside `locked`: gives the lock away until woken, and may wake for no reason.
    func wait() {
        pthread_cond_wait(condition, mutex)
    }

    /// Only inside `locked`: like `wait()`, but wakes after the time at the latest, and then returns false.
    @discardableResult
    func wait(milliseconds: Int64) -> Bool {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        let nanoseconds = Int64(time.tv_nsec) + milliseconds % 1000 * 1_000_000
        time.tv_sec += Int(milliseconds / 1000 + nanoseconds / 1_000_000_000)
        time.tv_nsec = Int(nanoseconds % 1_000_000_000)
        return pthread_cond_timedwait(condition, mutex, &time) == 0
    }

    func signal() { pthread_cond_signal(condition) }
    func broadcast() { pthread_cond_broadcast(condition) }
}

/// Lets many read or one write: in front of a database in memory, where SQLite has no write-ahead log.
final class ReadWriteGate: @unchecked Sendable {  // the pointer is fixed, and what it points to is made for sharing
    private let lock: UnsafeMutablePointer<pthread_rwlock_t>

    init() {
        lock = .allocate(capacity: 1)
        pthread_rwlock_init(lock, nil)
    }

    deinit {
        pthread_rwlock_destroy(lock)
        lock.deallocate()
    }

    func reading<Value, Failure: Error>(_ body: () throws(Failure) -> Value) throws(Failure) -> Value {
        pthread_rwlock_rdlock(lock)
        defer { pthread_rwlock_unlock(lock) }
        return try body()
    }

    func writing<Value>(_ body: () throws -> Value) rethrows -> Value {
        pthread_rwlock_wrlock(lock)
        defer { pthread_rwlock_unlock(lock) }
        return try body()
    }
}
