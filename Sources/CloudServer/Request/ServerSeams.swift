import Cryptography
import Dispatch
import Foundation
import Synchronization

/// What time it is. Handed in, so that a test turns the clock itself.
package struct ServerClock: Sendable {
    /// Milliseconds since 1970-01-01 UTC.
    package let now: @Sendable () -> Int64
    /// Nanoseconds of a clock that only moves forward: for measuring how long something took.
    package let ticks: @Sendable () -> UInt64

    package init(now: @escaping @Sendable () -> Int64, ticks: (@Sendable () -> UInt64)? = nil) {
        self.now = now
        self.ticks = ticks ?? { UInt64(max(now(), 0)) &* 1_000_000 }
    }

    /// The machine's clock.
    package static let system = ServerClock(
        now: {
            var time = timespec()
            clock_gettime(CLOCK_REALTIME, &time)
            return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
        },
        ticks: { DispatchTime.now().uptimeNanoseconds })
}

/// Where random bytes come from. Handed in, so that a seed makes a run repeatable.
package struct RandomSource: Sendable {
    package let bytes: @Sendable (_ count: Int) -> [UInt8]

    package init(bytes: @escaping @Sendable (_ count: Int) -> [UInt8]) {
        self.bytes = bytes
    }

    /// The system's cryptographically strong generator. It is asked for a few hundred bytes at a time, since each question
    /// is a call of the kernel.
    package static let system: RandomSource = {
        let pool = Pool()
        return RandomSource { pool.take($0) }
    }()

    private final class Pool: Sendable {
        private let bytes = Mutex<[UInt8]>([])

        func take(_ count: Int) -> [UInt8] {
            guard count <= 64 else { return SystemRandom.bytes(count) }
            return bytes.withLock { bytes in
                if bytes.count < count { bytes = SystemRandom.bytes(1024) }
                defer { bytes.removeLast(count) }
                return Array(bytes.suffix(count))
            }
        }
    }

    /// A random (version 4) UUID in upper case: the form of record names and error identifiers.
    package func uuid() -> String {
        var random = bytes(16)
        guard random.count == 16 else { return UUID().uuidString }
        random[6] = random[6] & 0x0F | 0x40
        random[8] = random[8] & 0x3F | 0x80
        return String(unsafeUninitializedCapacity: 36) { text in
            var length = 0
            for (position, byte) in random.enumerated() {
                if position == 4 || position == 6 || position == 8 || position == 10 {
                    text[length] = UInt8(ascii: "-")
                    length += 1
                }
                text[length] = Self.digit(byte >> 4)
                text[length + 1] = Self.digit(byte & 0x0F)
                length += 2
            }
            return length
        }
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") - 10 + value
    }
}
