/// The key of a zone, with which what is encrypted in its records is sealed. The key itself is wrapped by another one that
/// the store does not have.
package struct ZoneKeyRow: Sendable, Equatable {
    /// The zone's id.
    package var zone: Int64
    /// Names the key that wraps this one.
    package var wrappingKey: String
    /// Opaque to the store.
    package var wrapped: [UInt8]

    package init(zone: Int64, wrappingKey: String, wrapped: [UInt8]) {
        self.zone = zone
        self.wrappingKey = wrappingKey
        self.wrapped = wrapped
    }
}
