import Testing

@testable import CloudKit

@Suite("The sync engine's machine: sending") struct SyncMachineSendingTests {
    @Test("A send begins and ends once, whatever happens between", arguments: [0, 1, 3, 900])
    func willAndDid(count: Int) {
        var bench = SyncBench()
        for number in 0..<count { bench.queue.add(.saveRecord(SyncBench.id(number))) }
        #expect(bench.send() == nil)
        #expect(bench.didSends == 1)
        #expect(bench.queue.isEmpty)
        #expect(bench.requests.reduce(0, +) == count)
        #expect(bench.requests.allSatisfy { $0 <= 400 })
    }

    @Test("A hundred thousand pending changes are asked for and sent once each, in full requests")
    func volume() {
        var bench = SyncBench()
        for number in 0..<100_000 { bench.queue.add(.saveRecord(SyncBench.id(number))) }
        #expect(bench.send() == nil)
        #expect(bench.requests == Array(repeating: 400, count: 250))
        #expect(bench.contexts.count == 251)
        #expect(bench.sent.count == 250)
        #expect(bench.queue.isEmpty)
    }

    @Test("Requests hold records of one zone each")
    func zones() {
        var bench = SyncBench()
        for number in 0..<6 { bench.queue.add(.saveRecord(SyncBench.id(number, zone: number % 2 == 0 ? "A" : "B"))) }
        #expect(bench.send() == nil)
        #expect(bench.requests == [3, 3])
    }

    @Test("An edit made while its batch is on its way stays pending and is sent too")
    func editMeanwhile() {
        var bench = SyncBench()
        bench.queue.add(.saveRecord(SyncBench.id(1)))
        var edits = 1
        bench.whileAway = { queue in
            if edits > 0 { queue.add(.saveRecord(SyncBench.id(1))) }
            edits -= 1
        }
        #expect(bench.send() == nil)
        #expect(bench.requests == [1, 1])
        #expect(bench.queue.isEmpty)
    }

    @Test("Zones go before records")
    func zonesFirst() {
        var bench = SyncBench()
        bench.queue.add(.saveRecord(SyncBench.id(1)))
        bench.zones.add(.saveZone(CKRecordZone(zoneName: "Notes")))
        #expect(bench.send() == nil)
        let names = bench.events.map { $0.description.prefix { $0 != "(" } }
        #expect(names == ["willSendChanges", "sentDatabaseChanges", "sentRecordZoneChanges", "didSendChanges"])
    }

    @Test("A zone that was deleted is forgotten: one of the same name is read from its beginning")
    func deletedZone() {
        var bench = SyncBench()
        let zoneID = CKRecordZone.ID(zoneName: "Notes")
        bench.machine = SyncMachine(
            progress: {
                var progress = SyncProgress(userRecordName: "_me")
                progress.zoneTokens[zoneID] = "old"
                return progress
            }())
        bench.zones.add(.deleteZone(zoneID))
        #expect(bench.send() == nil)
        #expect(bench.machine.progress.zoneTokens.isEmpty)
    }

    @Test("A zone that was never read and answers with a record, saved or in conflict, has something to fetch")
    func unknownZone() {
        for error in [nil, CKError(.serverRecordChanged), CKError(.zoneNotFound)] {
            var bench = SyncBench()
            let recordID = SyncBench.id(1)
            bench.queue.add(.saveRecord(recordID))
            bench.modify = { request in
                .success(SyncBench.all(request, failing: error.map { [recordID: $0] } ?? [:]))
            }
            _ = bench.send()
            #expect(bench.machine.progress.isUnfetched(recordID.zoneID) == (error?.code != .zoneNotFound))
        }
    }

    @Test("A record that a batch names twice is sent once")
    func twice() {
        var bench = SyncBench()
        bench.queue.add(.saveRecord(SyncBench.id(1)))
        let record = CKRecord(recordType: "Note", recordID: SyncBench.id(1))
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
