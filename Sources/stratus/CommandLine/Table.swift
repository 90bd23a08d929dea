import Foundation

/// Columns for people.
struct Table {
    var headings: [String]
    var rows: [[String]] = []

    var text: String {
        let widths = headings.indices.map { column in ([headings] + rows).map { $0[column].count }.max() ?? 0 }
        return ([headings] + rows).map { row in
            zip(row, widths).map { $0.padded(to: $1) }.joined(separator: "  ")
                .trimmingCharacters(in: .whitespaces)
        }.joined(separator: "\n")
    }
}

/// A time as commands print it.
struct Moment: Encodable, CustomStringConvertible {
    private let date: Date

    init(milliseconds: Int64) {
        date = Date(timeIntervalSince1970: Double(milliseconds) / 1000)
    }

    var description: String { date.formatted(.iso8601) }

    func encode(to encoder: any Encoder) throws {
        try description.encode(to: encoder)
    }
}
