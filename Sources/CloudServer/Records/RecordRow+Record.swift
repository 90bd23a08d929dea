import CloudStore
import WebServices

extension RequestContext {
    /// A stored record, or its tombstone, as answers carry it.
    ///
    /// - Parameter desiredKeys: the fields to carry; nil for all.
    /// - Throws: `EncryptionKeysError` where encrypted fields cannot be opened: a record without them would be saved over
    ///   the whole one.
    package func record(
        _ row: RecordRow, _ zone: ZoneKey, _ schema: Schema, _ reader: ContainerReader, desiredKeys: [String]?
    ) throws -> Record {
        var record = Record(
            recordName: row.name, recordType: schema.typeName(row.type), recordChangeTag: row.changeTag,
            deleted: row.deleted, zoneID: zoneID(of: zone))
        guard !row.deleted else { return record }
        record.fields = (Fields(stored: row.body) ?? Fields()).selecting(desiredKeys)
        if !row.sealed.isEmpty, desiredKeys?.isEmpty != true {
            record.fields = record.fields.appending(try zoneKeys.open(row, reader).selecting(desiredKeys))
        }
        if !isNative { record.fields = record.fields.withoutExactValues }
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
