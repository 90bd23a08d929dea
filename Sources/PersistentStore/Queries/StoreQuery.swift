/// Which rows, in what order. (The conditions and the order are yet to come.)
package struct StoreQuery: Sendable, Hashable {
    package var entity: String
    package var includesSubentities = true
    package var limit: Int?
    package var offset: Int?

    package init(entity: String) { self.entity = entity }
}

/// What a query gives of each row.
package enum Selection {
    case rows(RowShape)
    case identifiers
    case count
}

/// The text of a statement and the values of its parameters, by position from 1.
package struct SQLText {
    package var text: String
    package var values: [SQLBinding]
}

/// The value of a parameter.
package enum SQLBinding {
    case value(StoreValue)

    /// Binds it to a position of a statement; SQLite's result.
    func bind(_ statement: OpaquePointer, _ position: Int32) -> Int32 {
        switch self {
        case .value(let value): value.bind(statement, position)
        }
    }
}

extension StoreQuery {
    package func sql(_ selection: Selection, in layout: StoreLayout) throws(PersistentStoreError) -> SQLText {
        guard let entity = layout.entity(named: entity) else { throw .unsupportedQuery("the entity \(self.entity)") }
        var text =
            switch selection {
            case .rows(let shape): "SELECT \(shape.columns(of: "t0"))"
            case .identifiers: "SELECT t0.Z_ENT, t0.Z_PK"
            case .count: "SELECT COUNT(*)"
            }
        text += " FROM \(quoted(entity.table)) AS t0"
        let family = includesSubentities ? entity.family : [entity.number]
        if entity.sharesTable || family.count < entity.family.count {
            text += " WHERE t0.Z_ENT IN (\(family.map(String.init).joined(separator: ", ")))"
        }
        if let limit { text += " LIMIT \(limit) OFFSET \(offset ?? 0)" }
        return SQLText(text: text, values: [])
    }
}

/// Gives a connection the functions that queries use.
func registerQueryFunctions(on database: OpaquePointer) {}
