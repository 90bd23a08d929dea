import Foundation
import WebServices

@testable import CloudKit

/// What a machine asks for, as requests of the wire and back.
extension EngineNetwork {
    func answer(_ effect: SyncMachine.Effect, for device: EngineDevice, pageSize: Int) -> SyncMachine.Input? {
        let send = { [self] in self.send($0, from: device, of: device.owner) }
        switch effect {
        case .fetchDatabaseChanges(let token):
            let request = ChangesDatabase.Request(syncToken: token, resultsLimit: pageSize)
            return .databaseChanges(send(.changesDatabase(request)).flatMap(databasePage))
        case .fetchZoneChanges(let zoneID, let token):
            let zone = ChangesZone.ZoneRequest(zoneID: ZoneID(zoneID), syncToken: token, resultsLimit: pageSize)
            return .zoneChanges(send(.changesZone(.init(zones: [zone]))).flatMap { zonePage($0, zoneID) })
        case .modifyZones(let saving, let deleting):
            let operations =
                saving.map { ZonesModify.Operation(.create, ZoneID($0.zoneID)) }
                + deleting.map { ZonesModify.Operation(.delete, ZoneID($0)) }
            return .zonesModified(
                send(.zonesModify(.init(operations: operations))).flatMap { zonesModified($0, saving, deleting) })
        case .modifyRecords(let request): return .recordsModified(modify(request, send))
        default: return nil
        }
    }

    private func databasePage(_ answer: Answer) -> Result<SyncMachine.DatabasePage, CKError> {
        guard case .changesDatabase(let page) = answer else { return .failure(.unexpectedAnswer) }
        var read = SyncMachine.DatabasePage(
            changed: [], deleted: [], token: page.syncToken, moreComing: page.moreComing)
        for case .zone(let zone) in page.zones {
            let zoneID = zone.zoneID.recordZoneID(in: .private)
            if zone.deleted {
                read.deleted.append(.init(zoneID: zoneID, reason: zone.deletionReason.reason))
            } else {
                read.changed.append(zoneID)
            }
        }
        return .success(read)
    }

    private func zonesModified(
        _ answer: Answer, _ saving: [CKRecordZone], _ deleting: [CKRecordZone.ID]
    ) -> Result<SyncMachine.ZoneOutcome, CKError> {
        guard case .zones(let response) = answer, response.zones.count == saving.count + deleting.count else {
            return .failure(.unexpectedAnswer)
        }
        var outcome = SyncMachine.ZoneOutcome()
        for (zone, result) in zip(saving, response.zones) {
            outcome.saved[zone.zoneID] = result.zone(asked: zone.zoneID)
        }
        for (zoneID, result) in zip(deleting, response.zones.dropFirst(saving.count)) {
            outcome.deleted[zoneID] = result.zone(asked: zoneID).map { _ in }
        }
        return .success(outcome)
    }

    private func zonePage(_ answer: Answer, _ zoneID: CKRecordZone.ID) -> Result<SyncMachine.ZonePage, CKError> {
        guard case .changesZone(let response) = answer, let result = response.zones.first else {
            return .failure(.unexpectedAnswer)
        }
        switch result {
        case .failure(_, let error): return .failure(CKError(error))
        case .page(let page):
            var read = SyncMachine.ZonePage(
                changed: [], deleted: [], token: page.syncToken, moreComing: page.moreComing)
            for record in page.records {
                let recordID = CKRecord.ID(recordName: record.recordName, zoneID: zoneID)
                if record.deleted {
                    read.deleted.append(.init(recordID: recordID, recordType: record.recordType ?? ""))
                } else if case .success(let record) = RecordResult.record(record).record(in: zoneID, currentUser: nil) {
                    read.changed.append(record)
                }
            }
            return .success(read)
        }
    }

    private func modify(
        _ request: SyncMachine.RecordRequest, _ send: (WebServices.Operation) -> Result<Answer, CKError>
    ) -> Result<SyncMachine.RecordOutcome, CKError> {
        var operations: [RecordsModify.Operation] = []
        for record in request.saves {
            guard let wire = try? record.webServicesRecord(.changedKeys) else { return .failure(.unexpectedAnswer) }
            operations.append(.init(wire.recordChangeTag == nil ? .create : .update, wire))
        }
        for recordID in request.deletions {
            operations.append(
                .init(.forceDelete, Record(recordName: recordID.recordName, zoneID: ZoneID(recordID.zoneID))))
        }
        let sent = RecordsModify.Request(
            operations: operations, zoneID: ZoneID(request.zoneID), atomic: request.isAtomic)
        return send(.recordsModify(sent)).flatMap { answer in
            guard case .recordsModify(let response) = answer else { return .failure(.unexpectedAnswer) }
            var outcome = SyncMachine.RecordOutcome()
            for (record, result) in zip(request.saves, response.records) {
                outcome.saved[record.recordID] = saved(record, result)
            }
            for (recordID, result) in zip(request.deletions, response.records.dropFirst(request.saves.count)) {
                if case .failure(_, let error, _) = result, CKError(error).code != .unknownItem {
                    outcome.deleted[recordID] = .failure(CKError(error))
                } else {
                    outcome.deleted[recordID] = .success(())
                }
            }
            return .success(outcome)
        }
    }

    private func saved(_ record: CKRecord, _ result: RecordResult) -> Result<CKRecord, CKError> {
        let zoneID = record.recordID.zoneID
        guard case .failure(_, let error, let found) = result, case .record(let conflict) = found else {
            return result.record(in: zoneID, currentUser: nil)
        }
        switch RecordResult.record(conflict).record(in: zoneID, currentUser: nil) {
        case .success(let server): return .failure(CKError(conflict: error, client: record, server: server))
        case .failure(let error): return .failure(error)
        }
    }
}

extension Zone.DeletionReason? {
    fileprivate var reason: CKDatabase.DatabaseChange.Deletion.Reason {
        switch self {
        case .purged: .purged
        case .encryptedDataReset: .encryptedDataReset
        case .deleted, nil: .deleted
        }
    }
}
