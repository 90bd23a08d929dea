import Testing

@testable import CloudKit

/// The machine driven by hand: a queue, a server that answers as the test says, no concurrency.
private struct Bench {
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
                    next = .databaseChanges(databasePages.removeFirst())
                case .fetchZoneChanges(let zoneID, let token):
                    askedTokens.append(token)
                    next = .zoneChanges(zonePages[zoneID, default: []].removeFirst())
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
                case .nothingUntracked, .progressChanged: break
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

@Suite("The sync engine's machine: sending") struct SyncMachineSendingTests {
    @Test("A send begins and ends once, whatever happens between", arguments: [0, 1, 3, 900])
    func willAndDid(count: Int) {
        var bench = Bench()
        for number in 0..<count { bench.queue.add(.saveRecord(Bench.id(number))) }
        #expect(bench.send() == nil)
        #expect(bench.didSends == 1)
        #expect(bench.queue.isEmpty)
        #expect(bench.requests.reduce(0, +) == count)
        #expect(bench.requests.allSatisfy { $0 <= 400 })
    }

    @Test("A hundred thousand pending changes are asked for and sent once each, in full requests")
    func volume() {
        var bench = Bench()
        for number in 0..<100_000 { bench.queue.add(.saveRecord(Bench.id(number))) }
        #expect(bench.send() == nil)
        #expect(bench.requests == Array(repeating: 400, count: 250))
        #expect(bench.contexts.count == 251)
        #expect(bench.sent.count == 250)
        #expect(bench.queue.isEmpty)
    }

    @Test("Requests hold records of one zone each")
    func zones() {
        var bench = Bench()
        for number in 0..<6 { bench.queue.add(.saveRecord(Bench.id(number, zone: number % 2 == 0 ? "A" : "B"))) }
        #expect(bench.send() == nil)
        #expect(bench.requests == [3, 3])
    }

    @Test(
        "What passes by itself leaves every change pending, and nothing more is tried",
        arguments: [
            CKError.Code.notAuthenticated, .accountTemporarilyUnavailable, .networkFailure, .networkUnavailable,
            .requestRateLimited, .serviceUnavailable, .zoneBusy, .serverResponseLost, .operationCancelled,
            .quotaExceeded,
        ])
    func transient(code: CKError.Code) {
        var bench = Bench()
        let changes: [CKSyncEngine.PendingRecordZoneChange] = (0..<5).map { .saveRecord(Bench.id($0)) }
        for change in changes { bench.queue.add(change) }
        bench.modify = { _ in .failure(CKError(code)) }
        #expect(bench.send() != nil)
        #expect(bench.requests == [5])
        #expect(bench.queue.changes == changes)
        #expect(bench.sent.first?.failedRecordSaves.count == 5)
        #expect(bench.didSends == 1)
        bench.modify = { .success(Bench.all($0)) }
        #expect(bench.send() == nil)
        #expect(bench.queue.isEmpty)
    }

    @Test("An error of one record that passes by itself keeps that record pending and no other")
    func transientRecord() {
        var bench = Bench()
        for number in 0..<4 { bench.queue.add(.saveRecord(Bench.id(number))) }
        bench.modify = { .success(Bench.all($0, failing: [Bench.id(2): CKError(.serviceUnavailable)])) }
        #expect(bench.send()?.code == .partialFailure)
        #expect(bench.queue.changes == [.saveRecord(Bench.id(2))])
    }

    @Test("A busy zone does not keep the others from being sent")
    func busyZone() {
        var bench = Bench()
        for number in 0..<500 { bench.queue.add(.saveRecord(Bench.id(number, zone: "Busy"))) }
        bench.queue.add(.saveRecord(Bench.id(0, zone: "Other")))
        bench.modify = { request in
            request.zoneID.zoneName == "Busy" ? .failure(CKError(.zoneBusy)) : .success(Bench.all(request))
        }
        #expect(bench.send()?.code == .partialFailure)
        #expect(bench.requests == [400, 1])
        #expect(bench.queue.count == 500)
        #expect(bench.contexts.last?.options.scope == .allExcluding([CKRecordZone.ID(zoneName: "Busy")]))
    }

    @Test(
        "What only the app can mend is no longer pending, and the send goes on",
        arguments: [
            CKError.Code.serverRecordChanged, .zoneNotFound, .unknownItem, .invalidArguments, .permissionFailure,
        ])
    func dropped(code: CKError.Code) {
        var bench = Bench()
        for number in 0..<500 { bench.queue.add(.saveRecord(Bench.id(number))) }
        bench.modify = { .success(Bench.all($0, failing: [Bench.id(7): CKError(code)])) }
        let error = bench.send()
        #expect(error?.code == .partialFailure)
        #expect((error?.partialErrorsByItemID?[Bench.id(7)] as? CKError)?.code == code)
        #expect(bench.queue.isEmpty)
        #expect(bench.requests == [400, 100])
    }

    @Test("What the app adds again after a failure waits for the next send")
    func addedAgain() {
        var bench = Bench()
        bench.queue.add(.saveRecord(Bench.id(1)))
        bench.modify = { .success(Bench.all($0, failing: [Bench.id(1): CKError(.serverRecordChanged)])) }
        bench.handle = { event, queue in
            if case .sentRecordZoneChanges(let sent) = event {
                for failure in sent.failedRecordSaves { queue.add(.saveRecord(failure.record.recordID)) }
            }
        }
        #expect(bench.send()?.code == .partialFailure)
        #expect(bench.requests == [1])
        #expect(bench.queue.changes == [.saveRecord(Bench.id(1))])
    }

    @Test("Siblings of a failed atomic batch go back to pending, the culprit to the app")
    func siblings() {
        var bench = Bench()
        bench.isAtomic = true
        for number in 0..<3 { bench.queue.add(.saveRecord(Bench.id(number))) }
        bench.queue.add(.deleteRecord(Bench.id(3)))
        bench.modify = { request in
            var failures = Dictionary(
                uniqueKeysWithValues: (request.saves.map(\.recordID) + request.deletions)
                    .map { ($0, CKError(.batchRequestFailed)) })
            if failures[Bench.id(1)] != nil {
                failures[Bench.id(1)] = CKError(.serverRecordChanged)
                return .success(Bench.all(request, failing: failures))
            }
            return .success(Bench.all(request))
        }
        #expect(bench.send()?.code == .partialFailure)
        #expect(
            bench.queue.changes == [.saveRecord(Bench.id(0)), .saveRecord(Bench.id(2)), .deleteRecord(Bench.id(3))])
        #expect(bench.send() == nil)
        #expect(bench.queue.isEmpty)
    }

    @Test("Too large a request is halved until it is taken, and the size is remembered", arguments: [1, 50, 131])
    func limit(most: Int) {
        var bench = Bench()
        for number in 0..<900 { bench.queue.add(.saveRecord(Bench.id(number))) }
        bench.modify = { request in
            request.count > most ? .failure(CKError(.limitExceeded)) : .success(Bench.all(request))
        }
        #expect(bench.send() == nil)
        #expect(bench.queue.isEmpty)
        #expect(bench.requests.filter { $0 <= most }.reduce(0, +) == 900)
        #expect(bench.requests.count { $0 > most } <= 9)
        #expect(bench.sent.allSatisfy { $0.failedRecordSaves.isEmpty })
    }

    @Test("Too large a request is halved too where each item says so", arguments: [true, false])
    func limitOfItems(atomic: Bool) {
        var bench = Bench()
        bench.isAtomic = atomic
        for number in 0..<300 { bench.queue.add(.saveRecord(Bench.id(number))) }
        bench.modify = { request in
            guard request.count > 100 else { return .success(Bench.all(request)) }
            let failures = request.saves.map { ($0.recordID, CKError(.limitExceeded)) }
            return .success(Bench.all(request, failing: Dictionary(uniqueKeysWithValues: failures)))
        }
        #expect(bench.send() == nil)
        #expect(bench.queue.isEmpty)
    }

    @Test("A single record that is too large goes to the app; the others are sent")
    func tooLargeRecord() {
        var bench = Bench()
        for number in 0..<8 { bench.queue.add(.saveRecord(Bench.id(number))) }
        bench.modify = { request in
            request.saves.contains { $0.recordID == Bench.id(5) }
                ? .failure(CKError(.limitExceeded)) : .success(Bench.all(request))
        }
        #expect(bench.send()?.code == .partialFailure)
        #expect(bench.sent.flatMap(\.failedRecordSaves).map(\.record.recordID) == [Bench.id(5)])
        #expect(bench.sent.flatMap(\.savedRecords).count == 7)
        #expect(bench.queue.isEmpty)
    }

    @Test("An edit made while its batch is on its way stays pending and is sent too")
    func editMeanwhile() {
        var bench = Bench()
        bench.queue.add(.saveRecord(Bench.id(1)))
        var edits = 1
        bench.whileAway = { queue in
            if edits > 0 { queue.add(.saveRecord(Bench.id(1))) }
            edits -= 1
        }
        #expect(bench.send() == nil)
        #expect(bench.requests == [1, 1])
        #expect(bench.queue.isEmpty)
    }

    @Test("Zones go before records")
    func zonesFirst() {
        var bench = Bench()
        bench.queue.add(.saveRecord(Bench.id(1)))
        bench.zones.add(.saveZone(CKRecordZone(zoneName: "Notes")))
        #expect(bench.send() == nil)
        let names = bench.events.map { $0.description.prefix { $0 != "(" } }
        #expect(names == ["willSendChanges", "sentDatabaseChanges", "sentRecordZoneChanges", "didSendChanges"])
    }

    @Test("A record that a batch names twice is sent once")
    func twice() {
        var bench = Bench()
        bench.queue.add(.saveRecord(Bench.id(1)))
        let record = CKRecord(recordType: "Note", recordID: Bench.id(1))
        var machine = bench.machine
        let context = CKSyncEngine.SendChangesContext(reason: .manual, options: .init())
        _ = machine.advance(.send(context))
        _ = machine.advance(.account(.success("_me")))
        _ = machine.advance(.handled)
        _ = machine.advance(.pendingDatabaseChanges([]))
        let effects = machine.advance(
            .recordBatch(.init(recordsToSave: [record, record], recordIDsToDelete: [record.recordID])))
        guard case .modifyRecords(let request)? = effects.last else {
            Issue.record("nothing was sent")
            return
        }
        #expect(request.count == 1)
    }

    @Test("An answer to another question ends the operation")
    func unexpected() {
        var machine = SyncMachine()
        _ = machine.advance(.send(.init(reason: .manual, options: .init())))
        guard case .finished(let error?)? = machine.advance(.handled).last else {
            Issue.record("it goes on")
            return
        }
        #expect(error.code == .internalError)
    }
}

@Suite("The sync engine's machine: fetching and accounts") struct SyncMachineFetchingTests {
    private let a = CKRecordZone.ID(zoneName: "A")
    private let b = CKRecordZone.ID(zoneName: "B")

    private func page(_ changed: [CKRecordZone.ID], token: String) -> Result<SyncMachine.DatabasePage, CKError> {
        .success(.init(changed: changed, deleted: [], token: token, moreComing: false))
    }

    private func records(_ names: [String], in zoneID: CKRecordZone.ID, token: String, more: Bool = false)
        -> Result<SyncMachine.ZonePage, CKError>
    {
        .success(
            .init(
                changed: names.map {
                    CKRecord(recordType: "Note", recordID: CKRecord.ID(recordName: $0, zoneID: zoneID))
                }, deleted: [], token: token, moreComing: more))
    }

    @Test("A zone's pages come one after the other, and its token moves only after the app has stored the page")
    func pages() {
        var bench = Bench()
        bench.databasePages = [page([a], token: "d1")]
        bench.zonePages[a] = [records(["x"], in: a, token: "a1", more: true), records(["y"], in: a, token: "a2")]
        #expect(bench.fetch() == nil)
        #expect(bench.askedTokens == [nil, nil, "a1"])
        #expect(bench.machine.progress.zoneTokens == [a: "a2"])
        #expect(bench.machine.progress.unfetchedZoneIDs.isEmpty)
        #expect(
            bench.events.map { $0.description.prefix { $0 != "(" } } == [
                "willFetchChanges", "fetchedDatabaseChanges", "willFetchRecordZoneChanges", "fetchedRecordZoneChanges",
                "fetchedRecordZoneChanges", "didFetchRecordZoneChanges", "didFetchChanges",
            ])
    }

    @Test("A fetch that breaks off goes on where it was")
    func brokenOff() {
        var bench = Bench()
        bench.databasePages = [page([a, b], token: "d1"), page([], token: "d1")]
        bench.zonePages[a] = [
            records(["x"], in: a, token: "a1", more: true), .failure(CKError(.networkFailure)),
            records(["y"], in: a, token: "a2"),
        ]
        bench.zonePages[b] = [records([], in: b, token: "b1")]
        #expect(bench.fetch()?.code == .networkFailure)
        #expect(bench.machine.progress.unfetchedZoneIDs == [a, b])
        #expect(bench.fetch() == nil)
        #expect(bench.askedTokens == [nil, nil, "a1", "d1", "a1", nil])
        #expect(bench.machine.progress.unfetchedZoneIDs.isEmpty)
    }

    @Test("Prioritized zones come first, those outside the scope wait")
    func order() {
        var bench = Bench()
        let c = CKRecordZone.ID(zoneName: "C")
        bench.databasePages = [page([a, b, c], token: "d1")]
        for zoneID in [a, b, c] { bench.zonePages[zoneID] = [records([], in: zoneID, token: "t")] }
        bench.priorities = [CKRecordZone.ID(zoneName: "Unknown"), c]
        #expect(bench.fetch(.allExcluding([b])) == nil)
        let fetched: [CKRecordZone.ID] = bench.events.compactMap {
            if case .didFetchRecordZoneChanges(let event) = $0 { event.zoneID } else { nil }
        }
        #expect(fetched == [c, a])
        #expect(bench.machine.progress.unfetchedZoneIDs == [b])
    }

    @Test(
        "A zone that fails keeps no other from being read", arguments: [CKError.Code.zoneNotFound, .permissionFailure])
    func failingZone(code: CKError.Code) {
        var bench = Bench()
        bench.databasePages = [page([a, b], token: "d1")]
        bench.zonePages[a] = [.failure(CKError(code))]
        bench.zonePages[b] = [records(["x"], in: b, token: "b1")]
        // A zone that is gone is no failure: the database tells of it.
        #expect(bench.fetch()?.code == (code == .zoneNotFound ? nil : .partialFailure))
        #expect(bench.machine.progress.zoneTokens == [b: "b1"])
    }

    @Test("An expired database token starts again, and zones that the server no longer lists are gone")
    func expiredDatabaseToken() {
        var bench = Bench()
        bench.databasePages = [
            page([a, b], token: "d1"), .failure(CKError(.changeTokenExpired)), page([b], token: "d2"),
        ]
        bench.zonePages = [
            a: [records([], in: a, token: "a1")],
            b: [records([], in: b, token: "b1"), records([], in: b, token: "b2")],
        ]
        #expect(bench.fetch() == nil)
        bench.events = []
        #expect(bench.fetch() == nil)
        let deletions = bench.events.flatMap { event -> [CKRecordZone.ID] in
            if case .fetchedDatabaseChanges(let changes) = event { changes.deletions.map(\.zoneID) } else { [] }
        }
        #expect(deletions == [a])
        #expect(bench.machine.progress.zoneTokens == [b: "b2"])
    }

    @Test("An expired zone token starts the zone again, once")
    func expiredZoneToken() {
        var bench = Bench()
        bench.databasePages = [page([a], token: "d1"), page([a], token: "d2")]
        bench.zonePages[a] = [
            records([], in: a, token: "a1"), .failure(CKError(.changeTokenExpired)), records(["x"], in: a, token: "a2"),
        ]
        #expect(bench.fetch() == nil)
        #expect(bench.fetch() == nil)
        #expect(bench.askedTokens == [nil, nil, "d1", "a1", nil])
        #expect(bench.machine.progress.zoneTokens == [a: "a2"])
    }

    @Test("A token that stands still does not make an endless fetch")
    func standingToken() {
        var bench = Bench()
        bench.databasePages = [page([a], token: "d1")]
        bench.zonePages[a] = [
            records(["x"], in: a, token: "a1", more: true), records([], in: a, token: "a1", more: true),
        ]
        #expect(bench.fetch()?.code == .partialFailure)
    }

    @Test("A deleted zone's token is forgotten: one of the same name is read from its beginning")
    func deletedZone() {
        var bench = Bench()
        bench.databasePages = [
            page([a], token: "d1"),
            .success(
                .init(changed: [], deleted: [.init(zoneID: a, reason: .purged)], token: "d2", moreComing: false)),
        ]
        bench.zonePages[a] = [records([], in: a, token: "a1")]
        #expect(bench.fetch() == nil)
        #expect(bench.fetch() == nil)
        #expect(bench.machine.progress.zoneTokens.isEmpty)
        guard case .fetchedDatabaseChanges(let changes)? = bench.events.dropLast().last else {
            Issue.record("the deletion was not told")
            return
        }
        #expect(changes.deletions.map(\.reason) == [.purged])
    }

    @Test("The first start with an account is a sign-in, and what was added before is kept")
    func signIn() {
        var bench = Bench()
        bench.machine = SyncMachine()
        bench.queue.add(.saveRecord(Bench.id(1)))
        #expect(bench.send() == nil)
        guard case .accountChange(let change)? = bench.events.first else {
            Issue.record("no sign-in")
            return
        }
        #expect(change.changeType == .signIn(currentUser: CKRecord.ID(recordName: "_me")))
        #expect(bench.requests == [1])
        #expect(bench.machine.progress.userRecordName == "_me")
    }

    @Test("A switch of accounts forgets tokens and pending changes before anything is sent")
    func switchAccounts() {
        var bench = Bench()
        bench.machine = SyncMachine(
            progress: {
                var progress = SyncProgress(userRecordName: "_me")
                progress.databaseToken = "mine"
                return progress
            }())
        bench.account = .success("_other")
        bench.queue.add(.saveRecord(Bench.id(1)))
        #expect(bench.send() == nil)
        #expect(bench.requests.isEmpty)
        #expect(bench.queue.isEmpty)
        #expect(bench.machine.progress == SyncProgress(userRecordName: "_other"))
    }

    @Test("A sign-out is told once; then the engine sleeps")
    func signOut() {
        var bench = Bench()
        bench.account = .success(nil)
        bench.queue.add(.saveRecord(Bench.id(1)))
        #expect(bench.fetch()?.code == .notAuthenticated)
        #expect(bench.send()?.code == .notAuthenticated)
        #expect(bench.events.map { $0.description.prefix { $0 != "(" } } == ["accountChange"])
        #expect(bench.queue.isEmpty)
    }

    @Test("An account that cannot be asked is no sign-out")
    func unknownAccount() {
        var bench = Bench()
        bench.account = .failure(CKError(.accountTemporarilyUnavailable))
        bench.queue.add(.saveRecord(Bench.id(1)))
        #expect(bench.send()?.code == .accountTemporarilyUnavailable)
        #expect(bench.events.isEmpty)
        #expect(bench.queue.count == 1)
    }
}

@Suite("The sync engine's schedule") struct SyncScheduleTests {
    @Test("Changes made in a row wait for one another")
    func coalescing() {
        var schedule = SyncSchedule(seed: 1)
        #expect(schedule.delay(now: 10) == nil)
        schedule.askForSend(now: 10)
        schedule.askForSend(now: 10.05)
        #expect(abs((schedule.delay(now: 10.05) ?? 0) - 0.05) < 0.0001)
    }

    @Test("The pause grows with each failure and never ends before the server's time")
    func pause() {
        var schedule = SyncSchedule(seed: 1)
        var delays: [Double] = []
        for _ in 0..<20 {
            schedule.askForSend(now: 0)
            _ = schedule.begin(now: 1_000_000)
            schedule.sendEnded(CKError(.networkFailure), now: 0)
            #expect(schedule.wantsSend)
            delays.append(schedule.delay(now: 0) ?? 0)
        }
        #expect(delays[0] <= 1)
        #expect(delays[19] >= 300 && delays[19] <= 600)
        schedule.sendEnded(CKError(.requestRateLimited, userInfo: [CKErrorRetryAfterKey: 9000.0]), now: 0)
        #expect((schedule.delay(now: 0) ?? 0) >= 300)
        var patient = SyncSchedule(seed: 2)
        patient.sendEnded(CKError(.requestRateLimited, reason: nil, retryAfter: 9000), now: 0)
        #expect((patient.delay(now: 0) ?? 0) >= 9000)
    }

    @Test("A conflict is sent again at once, but not for ever without a pause")
    func conflicts() {
        var schedule = SyncSchedule(seed: 1)
        let conflict = CKError(
            .partialFailure, userInfo: [CKPartialErrorsByItemIDKey: [AnyHashable("a"): CKError(.serverRecordChanged)]])
        schedule.sendEnded(conflict, now: 0)
        schedule.askForSend(now: 0)
        #expect((schedule.delay(now: 0) ?? 9) <= SyncSchedule.coalescing)
        for _ in 0..<5 { schedule.sendEnded(conflict, now: 0) }
        #expect((schedule.delay(now: 0) ?? 0) > 5)
    }

    @Test("What the app dropped is not asked for again")
    func noRetry() {
        var schedule = SyncSchedule(seed: 1)
        schedule.sendEnded(CKError(.permissionFailure), now: 0)
        #expect(schedule.delay(now: 0) == nil)
    }
}
