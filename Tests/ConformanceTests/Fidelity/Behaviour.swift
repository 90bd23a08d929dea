import Foundation

/// A promised behaviour.
struct Behaviour {
    var id: String
    var text: String
    var source: String
    /// What was chosen where the sources are silent or disagree.
    var choice: String
    var section: String

    /// The table, in its order.
    static func all() throws -> [Behaviour] {
        let table = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Behaviours.tsv")
        var section = ""
        var behaviours: [Behaviour] = []
        for line in try String(contentsOf: table, encoding: .utf8).split(separator: "\n") {
            if line.hasPrefix("## ") {
                section = String(line.dropFirst(3))
            } else if !line.hasPrefix("#") {
                let columns = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
                guard columns.count == 4 else { throw MalformedLine(line: String(line)) }
                behaviours.append(
                    Behaviour(
                        id: columns[0], text: columns[1], source: columns[2], choice: columns[3], section: section))
            }
        }
        return behaviours
    }

    struct MalformedLine: Error {
        var line: String
    }
}
