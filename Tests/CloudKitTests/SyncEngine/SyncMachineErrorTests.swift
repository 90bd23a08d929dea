import Testing

@testable import CloudKit

@Suite("The sync engine's machine: what is not sent") struct SyncMachineErrorTests {
    @Test(
        "What passes by itself leaves every change pending, and nothing more is tried",
        arguments: [
            CKError.Code.notAuthenticated, .accountTemporarilyUnavailable, .networkFailure, .networkUnavailable,
            .requestRateLimited, .serviceUnavailable, .zoneBusy, .serverResponseLost, .operationCancelled,
            .quotaExceeded,
        ])
    func transient(code: CKError.Code) {
        var bench = SyncBench()
        let changes: [CKSyncEngine.PendingRecordZoneChange] = (0..<5).map { .saveRecord(SyncBench.id($0)) }
        for change in changes { bench.queue.add(change) }
        bench.modify = { _ in .failure(CKError(code)) }
        #expect(bench.send() != nil)
        #expect(bench.requests == [5])
        #expect(bench.queue.changes == changes)
        #expect(bench.sent.first?.failedRecordSaves.count == 5)
        #expect(bench.didSends == 1)
        bench.modify = { .success(SyncBench.all($0)) }
        #expect(bench.send() == nil)
        #expect(bench.queue.isEmpty)
    }

    @Test("An error of one record that passes by itself keeps that record pending and no other")
    func transientRecord() {
        var bench = SyncBench()
        for number in 0..<4 { bench.queue.add(.saveRecord(SyncBench.id(number))) }
        bench.modify = { .success(SyncBench.all($0, failing: [SyncBench.id(2): CKError(.serviceUnavailable)])) }
        #expect(bench.send()?.code == .partialFailure)
        #expect(bench.queue.changes == [.saveRecord(SyncBench.id(2))])
    }

    @Test("A busy zone does not keep the others from being sent")
    func busyZone() {
        var bench = SyncBench()
        for number in 0..<500 { bench.queue.add(.saveRecord(SyncBench.id(number, zone: "Busy"))) }
        bench.queue.add(.saveRecord(SyncBench.id(0, zone: "Other")))
        bench.modify = { request in
            request.zoneID.zoneName == "Busy" ? .failure(CKError(.zoneBusy)) : .success(SyncBench.all(request))
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
        var bench = SyncBench()
        for number in 0..<500 { bench.queue.add(.saveRecord(SyncBench.id(number))) }
        bench.modify = { .success(SyncBench.all($0, failing: [SyncBench.id(7): CKError(code)])) }
        let error = bench.send()
        #expect(error?.code == .partialFailure)
        #expect((error?.partialErrorsByItemID?[SyncBench.id(7)] as? CKError)?.code == code)
        #expect(bench.queue.isEmpty)
        #expect(bench.requests == [400, 100])
    }

    @Test("What the app adds again after a failure waits for the next send")
    func addedAgain() {
        var bench = SyncBench()
        bench.queue.add(.saveRecord(SyncBench.id(1)))
        bench.modify = { .success(SyncBench.all($0, failing: [SyncBench.id(1): CKError(.serverRecordChanged)])) }
        bench.handle = { event, queue in
            if case .sentRecordZoneChanges(let sent) = event {
                for failure in sent.failedRecordSaves { queue.add(.saveRecord(failure.record.recordID)) }
            }
        }
        #expect(bench.send()?.code == .partialFailure)
        #expect(bench.requests == [1])
        #expect(bench.queue.changes == [.saveRecord(SyncBench.id(1))])
    }

    @Test("Siblings of a failed atomic batch go back to pending, the culprit to the app")
    func siblings() {
        var bench = SyncBench()
        bench.isAtomic = true
        for number in 0..<3 { bench.queue.add(.saveRecord(SyncBench.id(number))) }
        bench.queue.add(.deleteRecord(SyncBench.id(3)))
        bench.modify = { request in
            var failures = Dictionary(
                uniqueKeysWithValues: (request.saves.map(\.recordID) + request.deletions)
                    .map { ($0, CKError(.batchRequestFailed)) })
            if failures[SyncBench.id(1)] != nil {
                failures[SyncBench.id(1)] = CKError(.serverRecordChanged)
                return .success(SyncBench.all(request, failing: failures))
            }
            return .success(SyncBench.all(request))
        }
        #expect(bench.send()?.code == .partialFailure)
        #expect(
            bench.queue.changes == [
                .saveRecord(SyncBench.id(0)), .saveRecord(SyncBench.id(2)), .deleteRecord(SyncBench.id(3)),
            ])
        #expect(bench.send() == nil)
        #expect(bench.queue.isEmpty)
    }
}
