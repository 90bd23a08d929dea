import CloudStore
import WebServices

extension RequestContext {
    /// A stored record, or its tombstone, as answers carry it.
    ///
    /// - Parameter desiredKeys: the fields to carry; nil for all.
    package func record(_ row: RecordRow, _ zone: ZoneKey, _ schema: Schema, desiredKeys: [String]?) -> Record {
        var record = Record(
            recordName: row.name, recordType: schema.typeName(row.type), recordChangeTag: row.changeTag,
            deleted: row.deleted, zoneID: zoneID(of: zone))
        guard !row.deleted else { return record }
        record.fields = (Fields(stored: row.body) ?? Fields()).selecting(desiredKeys)
        record.created = Stamp(timestamp: row.created, userRecordName: row.creator, deviceID: row.createdDevice)
        record.modified = Stamp(timestamp: row.modified, userRecordName: row.modifier, deviceID: row.modifiedDevice)
        if let parent = row.parent { record.parent = .reference(Reference(recordName: parent)) }
        return record
    }
}

extension RecordRow {
    /// The record's change tag: a number in base 36, as Apple's look. Clients only compare it.
    package var changeTag: String { String(tag, radix: 36) }
}
