/// A reference from a record to another of the same zone.
package struct ReferenceRow: Hashable, Sendable {
    /// The record name that is pointed at, in the same zone.
    package var target: String
    /// 1 delete with the target, 2 validate, 3 parent; the store only compares it.
    package var action: Int64
    /// The id of the record that points.
    package var source: Int64

    package init(target: String, action: Int64, source: Int64) {
        self.target = target
        self.action = action
        self.source = source
    }
}
