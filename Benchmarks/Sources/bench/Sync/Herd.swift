import CDevices
import Foundation

/// Devices that wait for pushes, and in one thread together.
final class Herd {
    private let devices: OpaquePointer
    private let count: Int

    /// nil for no device at all, and for a server that cannot be reached.
    ///
    /// - Parameter fetching: Where to ask for the changes of `zone` after each push; nil only waits for the next push.
    init?(port: Int, targets: [String], fetching: String? = nil, zone: String? = nil) {
        guard !targets.isEmpty else { return nil }
        count = targets.count
        let copies = targets.map { strdup($0) }
        defer { for copy in copies { free(copy) } }
        let pointers = copies.map { UnsafePointer($0) }
        guard let devices = herd_start(Int32(port), Int32(targets.count), pointers, fetching, zone) else { return nil }
        self.devices = devices
    }

    deinit { herd_stop(devices) }

    func waitUntilWaiting() throws {
        let start = Load.now()
        while herd_waiting(devices) < count {
            guard Load.now() - start < 60, herd_failures(devices) == 0 else {
                throw HTTPConnection.Failure(
                    description:
                        "of \(count) devices, \(herd_waiting(devices)) wait and \(herd_failures(devices)) failed")
            }
            usleep(10_000)
        }
        // A request that has been sent need not have been read.
        usleep(300_000)
    }

    /// Seconds until something told to everybody has reached the first and the last device; medians.
    func reach(rounds: Int, _ tell: (Int) throws -> Void) throws -> (one: Double, all: Double) {
        var one: [Double] = []
        var all: [Double] = []
        for round in 0..<rounds {
            herd_reset(devices)
            let start = Load.now()
            try tell(round)
            var (first, last) = (0.0, 0.0)
            while herd_told(devices, &first, &last) < count {
                guard Load.now() - start < 30 else {
                    throw HTTPConnection.Failure(
                        description: "only \(herd_told(devices, &first, &last)) of \(count) devices were reached")
                }
                usleep(1000)
            }
            one.append(first - start)
            all.append(last - start)
            try waitUntilWaiting()
        }
        return (one.sorted()[rounds / 2], all.sorted()[rounds / 2])
    }
}
