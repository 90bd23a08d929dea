import Foundation

/// Which rows of an entity, in which order.
package struct StoreQuery: Sendable, Hashable {
    /// The entity's name.
    package var entity: String
    package var includesSubentities: Bool
    /// Nil: every row.
    package var predicate: StoreExpression?
    /// Rows that no key tells apart come in the order of their keys, which is that of their insertion.
    package var sort: [StoreSort]
    package var limit: Int?
    package var offset: Int?

    package init(
        entity: String, includesSubentities: Bool = true, predicate: StoreExpression? = nil, sort: [StoreSort] = [],
        limit: Int? = nil, offset: Int? = nil
    ) {
        self.entity = entity
        self.includesSubentities = includesSubentities
        self.predicate = predicate
        self.sort = sort
        self.limit = limit
        self.offset = offset
    }
}

/// What a query gives of each row.
package enum Selection {
    case rows(RowShape)
    /// The number of its entity and its primary key.
    case identifiers
    /// One number for all of them.
    case count
}
