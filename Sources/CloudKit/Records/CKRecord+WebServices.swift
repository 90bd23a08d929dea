import Foundation
import Synchronization
import WebServices

/// Which of a record's values a save sends.
package enum KeysToSend: Sendable {
    /// Only what was set since the record was made, fetched or saved.
    case changedKeys
    /// Every value, and a null for each key that was cleared; keys that only the server has stay there.
    case allKeys
}

// MARK: - To the server

extension CKRecord {
    /// The record as a save sends it, with its change tag.
    ///
    /// - Throws: `.invalidArguments` for a value that cannot be sent.
    package func webServicesRecord(_ keys: KeysToSend) throws(CKError) -> WebServices.Record {
        let now = state.withLock { $0 }
        let zoneID = recordID.zoneID
        return WebServices.Record(
            recordName: recordID.recordName, recordType: recordType, recordChangeTag: now.system.changeTag,
            fields: try now.fields(keys, in: zoneID), zoneID: WebServices.ZoneID(zoneID),
            parent: now.system.parentChange(keys, in: zoneID))
    }
}

extension RecordState {
    fileprivate func fields(_ keys: KeysToSend, in zoneID: CKRecordZone.ID) throws(CKError) -> Fields {
        var builder = FieldsBuilder()
        try plain.append(keys, isEncrypted: false, in: zoneID, to: &builder) { encrypted.values[$0] == nil }
        // A key is plain or encrypted. Of one that moved, the side that has the value speaks.
        try encrypted.append(keys, isEncrypted: true, in: zoneID, to: &builder) { key in
            encrypted.values[key] != nil || plain.values[key] == nil && !plain.changedKeys.contains(key)
        }
        return builder.finish()
    }
}

extension RecordFields {
    private static let emptyList = Array("[]".utf8)[...]

    fileprivate func append(
        _ keys: KeysToSend, isEncrypted: Bool, in zoneID: CKRecordZone.ID, to builder: inout FieldsBuilder,
        where speaks: (String) -> Bool
    ) throws(CKError) {
        for key in names(keys) where speaks(key) {
            guard let value = values[key] else {
                builder.append(key, nil)
                continue
            }
            if let fieldValue = try value.fieldValue(in: zoneID, named: key) {
                builder.append(key, fieldValue, isEncrypted: isEncrypted, exactSeconds: value.exactSeconds)
            } else {
                builder.append(key, json: Self.emptyList, kind: isEncrypted ? .untypedEncrypted : .untyped)
            }
        }
    }

    /// In alphabetical order, so that the same record makes the same request.
    fileprivate func names(_ keys: KeysToSend) -> [String] {
        switch keys {
        case .changedKeys: changedKeys.sorted()
        case .allKeys: changedKeys.union(values.keys).sorted()
        }
    }
}

extension RecordSystemFields {
    fileprivate func parentChange(_ keys: KeysToSend, in zoneID: CKRecordZone.ID) -> WebServices.Record.ParentChange {
        guard hasChangedParent || (keys == .allKeys && parent != nil) else { return .unchanged }
        guard let parent else { return .none }
        // A parent has no action on the wire.
        return .reference(WebServices.Reference(recordName: parent.recordID.recordName))
    }
}

// MARK: - From the server

extension CKRecord {
    /// A record from an answer.
    ///
    /// - Parameters:
    ///   - zoneID: The zone that was asked: the record's, unless the answer names another.
    ///   - currentUser: The account's record name, which Apple's framework shows as `CKCurrentUserDefaultName` in the
    ///     creator and the last modifier.
    /// - Throws: `.internalError` for a field that cannot be read: to drop it would lose data at the next save.
    package convenience init(
        _ record: WebServices.Record, zoneID: CKRecordZone.ID, currentUser: String? = nil
    ) throws(CKError) {
        let ownZone = record.zoneID.map { CKRecordZone.ID($0, near: zoneID) } ?? zoneID
        var plain: [String: RecordValue] = [:]
        var encrypted: [String: RecordValue] = [:]
        plain.reserveCapacity(record.fields.count)
        for entry in record.fields where entry.kind != .null {
            let name = record.fields.name(of: entry)
            guard let value = record.fields.value(of: entry) else {
                throw CKError(.internalError, reason: "The server sent a value of field '\(name)' that cannot be read")
            }
            var decoded = RecordValue(value, in: ownZone)
            if entry.kind.isExact, let seconds = record.fields.exactSeconds(of: entry) {
                decoded = decoded.withDates(seconds)
            }
            if entry.kind.isEncrypted { encrypted[name] = decoded } else { plain[name] = decoded }
        }
        self.init(
            recordType: record.recordType ?? "", recordID: CKRecord.ID(recordName: record.recordName, zoneID: ownZone),
            state: RecordState(
                system: RecordSystemFields(record, in: ownZone, currentUser: currentUser),
                plain: RecordFields(values: plain), encrypted: RecordFields(values: encrypted)))
    }
}

extension RecordSystemFields {
    fileprivate init(_ record: WebServices.Record, in zoneID: CKRecordZone.ID, currentUser: String?) {
        func user(_ stamp: Stamp?) -> CKRecord.ID? {
            stamp.map { stamp in
                let isCurrent = stamp.userRecordName == currentUser
                return CKRecord.ID(recordName: isCurrent ? CKCurrentUserDefaultName : stamp.userRecordName)
            }
        }
        var parent: CKRecord.Reference?
        if case .reference(let reference) = record.parent {
            parent = CKRecord.Reference(
                recordID: CKRecord.ID(recordName: reference.recordName, zoneID: zoneID), action: .none)
        }
        self.init(
            changeTag: record.recordChangeTag,
            creationDate: record.created.map { Date(millisecondsSince1970: $0.timestamp) },
            creatorUserRecordID: user(record.created),
            modificationDate: record.modified.map { Date(millisecondsSince1970: $0.timestamp) },
            lastModifiedUserRecordID: user(record.modified), modifiedByDevice: record.modified?.deviceID,
            parent: parent)
    }
}
