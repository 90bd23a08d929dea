/// A row as it lay in the store, kept beyond its reading: what a merge policy compares with.
package struct StoredRow: Sendable, Hashable {
    package let id: RowID
    /// Raised by every update (`Z_OPT`).
    package let version: Int64
    /// By property index; to-many relationships are null.
    package let values: [StoreValue]

    package init(id: RowID, version: Int64, values: [StoreValue]) {
        self.id = id
        self.version = version
        self.values = values
    }
}
