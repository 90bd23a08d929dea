import Foundation
import Glibc

/// What each round took, in seconds.
struct Rounds: Encodable {
    var processor: [Double] = []
    var wall: [Double] = []
    /// What the rounds read, to compare with the peer and so that nothing is left out.
    var sum = 0

    mutating func measure(_ body: () throws -> Void) rethrows {
        let (processorBefore, wallBefore) = (Self.now(CLOCK_PROCESS_CPUTIME_ID), Self.now(CLOCK_MONOTONIC))
        try body()
        processor.append(Self.now(CLOCK_PROCESS_CPUTIME_ID) - processorBefore)
        wall.append(Self.now(CLOCK_MONOTONIC) - wallBefore)
    }

    private static func now(_ clock: clockid_t) -> Double {
        var time = timespec()
        clock_gettime(clock, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
