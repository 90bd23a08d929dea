import Dispatch
import Foundation
import WebServices

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

    /// The system's cryptographically strong generator.
    package static let system = RandomSource { count in
        var generator = SystemRandomNumberGenerator()
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count + 8)
        while bytes.count < count {
            withUnsafeBytes(of: generator.next()) { bytes.append(contentsOf: $0) }
        }
        bytes.removeLast(bytes.count - count)
        return bytes
    }

    /// A random (version 4) UUID in upper case: the form of record names and error identifiers.
    package func uuid() -> String {
        var random = bytes(16)
        guard random.count == 16 else { return UUID().uuidString }
        random[6] = random[6] & 0x0F | 0x40
        random[8] = random[8] & 0x3F | 0x80
        let digits = Hex.encode(random).uppercased()
        var text = ""
        text.reserveCapacity(36)
        for (position, digit) in digits.enumerated() {
            if position == 8 || position == 12 || position == 16 || position == 20 { text.append("-") }
            text.append(digit)
        }
        return text
    }
}
