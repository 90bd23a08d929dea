import Testing

@testable import CloudKit

/// A sync engine's machine driven by hand: a queue, a server that answers as the test says, no concurrency.
struct SyncBench {
    typealias Change = CKSyncEngine.PendingRecordZoneChange

    var machine = SyncMachine(progress: SyncProgress(userRecordName: "_me"))
    var queue = PendingQueue<Change>()
    var zones = PendingQueue<CKSyncEngine.PendingDatabaseChange>()
    var account: Result<String?, CKError> = .success("_me")
    /// Sizes of the requests that the server saw.
    var requests: [Int] = []
    var events: [CKSyncEngine.Event] = []
    var contexts: [CKSyncEngine.SendChangesContext] = []
    var handle: (CKSyncEngine.Event, inout PendingQueue<Change>) -> Void = { _, _ in }
    /// The progress whenever it may be stored.
    var store: (SyncProgress) -> Void = { _ in }
    var modify: (SyncMachine.RecordRequest) -> Result<SyncMachine.RecordOutcome, CKError> = { .success(Self.all($0)) }
    var whileAway: (inout PendingQueue<Change>) -> Void = { _ in }
    var databasePages: [Result<SyncMachine.DatabasePage, CKError>] = []
    var zonePages: [CKRecordZone.ID: [Result<SyncMachine.ZonePage, CKError>]] = [:]
    var askedTokens: [String?] = []
    var priorities: [CKRecordZone.ID] = []
    var isAtomic = false

    static func id(_ number: Int, zone: String = "Notes") -> CKRecord.ID {
        CKRecord.ID(recordName: "r\(number)", zoneID: CKRecordZone.ID(zoneName: zone))
    }

    static func all(
        _ request: SyncMachine.RecordRequest, failing failures: [CKRecord.ID: CKError] = [:]
    ) -> SyncMachine.RecordOutcome {
        var outcome = SyncMachine.RecordOutcome()
        for record in request.saves {
            outcome.saved[record.recordID] = failures[record.recordID].map { .failure($0) } ?? .success(record)
        }
        for recordID in request.deletions {
            outcome.deleted[recordID] = failures[recordID].map { .failure($0) } ?? .success(())
        }
        return outcome
    }

    mutating func send(_ scope: CKSyncEngine.SendChangesOptions.Scope = .all) -> CKError? {
        run(.send(.init(reason: .manual, options: .init(scope: scope))))
    }

    mutating func fetch(_ scope: CKSyncEngine.FetchChangesOptions.Scope = .all) -> CKError? {
        run(.fetch(.init(reason: .manual, options: .init(scope: scope))))
    }

    private mutating func run(_ input: SyncMachine.Input) -> CKError? {
        var effects = machine.advance(input)
        var generation: UInt64 = 0
        for _ in 0..<10_000 {
            var next: SyncMachine.Input?
            for effect in effects {
                switch effect {
                case .finished(let error): return error
                case .checkAccount: next = .account(account)
                case .deliver(let event):
                    events.append(event)
                    handle(event, &queue)
                    next = .handled
                case .askForFetchOptions(let context):
                    var options = context.options
                    options.prioritizedZoneIDs = priorities
                    next = .fetchOptions(options)
                case .fetchDatabaseChanges(let token):
                    askedTokens.append(token)
                    next = .databaseChanges(
                        databasePages.isEmpty ? .failure(.unexpectedAnswer) : databasePages.removeFirst())
                case .fetchZoneChanges(let zoneID, let token):
                    askedTokens.append(token)
                    let isUnexpected = zonePages[zoneID, default: []].isEmpty
                    next = .zoneChanges(
                        isUnexpected ? .failure(.unexpectedAnswer) : zonePages[zoneID, default: []].removeFirst())
                case .takePendingDatabaseChanges(let scope, let failed, let limit):
                    let changes = zones.changes.filter {
                        scope.contains(zone: $0.zoneID) && !failed.contains($0.zoneID)
                    }
                    next = .pendingDatabaseChanges(Array(changes.prefix(limit)))
                case .askForRecordBatch(let context):
                    contexts.append(context)
                    generation = queue.generation
                    next = .recordBatch(batch(context))
                case .modifyZones(let saving, let deleting):
                    var outcome = SyncMachine.ZoneOutcome()
                    for zone in saving { outcome.saved[zone.zoneID] = .success(zone) }
                    for zoneID in deleting { outcome.deleted[zoneID] = .success(()) }
                    next = .zonesModified(.success(outcome))
                case .modifyRecords(let request):
                    requests.append(request.count)
                    whileAway(&queue)
                    next = .recordsModified(modify(request))
                case .settleDatabaseChanges(let changes):
                    for change in changes { zones.remove(change) }
                case .settleRecordChanges(let changes, let postponed):
                    for change in changes { queue.settle(change, upTo: generation) }
                    for change in postponed { queue.postpone(change) }
                case .forgetPendingChanges: queue.removeAll()
                case .progressChanged: store(machine.progress)
                case .nothingUntracked: break
                }
            }
            guard let input = next else { return SyncMachine.unexpected }
            effects = machine.advance(input)
        }
        Issue.record("it does not end")
        return nil
    }

    private mutating func batch(_ context: CKSyncEngine.SendChangesContext) -> CKSyncEngine.RecordZoneChangeBatch? {
        var batch = CKSyncEngine.RecordZoneChangeBatch(atomicByZone: isAtomic)
        for change in queue.changes where context.options.scope.contains(change) {
            guard batch.recordsToSave.count + batch.recordIDsToDelete.count < 400 else { break }
            switch change {
            case .saveRecord(let recordID): batch.recordsToSave.append(CKRecord(recordType: "Note", recordID: recordID))
            case .deleteRecord(let recordID): batch.recordIDsToDelete.append(recordID)
            }
        }
        return batch.isEmpty ? nil : batch
    }

    var sent: [CKSyncEngine.Event.SentRecordZoneChanges] {
        events.compactMap { if case .sentRecordZoneChanges(let event) = $0 { event } else { nil } }
    }
    var didSends: Int { events.count { if case .didSendChanges = $0 { true } else { false } } }
}
