/// What one answer may still hold and one request may still read. Several zones in one request share it, so that a
/// request's cost is bounded whatever it asks for.
package struct PageBudget: Sendable {
    package var records: Int
    /// Bytes of the records' fields.
    package var bytes: Int
    /// Rows that may be looked at, sent or not.
    package var rows: Int
    /// Whether anything has been sent: the first record always goes, however large.
    package private(set) var isUntouched = true

    package init(records: Int, bytes: Int, rows: Int) {
        self.records = records
        self.bytes = bytes
        self.rows = rows
    }

    /// What all zones of one request share: two full pages.
    package static func changes(_ limits: Limits) -> PageBudget {
        PageBudget(records: 2 * limits.changesPerPage, bytes: limits.pageBytes, rows: limits.changeRows)
    }

    package func admits(bytes size: Int) -> Bool {
        records > 0 && (size <= bytes || isUntouched)
    }

    package mutating func take(bytes size: Int) {
        records -= 1
        bytes -= min(size, bytes)
        isUntouched = false
    }
}
