/// A file that records may refer to. One owner's files of the same content are one.
package struct AssetRow: Sendable, Equatable {
    /// 16 random bytes, which also name the file.
    package var id: [UInt8]
    package var scope: StoreScope
    /// The record name of the user who owns the zones whose records may refer to it; empty in the public database.
    package var owner: String
    /// SHA-256 of the content.
    package var digest: [UInt8]
    package var size: Int64
    /// How many records refer to it.
    package var referenceCount: Int64
    /// Milliseconds since 1970 until which it stays although no record refers to it.
    package var expires: Int64

    package static let idLength = 16

    package init(
        id: [UInt8], scope: StoreScope, owner: String, digest: [UInt8], size: Int64, referenceCount: Int64 = 0,
        expires: Int64
    ) {
        self.id = id
        self.scope = scope
        self.owner = owner
        self.digest = digest
        self.size = size
        self.referenceCount = referenceCount
        self.expires = expires
    }
}
