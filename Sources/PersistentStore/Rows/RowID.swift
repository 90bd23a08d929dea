/// A row's identity inside its store: the number of its entity and its key.
///
/// The number is that of this file (`Z_ENT`), so it is no name to keep elsewhere; keep the entity's name and the key.
package struct RowID: Hashable, Sendable, Codable, Comparable {
    /// `Z_ENT`
    package let entity: Int32
    /// `Z_PK`
    package let key: Int64

    @inlinable
    package init(entity: Int32, key: Int64) {
        self.entity = entity
        self.key = key
    }

    package static func < (a: RowID, b: RowID) -> Bool {
        (a.entity, a.key) < (b.entity, b.key)
    }
}
