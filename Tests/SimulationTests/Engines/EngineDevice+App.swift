import Foundation
import WebServices

@testable import CloudKit

/// The app: notes that hold a number. Of two versions of a note the larger number wins. A deletion stands, save that a note
/// that everybody may write is made again by whoever has an unsent edit of it.
extension EngineDevice {
    func write(_ recordID: CKRecord.ID, _ value: Int64) {
        edit { disk in
            disk.values[recordID] = value
            disk.state.records.add(.saveRecord(recordID))
        }
    }

    func erase(_ recordID: CKRecord.ID) {
        edit { disk in
            disk.values[recordID] = nil
            disk.known[recordID] = nil
            disk.erased.insert(recordID)
            disk.state.records.add(.deleteRecord(recordID))
        }
    }

    func deleteZone(_ zoneID: CKRecordZone.ID) {
        network.ledger.givesUp(index, zoneID)
        edit { disk in
            disk.forget(zoneID)
            disk.state.zones.add(.deleteZone(zoneID))
        }
    }

    func isDeleting(_ zoneID: CKRecordZone.ID) -> Bool { now.state.zones.contains(.deleteZone(zoneID)) }

    // MARK: The delegate

    private func pend(_ change: CKSyncEngine.PendingRecordZoneChange) {
        now.state.records.add(change)
        isToSend()
    }

    private func pend(_ change: CKSyncEngine.PendingDatabaseChange) {
        now.state.zones.add(change)
        isToSend()
    }

    func handle(_ event: CKSyncEngine.Event) {
        switch event {
        case .accountChange(let change): accountChanged(change.changeType)
        case .fetchedDatabaseChanges(let changes):
            for deletion in changes.deletions {
                hears(deletion)
                lost(deletion.zoneID, deletion.reason)
            }
            now.told.formUnion(changes.modifications.map(\.zoneID))
        case .willFetchRecordZoneChanges(let will):
            // What was saved into a zone that was never read may have gone with another zone of its name, or to a restore.
            if !now.read.contains(will.zoneID) && !now.begun.contains(will.zoneID) { doubt(will.zoneID) }
        case .fetchedRecordZoneChanges(let changes): fetched(changes)
        case .didFetchRecordZoneChanges(let did): ended(did)
        case .sentDatabaseChanges(let sent):
            for zoneID in sent.deletedZoneIDs {
                now.unread(zoneID)
                now.told.remove(zoneID)
            }
            for (zoneID, error) in sent.failedZoneDeletes where error.zoneDeletionReason != nil {
                now.told.remove(zoneID)
            }
            for failure in sent.failedZoneSaves where failure.error.syncTreatment == .drop {
                pend(.saveZone(failure.zone))
            }
        case .sentRecordZoneChanges(let sent):
            for record in sent.savedRecords where now.values[record.recordID] != nil {
                now.confirm(record.recordID)
                now.known[record.recordID] = record
            }
            for failure in sent.failedRecordSaves { failed(failure.record.recordID, failure.error) }
        default: break
        }
    }

    /// A removal is told once, with its reason, and before what is in any zone that came after it.
    private func hears(_ deletion: CKDatabase.DatabaseChange.Deletion) {
        let (zoneID, reason) = (deletion.zoneID, deletion.reason)
        let heard = now.heardRemovals[zoneID] ?? 0
        guard let removal = network.ledger.removal(of: zoneID, for: reason, after: heard, of: owner) else {
            return network.violate(
                "\(name) is told that \(zoneID.zoneName) is gone (\(reason)), and has heard \(heard) of "
                    + network.ledger.removals(of: zoneID, of: owner))
        }
        now.heardRemovals[zoneID] = removal + 1
        now.told.remove(zoneID)
    }

    private func accountChanged(_ change: CKSyncEngine.Event.AccountChange.ChangeType) {
        let user: String? =
            switch change {
            case .signIn(let user), .switchAccounts(_, let user): user.recordName
            case .signOut: nil
            }
        now.told = []
        now.owedRemovals = [:]
        now.heardRemovals = network.ledger.removalCounts(of: user)
        switch change {
        case .signIn(let user):
            // What was written without an account belongs to this one.
            adopter = user.recordName
            for recordID in now.values.keys.sorted(by: { $0.shortDescription < $1.shortDescription }) {
                now.known[recordID] = nil
                pend(.saveRecord(recordID))
            }
        case .signOut, .switchAccounts:
            network.ledger.givesUp(index, nil)
            now.values = [:]
            now.known = [:]
            now.erased = []
            now.unconfirmed = [:]
            now.begun = []
            now.read = []
        }
    }

    /// A zone is gone.
    private func lost(_ zoneID: CKRecordZone.ID, _ reason: CKDatabase.DatabaseChange.Deletion.Reason) {
        guard !isDeleting(zoneID) else { return now.unread(zoneID) }
        network.ledger.hearsOfRemoval(index, zoneID)
        switch reason {
        case .encryptedDataReset: makeAgain(zoneID)
        case .purged:
            network.ledger.givesUp(index, zoneID)
            now.forget(zoneID)
        case .deleted:
            // What nobody else has seen yet is kept, and makes the zone again.
            let unsent = now.values.filter {
                $0.key.zoneID == zoneID && now.state.records.contains(.saveRecord($0.key)) && isMine($0.key)
            }
            now.forget(zoneID)
            for (recordID, value) in unsent.sorted(by: { $0.value < $1.value }) {
                now.values[recordID] = value
                pend(.saveRecord(recordID))
            }
        }
    }

    /// This device's copy becomes the zone's new contents.
    private func makeAgain(_ zoneID: CKRecordZone.ID) {
        let mine = now.values.filter { $0.key.zoneID == zoneID && isMine($0.key) }
        now.forget(zoneID)
        pend(.saveZone(CKRecordZone(zoneID: zoneID)))
        for (recordID, value) in mine.sorted(by: { $0.value < $1.value }) {
            now.values[recordID] = value
            pend(.saveRecord(recordID))
        }
    }

    /// Whether this device may bring the record into being: a record with an owner is only made by that one.
    func isMine(_ recordID: CKRecord.ID) -> Bool {
        !recordID.recordName.hasPrefix("mortal-") || recordID.recordName.hasPrefix("mortal-\(index)-")
    }

    private func fetched(_ changes: CKSyncEngine.Event.FetchedRecordZoneChanges) {
        for recordID in changes.modifications.map(\.record.recordID) + changes.deletions.map(\.recordID) {
            now.begun.insert(recordID.zoneID)
        }
        for change in changes.modifications where !isDeleting(change.record.recordID.zoneID) { learn(change.record) }
        for deletion in changes.deletions {
            now.confirm(deletion.recordID)
            gone(deletion.recordID)
        }
    }

    private func learn(_ record: CKRecord) {
        let recordID = record.recordID
        now.confirm(recordID)
        guard !now.state.records.contains(.deleteRecord(recordID)) else { return }
        now.known[recordID] = record
        let value = (record["value"] as? NSNumber)?.int64Value ?? 0
        if now.state.records.contains(.saveRecord(recordID)), let mine = now.values[recordID], mine > value { return }
        now.state.records.remove(.saveRecord(recordID))
        now.values[recordID] = value
    }

    /// The record is no longer on the server.
    private func gone(_ recordID: CKRecord.ID) {
        now.known[recordID] = nil
        let isUnsent = now.state.records.contains(.saveRecord(recordID))
        if isUnsent && !recordID.recordName.hasPrefix("mortal-") { return }
        now.values[recordID] = nil
        now.state.records.remove(.saveRecord(recordID))
    }

    /// A zone has been read, or its token ran out and it is read from its beginning.
    private func ended(_ did: CKSyncEngine.Event.DidFetchRecordZoneChanges) {
        if did.error?.code == .changeTokenExpired {
            now.owedRemovals[did.zoneID] = removalsOfPage[did.zoneID]
            doubt(did.zoneID)
        } else if did.error == nil {
            let counts = [now.heardRemovals[did.zoneID], removalsOfList[did.zoneID], now.owedRemovals[did.zoneID]]
            now.heardRemovals[did.zoneID] = counts.compactMap(\.self).max()
            now.owedRemovals[did.zoneID] = nil
            now.read.insert(did.zoneID)
            now.begun.remove(did.zoneID)
            for recordID in now.unconfirmed.removeValue(forKey: did.zoneID) ?? [] { gone(recordID) }
        }
    }

    /// Whatever the server does not show until the zone has been read is gone.
    private func doubt(_ zoneID: CKRecordZone.ID) {
        now.unconfirmed[zoneID] = Set(now.known.keys.filter { $0.zoneID == zoneID })
        now.begun.remove(zoneID)
    }

    private func failed(_ recordID: CKRecord.ID, _ error: CKError) {
        guard now.values[recordID] != nil else { return }
        switch error.code {
        case .serverRecordChanged:
            guard let server = error.serverRecord else { return }
            let mine = now.values[recordID] ?? 0
            let theirs = (server["value"] as? NSNumber)?.int64Value ?? 0
            now.confirm(recordID)
            now.known[recordID] = server
            now.values[recordID] = max(mine, theirs)
            if mine > theirs { pend(.saveRecord(recordID)) }
        case .unknownItem:
            now.known[recordID] = nil
            if recordID.recordName.hasPrefix("mortal-") {
                now.values[recordID] = nil
                now.state.records.remove(.saveRecord(recordID))
            } else {
                pend(.saveRecord(recordID))
            }
        case .zoneNotFound, .userDeletedZone:
            now.known[recordID] = nil
            guard isMine(recordID) else {
                now.values[recordID] = nil
                now.state.records.remove(.saveRecord(recordID))
                return
            }
            pend(.saveZone(CKRecordZone(zoneID: recordID.zoneID)))
            pend(.saveRecord(recordID))
        default: break
        }
    }

    func batch(_ context: CKSyncEngine.SendChangesContext) -> CKSyncEngine.RecordZoneChangeBatch? {
        var batch = CKSyncEngine.RecordZoneChangeBatch(atomicByZone: isAtomic)
        for change in now.state.records.changes where context.options.scope.contains(change) {
            switch change {
            case .deleteRecord(let recordID): batch.recordIDsToDelete.append(recordID)
            case .saveRecord(let recordID):
                guard let value = now.values[recordID] else {
                    now.state.records.remove(change)
                    continue
                }
                let record =
                    now.known[recordID]?.snapshot() ?? CKRecord(recordType: "Note", recordID: recordID)
                record["value"] = value
                if recordID.zoneID.zoneName == EngineAction.Zone.work.rawValue {
                    record.encryptedValues["secret"] = value
                }
                batch.recordsToSave.append(record)
            }
        }
        return batch.isEmpty ? nil : batch
    }
}

extension EngineDevice.Disk {
    mutating func confirm(_ recordID: CKRecord.ID) {
        unconfirmed[recordID.zoneID]?.remove(recordID)
    }

    /// Nothing of the zone is left, sent or not.
    mutating func forget(_ zoneID: CKRecordZone.ID) {
        values = values.filter { $0.key.zoneID != zoneID }
        erased = erased.filter { $0.zoneID != zoneID }
        unread(zoneID)
        for change in state.records.changes where change.recordID.zoneID == zoneID { state.records.remove(change) }
        for change in state.zones.changes where change.zoneID == zoneID { state.zones.remove(change) }
    }

    /// Another zone of the name is read from its beginning.
    mutating func unread(_ zoneID: CKRecordZone.ID) {
        known = known.filter { $0.key.zoneID != zoneID }
        unconfirmed[zoneID] = nil
        begun.remove(zoneID)
        read.remove(zoneID)
    }
}
