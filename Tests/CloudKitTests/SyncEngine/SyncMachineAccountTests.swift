import Testing

@testable import CloudKit

@Suite("The sync engine's machine: accounts") struct SyncMachineAccountTests {
    @Test("The first start with an account is a sign-in, and what was added before is kept")
    func signIn() {
        var bench = SyncBench()
        bench.machine = SyncMachine()
        bench.queue.add(.saveRecord(SyncBench.id(1)))
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
        var bench = SyncBench()
        bench.machine = SyncMachine(
            progress: {
                var progress = SyncProgress(userRecordName: "_me")
                progress.databaseToken = "mine"
                return progress
            }())
        bench.account = .success("_other")
        bench.queue.add(.saveRecord(SyncBench.id(1)))
        #expect(bench.send() == nil)
        #expect(bench.requests.isEmpty)
        #expect(bench.queue.isEmpty)
        #expect(bench.machine.progress == SyncProgress(userRecordName: "_other"))
    }

    @Test("A sign-out is told once; then the engine sleeps")
    func signOut() {
        var bench = SyncBench()
        bench.account = .success(nil)
        bench.queue.add(.saveRecord(SyncBench.id(1)))
        #expect(bench.fetch()?.code == .notAuthenticated)
        #expect(bench.send()?.code == .notAuthenticated)
        #expect(bench.events.map { $0.description.prefix { $0 != "(" } } == ["accountChange"])
        #expect(bench.queue.isEmpty)
    }

    @Test("An account that cannot be asked is no sign-out")
    func unknownAccount() {
        var bench = SyncBench()
        bench.account = .failure(CKError(.accountTemporarilyUnavailable))
        bench.queue.add(.saveRecord(SyncBench.id(1)))
        #expect(bench.send()?.code == .accountTemporarilyUnavailable)
        #expect(bench.events.isEmpty)
        #expect(bench.queue.count == 1)
    }
}
