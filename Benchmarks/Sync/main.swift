// The devices of `./bench sync`, written as an app is: CloudKit's client, sync engines, URLSession. The address of a cloud
// and an account come by the environment, as for any app; what was measured is printed as JSON.

import Foundation

let words = CommandLine.arguments.dropFirst()
do {
    let measured: [String: Double]
    switch words.first {
    case "event": measured = try await Events(words).measure()
    case "long-poll": measured = try await LongPolls(words).measure()
    case "initial-sync": measured = try await InitialSync(words).measure()
    default: throw Misuse()
    }
    print(String(decoding: try JSONEncoder().encode(measured), as: UTF8.self))
} catch {
    FileHandle.standardError.write(Data("SyncBenchmark: \(error)\n".utf8))
    exit(1)
}

struct Misuse: Error {}

/// How often, by how many devices, with which pauses between (seconds).
struct Rounds {
    var count: Int
    var devices: Int
    var pause: Double

    init(_ words: ArraySlice<String>) throws {
        guard words.count == 3, let count = Int(words[words.startIndex]),
            let devices = Int(words[words.startIndex + 1]),
            let pause = Double(words[words.startIndex + 2])
        else { throw Misuse() }
        (self.count, self.devices, self.pause) = (count, devices, pause)
    }
}

/// Seconds of a clock that never goes back.
func now() -> Double {
    Double(DispatchTime.now().uptimeNanoseconds) / 1e9
}

func summary(_ times: [Double]) -> [String: Double] {
    let sorted = times.sorted()
    func percentile(_ share: Double) -> Double {
        sorted.isEmpty ? .nan : sorted[min(sorted.count - 1, Int(Double(sorted.count) * share))]
    }
    return ["median": percentile(0.5), "p99": percentile(0.99)]
}
