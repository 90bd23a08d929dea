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
        // The wire's encrypted fields are not spoken here yet. Rather than lose one, or send it open, nothing is saved.
        if let key = encrypted.names(keys).first {
            throw CKError(.invalidArguments, reason: "Field '\(key)': encrypted values cannot be saved yet")
        }
        var builder = FieldsBuilder()
        for key in plain.names(keys) {
            guard let value = plain.values[key] else {
                builder.append(key, nil)
                continue
            }
            if let fieldValue = try value.fieldValue(in: zoneID, named: key) {
                builder.append(key, fieldValue)
            } else {
                builder.append(key, json: Self.emptyList, kind: .untyped)
            }
        }
        return builder.finish()
    }

    private static let emptyList = Array("[]".utf8)[...]
}

extension RecordFields {
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
        var values: [String: RecordValue] = [:]
        values.reserveCapacity(record.fields.count)
        for entry in record.fields where entry.kind != .null {
            let name = record.fields.name(of: entry)
            guard let value = record.fields.value(of: entry) else {
                throw CKError(.internalError, reason: "The server sent a value of field '\(name)' that cannot be read")
            }
            values[name] = RecordValue(value, in: ownZone)
        }
        self.init(
            recordType: record.recordType ?? "", recordID: CKRecord.ID(recordName: record.recordName, zoneID: ownZone),
            state: RecordState(
                system: RecordSystemFields(record, in: ownZone, currentUser: currentUser),
                plain: RecordFields(values: values)))
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
