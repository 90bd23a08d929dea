import Testing

@testable import CloudKit

@Suite("The sync engine's machine: requests that are too large") struct SyncMachineLimitTests {
    @Test("Too large a request is halved until it is taken, and the size is remembered", arguments: [1, 50, 131])
    func limit(most: Int) {
        var bench = SyncBench()
        for number in 0..<900 { bench.queue.add(.saveRecord(SyncBench.id(number))) }
        bench.modify = { request in
            request.count > most ? .failure(CKError(.limitExceeded)) : .success(SyncBench.all(request))
        }
        #expect(bench.send() == nil)
        #expect(bench.queue.isEmpty)
        #expect(bench.requests.filter { $0 <= most }.reduce(0, +) == 900)
        #expect(bench.requests.count { $0 > most } <= 9)
        #expect(bench.sent.allSatisfy { $0.failedRecordSaves.isEmpty })
    }

    @Test("Too large a request is halved too where each item says so", arguments: [true, false])
    func limitOfItems(atomic: Bool) {
        var bench = SyncBench()
        bench.isAtomic = atomic
        for number in 0..<300 { bench.queue.add(.saveRecord(SyncBench.id(number))) }
        bench.modify = { request in
            guard request.count > 100 else { return .success(SyncBench.all(request)) }
            let failures = request.saves.map { ($0.recordID, CKError(.limitExceeded)) }
            return .success(SyncBench.all(request, failing: Dictionary(uniqueKeysWithValues: failures)))
        }
        #expect(bench.send() == nil)
        #expect(bench.queue.isEmpty)
    }

    @Test("A single record that is too large goes to the app; the others are sent")
    func tooLargeRecord() {
        var bench = SyncBench()
        for number in 0..<8 { bench.queue.add(.saveRecord(SyncBench.id(number))) }
        bench.modify = { request in
            request.saves.contains { $0.recordID == SyncBench.id(5) }
                ? .failure(CKError(.limitExceeded)) : .success(SyncBench.all(request))
        }
        #expect(bench.send()?.code == .partialFailure)
        #expect(bench.sent.flatMap(\.failedRecordSaves).map(\.record.recordID) == [SyncBench.id(5)])
        #expect(bench.sent.flatMap(\.savedRecords).count == 7)
        #expect(bench.queue.isEmpty)
    }
}
