extension SyncMachine {
    /// A send that is going on: zones first, then records, batch by batch; zones again as soon as there are new ones.
    struct Sending: Sendable {
        enum Step: Sendable {
            case account
            case accountChange(SyncProgress, CKError?)
            case will
            case zones
            case zonesSent([CKSyncEngine.PendingDatabaseChange])
            case batch
            case recordsSent(RecordRequest)
            /// The delegate hears what became of zones or records.
            case outcome
            case did
        }

        var step = Step.account
        let context: CKSyncEngine.SendChangesContext
        /// What of the delegate's batch is still to be sent, the next one last.
        var requests: [RecordRequest] = []
        /// What failed once waits for the next send, even if the app adds it again.
        var failedRecordIDs: Set<CKRecord.ID> = []
        var failedZoneIDs: Set<CKRecordZone.ID> = []
        /// Zones whose records wait, since the server asked for it.
        var waitingZoneIDs: Set<CKRecordZone.ID> = []
        var failures = SyncFailures()
        var fatal: CKError?
        var askedInVain = false

        init(_ context: CKSyncEngine.SendChangesContext) {
            self.context = context
        }

        /// The context without the zones that have to wait, so that the delegate fills its batch with others.
        var narrowedContext: CKSyncEngine.SendChangesContext {
            var options = context.options
            options.scope = options.scope.excluding(waitingZoneIDs)
            return CKSyncEngine.SendChangesContext(reason: context.reason, options: options)
        }
    }

    mutating func advance(_ state: Sending, _ input: Input) -> [Effect] {
        var sending = state
        switch (sending.step, input) {
        case (.account, .account(let account)):
            switch admit(account) {
            case .end(let error): return finish(error)
            case .goOn: return beginSending(&sending)
            case .changed(let effects, let event, let progress, let error):
                sending.step = .accountChange(progress, error)
                activity = .sending(sending)
                return effects + [.deliver(event)]
            }
        case (.accountChange(let changed, let error), .handled):
            progress = changed
            if let error { return [.progressChanged] + finish(error) }
            return [.progressChanged] + beginSending(&sending)
        case (.will, .handled):
            return askForZones(&sending)
        case (.zones, .pendingDatabaseChanges(let changes)):
            return changes.isEmpty ? sendRecords(&sending) : send(changes, &sending)
        case (.zonesSent(let changes), .zonesModified(let result)):
            return receive(result, of: changes, &sending)
        case (.batch, .recordBatch(let batch)):
            return receive(batch, &sending)
        case (.recordsSent(let request), .recordsModified(let result)):
            return receive(result, of: request, &sending)
        case (.outcome, .handled):
            if sending.fatal != nil { return [.progressChanged] + endSending(&sending) }
            return [.progressChanged] + askForZones(&sending)
        case (.did, .handled):
            let untracked: [Effect] = sending.askedInVain && sending.fatal == nil ? [.nothingUntracked] : []
            return untracked + [.progressChanged] + finish(sending.fatal ?? sending.failures.error)
        default:
            return finish(Self.unexpected)
        }
    }

    private mutating func beginSending(_ sending: inout Sending) -> [Effect] {
        deliver(.willSendChanges(.init(context: sending.context)), then: .will, &sending)
    }

    private mutating func endSending(_ sending: inout Sending) -> [Effect] {
        sending.requests = []
        return deliver(.didSendChanges(.init(context: sending.context)), then: .did, &sending)
    }

    private mutating func deliver(
        _ event: CKSyncEngine.Event, then step: Sending.Step, _ sending: inout Sending
    ) -> [Effect] {
        sending.step = step
        activity = .sending(sending)
        return [.deliver(event)]
    }

    // MARK: Zones

    private mutating func askForZones(_ sending: inout Sending) -> [Effect] {
        sending.step = .zones
        activity = .sending(sending)
        return [
            .takePendingDatabaseChanges(sending.context.options.scope, except: sending.failedZoneIDs, limit: itemLimit)
        ]
    }

    private mutating func send(
        _ changes: [CKSyncEngine.PendingDatabaseChange], _ sending: inout Sending
    ) -> [Effect] {
        var saving: [CKRecordZone] = []
        var deleting: [CKRecordZone.ID] = []
        for change in changes {
            switch change {
            case .saveZone(let zone): saving.append(zone)
            case .deleteZone(let zoneID): deleting.append(zoneID)
            }
        }
        sending.step = .zonesSent(changes)
        activity = .sending(sending)
        return [.modifyZones(saving: saving, deleting: deleting)]
    }

    private mutating func receive(
        _ result: Result<ZoneOutcome, CKError>, of changes: [CKSyncEngine.PendingDatabaseChange],
        _ sending: inout Sending
    ) -> [Effect] {
        if let error = result.failure {
            if error.syncTreatment == .split && changes.count > 1 {
                itemLimit = max(1, min(itemLimit, changes.count) / 2)
                return askForZones(&sending)
            }
            if error.syncTreatment == .retry || error.syncTreatment == .stop { sending.fatal = error }
        }
        var saved: [CKRecordZone] = []
        var failedSaves: [CKSyncEngine.Event.SentDatabaseChanges.FailedZoneSave] = []
        var deleted: [CKRecordZone.ID] = []
        var failedDeletes: [CKRecordZone.ID: CKError] = [:]
        var settled: [CKSyncEngine.PendingDatabaseChange] = []
        for change in changes {
            var failure: CKError?
            switch change {
            case .saveZone(let zone):
                switch result.flatMap({ $0.saved[zone.zoneID] ?? .failure(.unexpectedAnswer) }) {
                case .success(let zone): saved.append(zone)
                case .failure(let error):
                    failure = error
                    failedSaves.append(.init(zone: zone, error: error))
                }
            case .deleteZone(let zoneID):
                switch result.flatMap({ $0.deleted[zoneID] ?? .failure(.unexpectedAnswer) }) {
                case .success:
                    deleted.append(zoneID)
                    progress.forget(zoneID)
                case .failure(let error):
                    failure = error
                    failedDeletes[zoneID] = error
                }
            }
            guard let failure else {
                settled.append(change)
                continue
            }
            sending.failedZoneIDs.insert(change.zoneID)
            sending.failures.add(failure, for: change.zoneID)
            switch failure.syncTreatment {
            case .retry, .keep: break
            case .stop: sending.fatal = sending.fatal ?? failure
            case .split, .drop: settled.append(change)
            }
        }
        let event = CKSyncEngine.Event.SentDatabaseChanges(
            savedZones: saved, failedZoneSaves: failedSaves, deletedZoneIDs: deleted, failedZoneDeletes: failedDeletes)
        return [.settleDatabaseChanges(settled)] + deliver(.sentDatabaseChanges(event), then: .outcome, &sending)
    }

    // MARK: Records

    private mutating func sendRecords(_ sending: inout Sending) -> [Effect] {
        if let request = sending.requests.popLast() {
            sending.step = .recordsSent(request)
            activity = .sending(sending)
            return [.modifyRecords(request)]
        }
        sending.step = .batch
        activity = .sending(sending)
        return [.askForRecordBatch(sending.narrowedContext)]
    }

    private mutating func receive(
        _ batch: CKSyncEngine.RecordZoneChangeBatch?, _ sending: inout Sending
    ) -> [Effect] {
        guard let batch, !batch.isEmpty else {
            sending.askedInVain = true
            return endSending(&sending)
        }
        let waiting = sending.waitingZoneIDs
        let failed = sending.failedRecordIDs
        func canGo(_ recordID: CKRecord.ID) -> Bool {
            !failed.contains(recordID) && !waiting.contains(recordID.zoneID)
        }
        sending.requests = requests(of: batch, where: canGo).reversed()
        // Nothing but what failed already: the rest of it is for the next send.
        guard !sending.requests.isEmpty else { return endSending(&sending) }
        return sendRecords(&sending)
    }

    /// A batch as requests of one zone each, none larger than the server takes.
    private func requests(
        of batch: CKSyncEngine.RecordZoneChangeBatch, where canGo: (CKRecord.ID) -> Bool
    ) -> [RecordRequest] {
        var whole: [RecordRequest] = []
        var positions: [CKRecordZone.ID: Int] = [:]
        // A record named twice could not be sent at all.
        var seen: Set<CKRecord.ID> = []
        func position(of zoneID: CKRecordZone.ID) -> Int {
            if let position = positions[zoneID] { return position }
            positions[zoneID] = whole.count
            whole.append(RecordRequest(zoneID: zoneID, isAtomic: batch.atomicByZone))
            return whole.count - 1
        }
        for record in batch.recordsToSave where canGo(record.recordID) && seen.insert(record.recordID).inserted {
            whole[position(of: record.recordID.zoneID)].saves.append(record)
        }
        for recordID in batch.recordIDsToDelete where canGo(recordID) && seen.insert(recordID).inserted {
            whole[position(of: recordID.zoneID)].deletions.append(recordID)
        }
        return whole.flatMap { $0.divided(itemLimit: itemLimit) }
    }

    private mutating func receive(
        _ result: Result<RecordOutcome, CKError>, of request: RecordRequest, _ sending: inout Sending
    ) -> [Effect] {
        if let error = result.failure {
            switch error.syncTreatment {
            case .split where request.count > 1: return goOnInParts(request, &sending)
            case .retry where error.code == .zoneBusy: sending.waitingZoneIDs.insert(request.zoneID)
            case .retry, .stop: sending.fatal = error
            default: break
            }
        }
        var report = RecordReport()
        var tooLarge = RecordRequest(zoneID: request.zoneID, isAtomic: request.isAtomic)
        for record in request.saves {
            switch result.flatMap({ $0.saved[record.recordID] ?? .failure(.unexpectedAnswer) }) {
            case .success(let saved): report.saved(saved)
            case .failure(let error) where error.syncTreatment == .split && request.count > 1:
                tooLarge.saves.append(record)
            case .failure(let error): report.failed(saving: record, error)
            }
        }
        for recordID in request.deletions {
            switch result.flatMap({ $0.deleted[recordID] ?? .failure(.unexpectedAnswer) }) {
            case .success: report.deleted(recordID)
            case .failure(let error) where error.syncTreatment == .split && request.count > 1:
                tooLarge.deletions.append(recordID)
            case .failure(let error): report.failed(deleting: recordID, error)
            }
        }
        if tooLarge.count > 0 {
            // Of an atomic request nothing was saved, so all of it goes again.
            if request.isAtomic && report.hasNoSuccess { return goOnInParts(request, &sending) }
            if report.isEmpty { return goOnInParts(tooLarge, &sending) }
            divide(tooLarge, &sending)
        }
        return tell(report, request.zoneID, &sending)
    }

    private mutating func tell(
        _ report: RecordReport, _ zoneID: CKRecordZone.ID, _ sending: inout Sending
    ) -> [Effect] {
        // The zone may be one that the database has not told of yet. It has something to fetch: this, at least.
        if report.showsContents && progress.zoneTokens[zoneID] == nil { progress.addUnfetched(zoneID) }
        for (recordID, error) in report.errors {
            sending.failedRecordIDs.insert(recordID)
            sending.failures.add(error, for: recordID)
            switch error.syncTreatment {
            case .retry: sending.waitingZoneIDs.insert(zoneID)
            case .stop: sending.fatal = sending.fatal ?? error
            case .keep, .split, .drop: break
            }
        }
        sending.requests.removeAll { sending.waitingZoneIDs.contains($0.zoneID) }
        // Where sending ends here, what is pending keeps its order.
        return [.settleRecordChanges(report.settled, postponed: sending.fatal == nil ? report.kept : [])]
            + deliver(.sentRecordZoneChanges(report.event), then: .outcome, &sending)
    }

    /// The server found the request too large: smaller ones from now on.
    private mutating func goOnInParts(_ request: RecordRequest, _ sending: inout Sending) -> [Effect] {
        divide(request, &sending)
        return sendRecords(&sending)
    }

    private mutating func divide(_ request: RecordRequest, _ sending: inout Sending) {
        itemLimit = max(1, min(itemLimit, request.count) / 2)
        // Those that wait behind it are as large.
        sending.requests = (sending.requests + [request]).flatMap { $0.divided(itemLimit: itemLimit).reversed() }
    }
}

extension SyncMachine.RecordRequest {
    /// The same in requests that are each within the limits; saves before deletions, in order.
    fileprivate func divided(itemLimit: Int) -> [SyncMachine.RecordRequest] {
        var parts: [SyncMachine.RecordRequest] = []
        var part = SyncMachine.RecordRequest(zoneID: zoneID, isAtomic: isAtomic)
        var size = SyncBatchSize(itemLimit: itemLimit)
        func makeRoom(_ bytes: Int) {
            if size.add(bytes: bytes) { return }
            parts.append(part)
            part = SyncMachine.RecordRequest(zoneID: zoneID, isAtomic: isAtomic)
            size = SyncBatchSize(itemLimit: itemLimit)
            _ = size.add(bytes: bytes)
        }
        for record in saves {
            makeRoom(record.approximateBytes)
            part.saves.append(record)
        }
        for recordID in deletions {
            makeRoom(recordID.approximateBytes)
            part.deletions.append(recordID)
        }
        if part.count > 0 { parts.append(part) }
        return parts
    }
}

/// What became of the records of one request, and of the changes that asked for it.
private struct RecordReport {
    private(set) var settled: [CKSyncEngine.PendingRecordZoneChange] = []
    private(set) var kept: [CKSyncEngine.PendingRecordZoneChange] = []
    private(set) var errors: [(CKRecord.ID, CKError)] = []
    private var savedRecords: [CKRecord] = []
    private var failedSaves: [CKSyncEngine.Event.SentRecordZoneChanges.FailedRecordSave] = []
    private var deletedRecordIDs: [CKRecord.ID] = []
    private var failedDeletes: [CKRecord.ID: CKError] = [:]

    var isEmpty: Bool { settled.isEmpty && kept.isEmpty }
    var hasNoSuccess: Bool { savedRecords.isEmpty && deletedRecordIDs.isEmpty }
    /// Whether the zone was seen to hold something: a conflict, with what the answer that got lost had saved, tells it too.
    var showsContents: Bool { !hasNoSuccess || errors.contains { $0.1.code == .serverRecordChanged } }

    var event: CKSyncEngine.Event.SentRecordZoneChanges {
        .init(
            savedRecords: savedRecords, failedRecordSaves: failedSaves, deletedRecordIDs: deletedRecordIDs,
            failedRecordDeletes: failedDeletes)
    }

    mutating func saved(_ record: CKRecord) {
        savedRecords.append(record)
        settled.append(.saveRecord(record.recordID))
    }

    mutating func deleted(_ recordID: CKRecord.ID) {
        deletedRecordIDs.append(recordID)
        settled.append(.deleteRecord(recordID))
    }

    mutating func failed(saving record: CKRecord, _ error: CKError) {
        failedSaves.append(.init(record: record, error: error))
        failed(.saveRecord(record.recordID), error)
    }

    mutating func failed(deleting recordID: CKRecord.ID, _ error: CKError) {
        failedDeletes[recordID] = error
        failed(.deleteRecord(recordID), error)
    }

    private mutating func failed(_ change: CKSyncEngine.PendingRecordZoneChange, _ error: CKError) {
        errors.append((change.recordID, error))
        switch error.syncTreatment {
        case .retry, .keep, .stop: kept.append(change)
        case .split, .drop: settled.append(change)
        }
    }
}
