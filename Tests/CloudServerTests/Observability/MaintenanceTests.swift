import CloudStore
import Synchronization
import Testing
import WebServices

@testable import CloudServer

@Suite("In the background, and when things go wrong")
struct MaintenanceTests {
    @Test("Steps of maintenance empty deleted zones, forget old tombstones and prune the request log")
    func steps() throws {
        let cloud = try TestCloud()
        let device = try cloud.device()
        try device.makeZone()
        try device.makeZone("Gone")
        for number in 0..<50 { try device.save(.create, .note("n\(number)"), in: ZoneID(zoneName: "Gone")) }
        try device.save(.create, .note("a"), in: TestDevice.notes)
        try device.save(.forceDelete, .note("a"), in: TestDevice.notes)
        cloud.server.requestLog.flush()
        let owner = try device.user().userRecordName
        let store = try #require(try cloud.server.store.container(TestCloud.container, "development", create: false))
        let gone = try #require(
            try store.read { try $0.zone(ZoneKey(scope: .private, owner: owner, name: "Gone")) })
        let now = cloud.clock.now
        try store.writeAndWait { try $0.deleteZone(gone, reason: 1, at: now) }

        cloud.clock.advance(milliseconds: cloud.server.configuration.tombstoneLife + 1000)
        var count = 0
        while try cloud.server.maintenanceStep(), count < 1000 { count += 1 }
        #expect(try store.read { try $0.record(zone: gone.id, name: "n0") } == nil)
        let notes = try #require(
            try store.read { try $0.zone(ZoneKey(scope: .private, owner: owner, name: "Notes")) })
        #expect(notes.horizon == 2)
        #expect(try store.read { try $0.record(zone: notes.id, name: "a") } == nil)
        #expect(try cloud.server.store.requests.query(container: TestCloud.container, since: 0, limit: 10).isEmpty)
    }

    @Test("What a stranger writes into a request takes little room in the request log")
    func boundedLog() throws {
        let cloud = try TestCloud()
        let device = try cloud.device()
        let long = String(repeating: "x", count: 100_000)
        let query = RecordsQuery.Request(query: .init(recordType: long))
        #expect(try device.error(.recordsQuery(query))?.code == .badRequest)
        #expect(try device.error(.zonesList, container: long)?.code == .notFound)
        cloud.server.requestLog.flush()
        let log = cloud.server.store.requests
        let row = try #require(try log.query(container: TestCloud.container, since: 0, limit: 10).first)
        #expect(row.errorCode == "BAD_REQUEST" && row.detail.utf8.count <= 1000)
        // What cannot be a container has no log of its own.
        #expect(try log.query(container: long, since: 0, limit: 10).isEmpty)
        #expect(try log.query(container: "", since: 0, limit: 10).map(\.errorCode) == ["NOT_FOUND"])
    }

    @Test("The background can be started and stopped again and again")
    func startAndStop() throws {
        let cloud = try TestCloud()
        for _ in 0..<3 {
            cloud.server.start()
            cloud.server.start()
            cloud.server.stop()
            cloud.server.stop()
        }
    }

    @Test("When the store is gone, the client is asked to try again, and the log has the reason under the same uuid")
    func storeFailure() throws {
        let store = try CloudStore.inMemory(options: StoreOptions(execution: .inline))
        let log = LogLines()
        let server = try CloudServer(
            store: store, configuration: .emulator(apiToken: TestCloud.apiToken),
            log: ServerLog { _, message in log.append(message) })
        let signedIn = try server.identity.signIn(account: "anna", password: "", keepSignedIn: true)
        store.close()
        let reply = Mutex<Reply?>(nil)
        server.handle(
            Call(
                container: TestCloud.container, database: .private,
                credentials: Credentials(apiToken: TestCloud.apiToken, webAuthToken: signedIn.webAuthToken),
                operation: .recordsLookup(.init(records: [])))
        ) { answer in reply.withLock { $0 = answer } }
        guard case .failure(let error)? = reply.withLock({ $0?.result }) else { throw UnexpectedAnswer() }
        #expect(error.code == .tryAgainLater)
        #expect(error.retryAfter != nil)
        let uuid = try #require(error.uuid)
        #expect(log.all.contains { $0.contains(uuid) })
    }

    @Test("Devices that write one record at once lose no update")
    func concurrentWriters() async throws {
        let store = try CloudStore.inMemory()
        defer { store.close() }
        let server = try CloudServer(
            store: store, configuration: .emulator(apiToken: TestCloud.apiToken), log: .silent)
        let token = try server.identity.signIn(account: "anna", password: "", keepSignedIn: true).webAuthToken
        func modify(_ type: RecordsModify.OperationType, _ record: Record) async throws -> RecordResult {
            let call = Call(
                container: TestCloud.container, database: .private,
                credentials: Credentials(apiToken: TestCloud.apiToken, webAuthToken: token),
                client: .native(deviceID: "d"),
                operation: .recordsModify(.init(operations: [.init(type, record)])))
            let reply = await withCheckedContinuation { continuation in
                server.handle(call) { continuation.resume(returning: $0) }
            }
            guard case .recordsModify(let response) = try reply.result.get() else { throw UnexpectedAnswer() }
            return try #require(response.records.first)
        }
        _ = try await modify(.create, .note("counter", [("n", .int64(0))]))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    var known = try await modify(.forceUpdate, .note("counter"))
                    for _ in 0..<25 {
                        while true {
                            guard let record = known.record ?? known.serverRecord,
                                case .int64(let count)? = record.fields["n"]
                            else { throw UnexpectedAnswer() }
                            known = try await modify(
                                .update, .note("counter", tag: record.recordChangeTag, [("n", .int64(count + 1))]))
                            if known.record != nil { break }
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        let last = try await modify(.forceUpdate, .note("counter"))
        #expect(last.record?.fields["n"] == .int64(100))
    }

    private final class LogLines: Sendable {
        private let lines = Mutex<[String]>([])
        var all: [String] { lines.withLock { $0 } }
        func append(_ line: String) { lines.withLock { $0.append(line) } }
    }
}
