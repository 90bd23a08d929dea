/// One index entry of a record: bytes whose order is the order of the values they stand for.
package struct IndexKey: Hashable, Sendable {
    /// The id of the field.
    package var field: Int64
    /// Compared byte by byte; made by whoever knows the field's type.
    package var value: [UInt8]

    package init(field: Int64, value: [UInt8]) {
        self.field = field
        self.value = value
    }
}

/// Where a page of an index scan ended.
package struct IndexPosition: Hashable, Sendable {
    package var value: [UInt8]
    /// The record's id.
    package var record: Int64

    package init(value: [UInt8], record: Int64) {
        self.value = value
        self.record = record
    }
}
