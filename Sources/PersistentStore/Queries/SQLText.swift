/// A value or list that is bound to a placeholder.
package enum SQLBinding: Sendable, Hashable {
    case value(StoreValue)
    case list(StoreList)

    /// Binds it; the result is SQLite's.
    func bind(_ statement: OpaquePointer, _ position: Int32) -> Int32 {
        switch self {
        case .value(let value): value.bind(statement, position)
        case .list(let list): list.bind(to: statement, at: position)
        }
    }
}

/// A statement, which depends on the query's shape only, and what is bound to `?1`, `?2`, ….
package struct SQLText: Sendable {
    package var text: String
    package var values: [SQLBinding]
}
