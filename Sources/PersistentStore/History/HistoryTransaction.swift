import Foundation

/// One committed write as the history keeps it.
package struct HistoryTransaction: Sendable, Hashable {
    /// Rises by one with each; the token of a place in the history.
    package var number: Int64
    package var timestamp: Date
    package var author: String?
    package var context: String?
    package var bundleIdentifier: String?
    package var processIdentifier: String?
    package var changes: [HistoryChange]
}

/// What became of one row in a transaction.
package struct HistoryChange: Sendable, Hashable {
    package enum Kind: Int, Sendable {
        case insert = 0
        case update = 1
        case delete = 2
    }

    /// Rises with each.
    package var number: Int64
    package var transaction: Int64
    package var kind: Kind
    package var row: RowID
    /// Of an update: the changed properties. nil where another program wrote the history: any may have changed.
    package var updatedProperties: PropertySet?
    /// Of a delete: the values of the attributes that are preserved, by name.
    package var tombstone: [String: StoreValue]
}

/// Which part of the history is read.
package struct HistoryQuery: Sendable, Hashable {
    /// Transactions with higher numbers only.
    package var after: Int64?
    package var through: Int64?
    package var since: Date?
    /// Of these authors only; nil: of all. An author of none is "".
    package var authors: Set<String>?
    package var limit: Int?
    package var isAscending = true
    /// False: the transactions without their changes.
    package var includesChanges = true
    /// True: an `after` that was trimmed is an error, since changes would be missed.
    package var failsWhenExpired = true

    package init(after: Int64? = nil, through: Int64? = nil, since: Date? = nil, limit: Int? = nil) {
        self.after = after
        self.through = through
        self.since = since
        self.limit = limit
    }
}
