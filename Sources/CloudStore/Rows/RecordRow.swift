/// A record's newest state, or its tombstone.
package struct RecordRow: Sendable, Equatable {
    /// Unique in its zone, and in a SQLite file across zones. Given by `insertRecord`; 0 before.
    package var id: Int64
    /// The zone's id.
    package var zone: Int64
    package var name: String
    /// The id of the record's type.
    package var type: Int64
    /// The zone's sequence at which this state was saved; 0 in the public database, which has no change feed.
    package var sequence: Int64
    /// The number that the change tag is made of.
    package var tag: Int64
    package var createdSequence: Int64
    /// Milliseconds since 1970.
    package var created: Int64
    /// User record name.
    package var creator: String
    package var createdDevice: String
    /// Milliseconds since 1970.
    package var modified: Int64
    /// User record name.
    package var modifier: String
    package var modifiedDevice: String
    /// The record name, in the same zone, of the parent for sharing.
    package var parent: String?
    package var deleted: Bool
    /// Opaque to the store; empty in a tombstone.
    package var body: [UInt8]
    /// What of the record is encrypted, sealed by its zone's key (`ZoneKeyRow`); empty where nothing is.
    package var sealed: [UInt8]

    /// What the record holds, in bytes.
    package var byteCount: Int { body.count + sealed.count }

    package init(
        id: Int64 = 0, zone: Int64, name: String, type: Int64, sequence: Int64 = 0, tag: Int64 = 0,
        createdSequence: Int64 = 0, created: Int64 = 0, creator: String = "", createdDevice: String = "",
        modified: Int64 = 0, modifier: String = "", modifiedDevice: String = "", parent: String? = nil,
        deleted: Bool = false, body: [UInt8] = [], sealed: [UInt8] = []
    ) {
        self.id = id
        self.zone = zone
        self.name = name
        self.type = type
        self.sequence = sequence
        self.tag = tag
        self.createdSequence = createdSequence
        self.created = created
        self.creator = creator
        self.createdDevice = createdDevice
        self.modified = modified
        self.modifier = modifier
        self.modifiedDevice = modifiedDevice
        self.parent = parent
        self.deleted = deleted
        self.body = body
        self.sealed = sealed
    }
}
