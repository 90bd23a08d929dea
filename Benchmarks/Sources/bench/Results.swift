import Foundation

/// One line of the table. A ratio above 1 means that Stratus is better.
struct Measurement: Encodable {
    var name: String
    var unit: String
    var ours: Double
    var peer: String
    var theirs: Double
    var ratio: Double

    /// More is better: rates.
    static func rate(_ name: String, _ unit: String, ours: Double, peer: String, theirs: Double) -> Measurement {
        Measurement(name: name, unit: unit, ours: ours, peer: peer, theirs: theirs, ratio: ours / theirs)
    }

    /// Less is better: times and memory.
    static func cost(_ name: String, _ unit: String, ours: Double, peer: String, theirs: Double) -> Measurement {
        Measurement(name: name, unit: unit, ours: ours, peer: peer, theirs: theirs, ratio: theirs / ours)
    }
}

struct Results {
    private(set) var measurements: [Measurement] = []

    mutating func add(_ measurement: Measurement) {
        measurements.append(measurement)
        print(Self.line(measurement))
        // Line by line, also into a pipe.
        fflush(nil)
    }

    static func printHeader() {
        print(
            pad("name", 22) + pad("unit", 14) + padLeft("ours", 12) + "  " + pad("peer", 12) + padLeft("theirs", 12)
                + padLeft("ratio", 9))
    }

    private static func line(_ measurement: Measurement) -> String {
        pad(measurement.name, 22) + pad(measurement.unit, 14) + padLeft(number(measurement.ours), 12) + "  "
            + pad(measurement.peer, 12) + padLeft(number(measurement.theirs), 12)
            + padLeft(String(format: "%.2f", measurement.ratio), 9)
    }

    private static func number(_ value: Double) -> String {
        String(format: value >= 100 ? "%.0f" : value >= 1 ? "%.2f" : "%.4f", value)
    }

    private static func pad(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(1, width - text.count))
    }

    private static func padLeft(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(1, width - text.count)) + text
    }

    func write(to path: String) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        try encoder.encode(measurements).write(to: URL(fileURLWithPath: path))
    }
}
