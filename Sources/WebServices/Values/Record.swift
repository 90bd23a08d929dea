/// A record dictionary. In requests only some members are meaningful; answers carry all. [Apple:Types]
package struct Record: Sendable {
    /// Empty in a `create` request that leaves the name to the server.
    package var recordName: String
    package var recordType: String?
    package var recordChangeTag: String?
    package var fields: Fields
    package var created: Stamp?
    package var modified: Stamp?
    package var deleted: Bool
    package var zoneID: ZoneID?
    package var parent: ParentChange

    /// A request may leave the parent as it is, remove it (`null`) or set it.
    package enum ParentChange: Sendable, Hashable {
        case unchanged
        case none
        case reference(Reference)
    }

    package init(
        recordName: String, recordType: String? = nil, recordChangeTag: String? = nil, fields: Fields = Fields(),
        created: Stamp? = nil, modified: Stamp? = nil, deleted: Bool = false, zoneID: ZoneID? = nil,
        parent: ParentChange = .unchanged
    ) {
        self.recordName = recordName
        self.recordType = recordType
        self.recordChangeTag = recordChangeTag
        self.fields = fields
        self.created = created
        self.modified = modified
        self.deleted = deleted
        self.zoneID = zoneID
        self.parent = parent
    }
}

/// One entry of `records` in an answer: the record, or its error beside a 200.
package enum RecordResult: Sendable {
    case record(Record)
    case failure(recordName: String, ServerError, conflict: ConflictRecord)

    /// The record as the server has it, sent to our own client beside a conflict (extra key `serverRecord`).
    package enum ConflictRecord: Sendable {
        case absent
        indirect case record(Record)
    }
}

/// One entry of `zones` in an answer.
package struct Zone: Sendable, Hashable {
    package var zoneID: ZoneID
    package var syncToken: String?
    package var atomic: Bool
    package var deleted: Bool
    /// Extra key `deletionReason`, for our own client: why a deleted zone went.
    package var deletionReason: DeletionReason?

    package enum DeletionReason: String, Sendable, Hashable {
        case deleted, purged, encryptedDataReset
    }

    package init(
        zoneID: ZoneID, syncToken: String? = nil, atomic: Bool = true, deleted: Bool = false,
        deletionReason: DeletionReason? = nil
    ) {
        self.zoneID = zoneID
        self.syncToken = syncToken
        self.atomic = atomic
        self.deleted = deleted
        self.deletionReason = deletionReason
    }
}

package enum ZoneResult: Sendable {
    case zone(Zone)
    case failure(ZoneID, ServerError)
}
