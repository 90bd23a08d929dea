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
        let fields = (Fields(stored: row.body) ?? Fields()).selecting(desiredKeys)
        record.fields = fields.holdAssets ? withAddresses(fields, of: row, in: zone) : fields
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
    /// The record's change tag, in digits of base 36 as Apple's. Clients only compare it.
    ///
    /// The zone's identity belongs to it: a zone that is made again under its name counts anew, and a tag of the one before
    /// must not pass for one of the same number.
    package var changeTag: String { "\(String(zone, radix: 36))-\(String(tag, radix: 36))" }
}
