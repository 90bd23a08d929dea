/// Which columns a query of an entity's rows reads, and where each entity's properties stand among them.
///
/// The first columns are `Z_ENT`, `Z_PK`, `Z_OPT`.
package final class RowShape: @unchecked Sendable {  // the pointers are written in `init` only
    /// The columns of one entity's rows.
    @usableFromInline
    struct Plan {
        /// By property index: the position of its first column in the row, -1 for a to-many.
        @usableFromInline let columns: UnsafeMutablePointer<Int32>
        /// By property index: for a to-one the destination's number, negative when a column with the entity follows; for an
        /// attribute `Self.external` when its bytes may lie in a file.
        @usableFromInline let marks: UnsafeMutablePointer<Int32>
        @usableFromInline let entity: EntityLayout
    }

    static let external = Int32.max

    /// By entity number.
    let plans: [Plan?]
    /// The plan of a row whose entity the model does not know.
    let fallback: Plan
    let columns: [String]
    /// The text for the alias that every query gives the table that it asks for.
    private let columnsOfQuery: String

    /// - Parameter entities: the entities whose rows the query may find, the queried one first.
    init(entities: [EntityLayout], first: EntityLayout) {
        var columns: [String] = []
        var positions: [String: Int32] = [:]
        var plans: [Plan?] = []
        func plan(_ entity: EntityLayout) -> Plan {
            let count = max(entity.properties.count, 1)
            let plan = Plan(columns: .allocate(capacity: count), marks: .allocate(capacity: count), entity: entity)
            plan.columns.initialize(repeating: -1, count: count)
            plan.marks.initialize(repeating: 0, count: count)
            for property in entity.properties {
                let names: [String]
                switch property.kind {
                case .attribute(let leaves):
                    names = leaves.map(\.name)
                    if leaves.contains(where: \.isExternal) { plan.marks[property.index] = Self.external }
                case .toOne(let toOne):
                    names = [toOne.column] + (toOne.entityColumn.map { [$0] } ?? [])
                    let number = Int32(truncatingIfNeeded: toOne.destination)
                    plan.marks[property.index] = toOne.entityColumn == nil ? number : -number
                case .oneToMany, .manyToMany: continue
                }
                guard let start = names.first else { continue }
                if positions[start] == nil {
                    positions[start] = Int32(3 + columns.count)
                    columns += names
                }
                plan.columns[property.index] = positions[start] ?? -1
            }
            return plan
        }
        let fallback = plan(first)
        for entity in entities {
            while plans.count <= entity.number { plans.append(nil) }
            plans[entity.number] = entity.number == first.number ? fallback : plan(entity)
        }
        self.fallback = fallback
        self.plans = plans
        self.columns = columns
        columnsOfQuery = Self.text(columns, "t0")
    }

    deinit {
        for case let plan? in plans where plan.columns != fallback.columns { free(plan) }
        free(fallback)
    }

    private func free(_ plan: Plan) {
        plan.columns.deallocate()
        plan.marks.deallocate()
    }

    /// The text between SELECT and FROM, with the table under this alias.
    package func columns(of alias: String) -> String {
        alias == "t0" ? columnsOfQuery : Self.text(columns, alias)
    }

    private static func text(_ columns: [String], _ alias: String) -> String {
        (["Z_ENT", "Z_PK", "Z_OPT"] + columns.map { quoted($0) }).map { alias + "." + $0 }.joined(separator: ", ")
    }

    @usableFromInline
    func plan(of entity: Int32) -> Plan {
        let number = Int(entity)
        guard number >= 0, number < plans.count, let plan = plans[number] else { return fallback }
        return plan
    }
}

/// A name between SQL's quotation marks.
package func quoted(_ name: String) -> String {
    name.utf8.contains(UInt8(ascii: "\"")) ? "\"" + name.replacing("\"", with: "\"\"") + "\"" : "\"" + name + "\""
}
