import SQL

/// The tables that are really in a file.
struct FileStructure: Sendable {
    struct Table: Sendable {
        var name: String
        /// The declared type of each column.
        var columns: [String: String]
        var columnOrder: [String]
        var primaryKey: [String]
    }

    /// By upper-cased name.
    var tables: [String: Table] = [:]
    var indexes: [String: String] = [:]

    /// The column with the entity of a to-one, whose prefix is an entity's number.
    func entityColumn(_ relationship: String, in table: String, preferring wanted: String) -> String? {
        column(in: table, preferring: wanted) { column in
            column.hasPrefix("Z") && column.hasSuffix("_" + relationship)
                && isNumber(column.dropFirst().dropLast(relationship.count + 1))
        }
    }

    /// The column of a to-many without inverse, whose prefix is an entity's number.
    func column(endingWith relationship: String, in table: String, preferring wanted: String = "") -> String? {
        column(in: table, preferring: wanted) { column in
            column.hasPrefix("Z") && column.hasSuffix(relationship)
                && isNumber(column.dropFirst().dropLast(relationship.count))
        }
    }

    private func column(in table: String, preferring wanted: String, where matches: (String) -> Bool) -> String? {
        guard let table = tables[table.uppercased()] else { return nil }
        return table.columns[wanted] != nil ? wanted : table.columnOrder.first(where: matches)
    }

    private func isNumber(_ text: Substring) -> Bool {
        !text.isEmpty && text.allSatisfy { $0.isASCII && $0.isNumber }
    }

    /// The join table of two relationships and the columns with the keys of either side.
    func joinTable(
        between one: (number: Int, name: String), and other: (number: Int, name: String)
    ) -> (table: String, ownerColumn: String, dependentColumn: String)? {
        for name in ["Z_\(one.number)\(one.name)", "Z_\(other.number)\(other.name)"] {
            guard let table = tables[name] else { continue }
            let keys = table.columnOrder.filter { !$0.hasPrefix("Z_FOK_") }
            guard keys.count == 2 else { continue }
            if let rest = keys.first(where: { $0 == "REFLEXIVE" }), let own = keys.first(where: { $0 != rest }) {
                return (table.name, own, rest)
            }
            // The column with the keys of `one` is named for the relationship that leads to it.
            let wanted = "Z_\(one.number)\(other.name)"
            if let own = keys.first(where: { $0 == wanted }) ?? keys.first(where: { $0.hasPrefix(wanted) }),
                let rest = keys.first(where: { $0 != own })
            {
                return (table.name, own, rest)
            }
            let opposite = "Z_\(other.number)\(one.name)"
            if let rest = keys.first(where: { $0.hasPrefix(opposite) }), let own = keys.first(where: { $0 != rest }) {
                return (table.name, own, rest)
            }
        }
        return nil
    }
}
