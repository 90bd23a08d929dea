import Foundation
import WebServices

@testable import CloudKit

/// A device with an app and a sync engine's machine, driven effect by effect. Larger values win conflicts.
final class EngineDevice {
    /// What survives a crash: the app's data and the engine's state, stored together.
    struct Disk {
        var values: [CKRecord.ID: Int64] = [:]
        var known: [CKRecord.ID: CKRecord] = [:]
        var erased: Set<CKRecord.ID> = []
        var progress = SyncProgress()
        var records = PendingQueue<CKSyncEngine.PendingRecordZoneChange>()
        var zones = PendingQueue<CKSyncEngine.PendingDatabaseChange>()
    }

    let name: String
    private(set) var now = Disk()
    private var disk = Disk()
    private var machine = SyncMachine()
    private var effects: [SyncMachine.Effect] = []
    private var recordGeneration: UInt64 = 0
    private var zoneGeneration: UInt64 = 0
    private let isAtomic: Bool
    /// Sends a request; nil where the network swallowed it or its answer.
    private let send: (WebServices.Operation, EngineDevice) -> Result<Answer, CKError>

    init(
        name: String, isAtomic: Bool, send: @escaping (WebServices.Operation, EngineDevice) -> Result<Answer, CKError>
    ) {
        self.name = name
        self.isAtomic = isAtomic
        self.send = send
    }

    static let zoneID = CKRecordZone.ID(zoneName: "Notes")
    var isIdle: Bool { effects.isEmpty }
    var hasPending: Bool { !now.records.isEmpty || !now.zones.isEmpty }

    // MARK: The app

    func write(_ recordID: CKRecord.ID, _ value: Int64) {
        guard !now.erased.contains(recordID) else { return }
        edit { disk in
            disk.values[recordID] = value
            disk.records.add(.saveRecord(recordID))
        }
    }

    /// - Returns: Whether there was something to erase.
    func erase(_ recordID: CKRecord.ID) -> Bool {
        guard now.known[recordID] != nil else { return false }
        edit { disk in
            disk.values[recordID] = nil
            disk.known[recordID] = nil
            disk.erased.insert(recordID)
            disk.records.add(.deleteRecord(recordID))
        }
        return true
    }

    /// An edit is on the disk at once. What the engine is in the middle of is not: it hands its state out when the app has
    /// handled what belongs to it.
    private func edit(_ change: (inout Disk) -> Void) {
        change(&now)
        change(&disk)
    }

    func crash() {
        now = disk
        machine = SyncMachine(progress: now.progress)
        effects = []
    }

    private func forget(_ recordID: CKRecord.ID) {
        now.values[recordID] = nil
        now.known[recordID] = nil
    }

    private func learn(_ record: CKRecord) {
        let recordID = record.recordID
        now.known[recordID] = record
        let value = (record["value"] as? NSNumber)?.int64Value ?? 0
        if now.records.contains(.saveRecord(recordID)), let mine = now.values[recordID], mine > value { return }
        guard !now.records.contains(.deleteRecord(recordID)) else { return }
        now.values[recordID] = value
    }

    private func handle(_ event: CKSyncEngine.Event) {
        switch event {
        case .accountChange:
            now.zones.add(.saveZone(CKRecordZone(zoneID: Self.zoneID)))
        case .fetchedRecordZoneChanges(let changes):
            for change in changes.modifications { learn(change.record) }
            for deletion in changes.deletions {
                forget(deletion.recordID)
                now.records.remove(.saveRecord(deletion.recordID))
            }
        case .sentRecordZoneChanges(let sent):
            for record in sent.savedRecords { now.known[record.recordID] = record }
            for failure in sent.failedRecordSaves { failed(failure.record.recordID, failure.error) }
        default: break
        }
    }

    private func failed(_ recordID: CKRecord.ID, _ error: CKError) {
        switch error.code {
        case .serverRecordChanged:
            guard let server = error.serverRecord else { return }
            let mine = now.values[recordID] ?? 0
            let theirs = (server["value"] as? NSNumber)?.int64Value ?? 0
            now.known[recordID] = server
            now.values[recordID] = max(mine, theirs)
            if mine > theirs { now.records.add(.saveRecord(recordID)) }
        case .unknownItem:
            // Somebody deleted it, and a deletion stands.
            forget(recordID)
            now.records.remove(.saveRecord(recordID))
        case .zoneNotFound:
            now.zones.add(.saveZone(CKRecordZone(zoneID: Self.zoneID)))
            now.records.add(.saveRecord(recordID))
        default: break
        }
    }

    private func batch() -> CKSyncEngine.RecordZoneChangeBatch? {
        var batch = CKSyncEngine.RecordZoneChangeBatch(atomicByZone: isAtomic)
        for change in now.records.changes {
            switch change {
            case .deleteRecord(let recordID): batch.recordIDsToDelete.append(recordID)
            case .saveRecord(let recordID):
                guard let value = now.values[recordID] else { continue }
                let record =
                    now.known[recordID]?.snapshot() ?? CKRecord(recordType: "Note", recordID: recordID)
                record["value"] = value
                batch.recordsToSave.append(record)
            }
        }
        return batch.isEmpty ? nil : batch
    }

    // MARK: The driver

    func beginFetch() {
        guard isIdle else { return }
        effects = machine.advance(.fetch(.init(reason: .scheduled, options: .init())))
    }

    func beginSend() {
        guard isIdle else { return }
        effects = machine.advance(.send(.init(reason: .scheduled, options: .init())))
    }

    /// Carries out one effect. A crash may come before any of them.
    func step() {
        guard !effects.isEmpty else { return }
        let effect = effects.removeFirst()
        if let input = carryOut(effect) { effects = machine.advance(input) }
    }

    private func carryOut(_ effect: SyncMachine.Effect) -> SyncMachine.Input? {
        switch effect {
        case .checkAccount: return .account(.success("_user"))
        case .deliver(let event):
            handle(event)
            return .handled
        case .askForFetchOptions(let context): return .fetchOptions(context.options)
        case .askForRecordBatch:
            recordGeneration = now.records.generation
            return .recordBatch(batch())
        case .takePendingDatabaseChanges(_, let failed, let limit):
            zoneGeneration = now.zones.generation
            return .pendingDatabaseChanges(
                Array(now.zones.changes.filter { !failed.contains($0.zoneID) }.prefix(limit)))
        case .settleDatabaseChanges(let changes):
            for change in changes { now.zones.settle(change, upTo: zoneGeneration) }
        case .settleRecordChanges(let changes, let postponed):
            for change in changes { now.records.settle(change, upTo: recordGeneration) }
            for change in postponed { now.records.postpone(change) }
        case .forgetPendingChanges:
            now.records.removeAll()
            now.zones.removeAll()
        case .progressChanged:
            now.progress = machine.progress
            disk = now
        case .nothingUntracked, .finished: break
        default: return request(effect)
        }
        return nil
    }

    private func request(_ effect: SyncMachine.Effect) -> SyncMachine.Input? {
        switch effect {
        case .fetchDatabaseChanges(let token):
            return .databaseChanges(send(.changesDatabase(.init(syncToken: token)), self).flatMap(databasePage))
        case .fetchZoneChanges(let zoneID, let token):
            let zone = ChangesZone.ZoneRequest(zoneID: ZoneID(zoneID), syncToken: token, resultsLimit: 3)
            return .zoneChanges(send(.changesZone(.init(zones: [zone])), self).flatMap { zonePage($0, zoneID) })
        case .modifyZones(let saving, let deleting):
            let operations =
                saving.map { ZonesModify.Operation(.create, ZoneID($0.zoneID)) }
                + deleting.map { ZonesModify.Operation(.delete, ZoneID($0)) }
            return .zonesModified(
                send(.zonesModify(.init(operations: operations)), self).flatMap { answer in
                    guard case .zones = answer else { return .failure(.unexpectedAnswer) }
                    var outcome = SyncMachine.ZoneOutcome()
                    for zone in saving { outcome.saved[zone.zoneID] = .success(zone) }
                    for zoneID in deleting { outcome.deleted[zoneID] = .success(()) }
                    return .success(outcome)
                })
        case .modifyRecords(let request): return .recordsModified(modify(request))
        default: return nil
        }
    }

    private func databasePage(_ answer: Answer) -> Result<SyncMachine.DatabasePage, CKError> {
        guard case .changesDatabase(let page) = answer else { return .failure(.unexpectedAnswer) }
        var changed: [CKRecordZone.ID] = []
        for case .zone(let zone) in page.zones where !zone.deleted {
            changed.append(zone.zoneID.recordZoneID(in: .private))
        }
        return .success(.init(changed: changed, deleted: [], token: page.syncToken, moreComing: page.moreComing))
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

    private func modify(_ request: SyncMachine.RecordRequest) -> Result<SyncMachine.RecordOutcome, CKError> {
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
        return send(.recordsModify(sent), self).flatMap { answer in
            guard case .recordsModify(let response) = answer else { return .failure(.unexpectedAnswer) }
            var outcome = SyncMachine.RecordOutcome()
            for (record, result) in zip(request.saves, response.records) {
                outcome.saved[record.recordID] = saved(record, result)
            }
            for (recordID, result) in zip(request.deletions, response.records.dropFirst(request.saves.count)) {
                outcome.deleted[recordID] = result.record(in: request.zoneID, currentUser: nil).map { _ in }
                if case .record = result { outcome.deleted[recordID] = .success(()) }
            }
            return .success(outcome)
        }
    }

    private func saved(_ record: CKRecord, _ result: RecordResult) -> Result<CKRecord, CKError> {
        guard case .failure(_, let error, let found) = result, case .record(let conflict) = found else {
            return result.record(in: Self.zoneID, currentUser: nil)
        }
        switch RecordResult.record(conflict).record(in: Self.zoneID, currentUser: nil) {
        case .success(let server): return .failure(CKError(conflict: error, client: record, server: server))
        case .failure(let error): return .failure(error)
        }
    }
}
