import Testing
import WebServices

@testable import CloudKit

@Suite("The sync engine's machine: fetching") struct SyncMachineFetchingTests {
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
        var bench = SyncBench()
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
        var bench = SyncBench()
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
        var bench = SyncBench()
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
        var bench = SyncBench()
        bench.databasePages = [page([a, b], token: "d1"), page([], token: "d1")]
        bench.zonePages[a] = [.failure(CKError(code))]
        bench.zonePages[b] = [records(["x"], in: b, token: "b1")]
        // A zone that is gone is no failure: the database tells of it.
        #expect(bench.fetch()?.code == (code == .zoneNotFound ? nil : .partialFailure))
        #expect(bench.machine.progress.zoneTokens == [b: "b1"])
    }

    @Test("An expired database token starts again, and zones that the server no longer lists are gone")
    func expiredDatabaseToken() {
        var bench = SyncBench()
        bench.databasePages = [
            page([a, b], token: "d1"), .failure(CKError(.changeTokenExpired)), page([b], token: "d2"),
        ]
        bench.zonePages = [
            a: [records([], in: a, token: "a1"), .failure(CKError(.zoneNotFound))],
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
        var bench = SyncBench()
        bench.databasePages = [page([a], token: "d1"), page([a], token: "d2"), page([], token: "d2")]
        bench.zonePages[a] = [
            records([], in: a, token: "a1"), .failure(CKError(.changeTokenExpired)), records(["x"], in: a, token: "a2"),
        ]
        #expect(bench.fetch() == nil)
        #expect(bench.fetch() == nil)
        // Before the zone is read again, the database is asked whether it is another one.
        #expect(bench.askedTokens == [nil, nil, "d1", "a1", "d2", nil])
        #expect(bench.machine.progress.zoneTokens == [a: "a2"])
        let ends: [CKError.Code?] = bench.events.compactMap {
            if case .didFetchRecordZoneChanges(let event) = $0 { .some(event.error?.code) } else { nil }
        }
        #expect(ends == [nil, .changeTokenExpired, nil], "the app hears that it may have records that are gone")
    }

    @Test("A database that is read from its beginning is read to its end, or again: no zone that is gone is missed")
    func brokenOffDatabase() {
        var bench = SyncBench()
        bench.databasePages = [
            page([a, b], token: "d1"), .failure(CKError(.changeTokenExpired)),
            .success(.init(changed: [b], deleted: [], token: "d2", moreComing: true)),
            .failure(CKError(.networkFailure)), page([b], token: "d3"), page([b], token: "d4"),
        ]
        bench.zonePages = [
            // Asked why it is not in the list, it answers the second time.
            a: [
                records([], in: a, token: "a1"), .failure(CKError(.networkFailure)),
                .failure(CKError(.userDeletedZone)),
            ],
            b: [records([], in: b, token: "b1"), records([], in: b, token: "b2")],
        ]
        #expect(bench.fetch() == nil)
        #expect(bench.fetch()?.code == .networkFailure)
        bench.events = []
        #expect(bench.fetch()?.code == .networkFailure)
        #expect(deletions(in: bench).isEmpty)
        #expect(bench.fetch() == nil)
        #expect(bench.askedTokens == [nil, nil, nil, "d1", nil, "d2", nil, "a1", nil, "a1", "b1"])
        #expect(deletions(in: bench) == [a])
    }

    @Test("A zone that only this device wrote to, and that is gone since, is told as deleted")
    func unlistedZone() {
        var bench = SyncBench()
        bench.queue.add(.saveRecord(SyncBench.id(1, zone: "A")))
        #expect(bench.send() == nil)
        #expect(bench.machine.progress.unfetchedZoneIDs == [a])
        bench.databasePages = [page([], token: "d1"), page([], token: "d1")]
        bench.zonePages[a] = [.failure(CKError(.zoneNotFound))]
        #expect(bench.fetch() == nil)
        #expect(deletions(in: bench) == [a])
        #expect(bench.machine.progress.unfetchedZoneIDs.isEmpty)
    }

    @Test("A zone that vanished and was made again while the fetch went on is told as deleted, and read")
    func zoneMadeAgain() {
        var bench = SyncBench()
        bench.databasePages = [page([a], token: "d1"), page([a], token: "d2")]
        bench.zonePages[a] = [.failure(CKError(.zoneNotFound)), records(["x"], in: a, token: "a1")]
        #expect(bench.fetch() == nil)
        #expect(deletions(in: bench) == [a])
        #expect(bench.machine.progress.zoneTokens == [a: "a1"])
    }

    @Test("The same of a zone that was read before")
    func readZoneMadeAgain() {
        var bench = SyncBench()
        bench.databasePages = [page([a], token: "d1"), page([a], token: "d2"), page([a], token: "d3")]
        bench.zonePages[a] = [
            records(["x"], in: a, token: "a1"), .failure(CKError(.userDeletedZone)), records(["y"], in: a, token: "b1"),
        ]
        #expect(bench.fetch() == nil)
        #expect(bench.fetch() == nil)
        #expect(bench.askedTokens == [nil, nil, "d1", "a1", "d2", nil])
        #expect(toldDeletions(in: bench).map(\.reason) == [.purged])
        #expect(bench.machine.progress.zoneTokens == [a: "b1"])
    }

    @Test("That the zone before is gone is told before another one of its name is read")
    func replacedZone() {
        var bench = SyncBench()
        let gone = CKDatabase.DatabaseChange.Deletion(zoneID: a, reason: .purged)
        bench.databasePages = [
            page([a], token: "d1"), page([a], token: "d2"),
            .success(.init(changed: [a], deleted: [gone], token: "d3", moreComing: false)),
        ]
        bench.zonePages[a] = [
            records(["x"], in: a, token: "a1"), .failure(CKError(.changeTokenExpired)),
            records(["y"], in: a, token: "b1"),
        ]
        #expect(bench.fetch() == nil)
        bench.events = []
        #expect(bench.fetch() == nil)
        let order = bench.events.flatMap { event -> [String] in
            switch event {
            case .fetchedDatabaseChanges(let changes): changes.deletions.map { "\($0.reason)" }
            case .fetchedRecordZoneChanges(let changes): changes.modifications.map(\.record.recordID.recordName)
            default: []
            }
        }
        #expect(order == ["purged", "y"])
        #expect(bench.machine.progress.zoneTokens == [a: "b1"])
    }

    @Test("A zone that no list shows to be another one is told as gone and read, where its token's error says so")
    func unlistedReplacement() {
        var bench = SyncBench()
        bench.databasePages = [page([a], token: "d1"), page([a], token: "d2"), page([], token: "d2")]
        let expired = CKError(
            ServerError(.changeTokenExpired, "another zone", extensionCode: .userDidResetEncryptedData))
        bench.zonePages[a] = [
            records(["x"], in: a, token: "a1"), .failure(expired), records(["y"], in: a, token: "b1"),
        ]
        #expect(bench.fetch() == nil)
        #expect(bench.fetch() == nil)
        #expect(toldDeletions(in: bench).map(\.reason) == [.encryptedDataReset])
        #expect(bench.askedTokens == [nil, nil, "d1", "a1", "d2", nil])
        #expect(bench.machine.progress.zoneTokens == [a: "b1"])
    }

    private func toldDeletions(in bench: SyncBench) -> [CKDatabase.DatabaseChange.Deletion] {
        bench.events.flatMap { event -> [CKDatabase.DatabaseChange.Deletion] in
            if case .fetchedDatabaseChanges(let changes) = event { changes.deletions } else { [] }
        }
    }

    private func deletions(in bench: SyncBench) -> [CKRecordZone.ID] {
        bench.events.flatMap { event -> [CKRecordZone.ID] in
            if case .fetchedDatabaseChanges(let changes) = event { changes.deletions.map(\.zoneID) } else { [] }
        }
    }

    @Test(
        "A zone counts as read, in the state that is stored, only when the app has heard that it is",
        arguments: [true, false])
    func readOnceTold(isEmpty: Bool) {
        var bench = SyncBench()
        bench.databasePages = [page([a], token: "d1")]
        bench.zonePages[a] = [records(isEmpty ? [] : ["x"], in: a, token: "a1")]
        var isTold = false
        bench.handle = { event, _ in
            if case .didFetchRecordZoneChanges = event { isTold = true }
        }
        bench.store = { progress in
            #expect(isTold || progress.isUnfetched(a) || progress.databaseToken == nil)
        }
        #expect(bench.fetch() == nil)
        #expect(isTold && bench.machine.progress.unfetchedZoneIDs.isEmpty)
    }

    @Test("A token that stands still does not make an endless fetch")
    func standingToken() {
        var bench = SyncBench()
        bench.databasePages = [page([a], token: "d1")]
        bench.zonePages[a] = [
            records(["x"], in: a, token: "a1", more: true), records([], in: a, token: "a1", more: true),
        ]
        #expect(bench.fetch()?.code == .partialFailure)
    }

    @Test("A deleted zone's token is forgotten: one of the same name is read from its beginning")
    func deletedZone() {
        var bench = SyncBench()
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
}
