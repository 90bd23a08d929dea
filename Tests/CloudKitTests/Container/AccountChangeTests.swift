import Foundation
import Synchronization
import Testing
import WebServices

@testable import CloudKit

@Suite("Sign-ins and sign-outs are seen")
struct AccountChangeTests {
    @Test("Signing in, signing out, another status and a refused token are announced")
    func session() {
        let session = AccountSession()
        let count = Mutex(0)
        session.observe { count.withLock { $0 += 1 } }
        session.replace(with: .none)
        #expect(count.withLock { $0 } == 0, "nobody was signed in before either")
        session.replace(with: .webAuthToken("one"))
        #expect(count.withLock { $0 } == 1)
        session.setStatus(.temporarilyUnavailable)
        session.setStatus(.temporarilyUnavailable)
        #expect(count.withLock { $0 } == 2)
        session.setStatus(.available)
        #expect(count.withLock { $0 } == 3)
        #expect(!session.expire("one"))
        #expect(count.withLock { $0 } == 4)
        #expect(session.revision == 4)
        #expect(session.status == .noAccount)
    }

    @Test("CKAccountChanged is posted")
    func notification() async {
        let session = AccountSession(.webAuthToken("one"))
        // Other tests' devices may post it too: at least one comes.
        let (posted, continuation) = AsyncStream.makeStream(of: Void.self)
        let observer = NotificationCenter.default.addObserver(forName: .CKAccountChanged, object: nil, queue: nil) {
            _ in continuation.yield()
        }
        session.replace(with: .none)
        var iterator = posted.makeAsyncIterator()
        #expect(await iterator.next() != nil)
        NotificationCenter.default.removeObserver(observer)
    }

    @Test("The account that a sync engine began with holds to the end: nothing of it reaches another one")
    func boundAccount() async throws {
        let stub = StubTransport { call, _ throws(TransportError) in Answer.echo(call) }
        let container = stub.container(account: .webAuthToken("one"))
        let requests = SyncRequests(database: container.privateCloudDatabase)
        #expect(try await requests.bindAccount().get() == "_me")
        let zoneID = CKRecordZone.ID(zoneName: "Notes")
        let record = CKRecord(recordType: "T", recordID: CKRecord.ID(recordName: "a", zoneID: zoneID))
        let request = SyncMachine.RecordRequest(zoneID: zoneID, saves: [record], isAtomic: false)
        let before = stub.calls.count
        try container.core.connection().account.replace(with: .webAuthToken("two"))
        #expect(await requests.modifyRecords(request).failure?.code == .notAuthenticated)
        #expect(stub.calls.count == before, "nothing was sent")
        _ = try await requests.bindAccount().get()
        #expect(await requests.modifyRecords(request).failure == nil)
        #expect(stub.calls.allSatisfy { $0.credentials.webAuthToken != "one" || $0.operation.isRead })
    }

    @Test("A fresh token that comes after another sign-in is not taken for the new account's")
    func lateToken() async throws {
        let session = AccountSession(.webAuthToken("one"))
        let stub = StubTransport { call, number throws(TransportError) in
            if number == 1 { session.replace(with: .webAuthToken("two")) }
            return Answer.echo(call)
        }
        let connection = CloudConnection(transport: stub, account: session)
        let lookup = WebServices.Operation.recordsLookup(.init(records: [.init(recordName: "a")]))
        for _ in 0..<2 {
            _ = try await connection.answer(
                to: lookup, container: "iCloud.test", database: .private, options: RequestOptions())
        }
        #expect(stub.calls.map(\.credentials.webAuthToken) == ["one", "two"])
    }

    @Test("The credentials file signs in and out; a refreshed token changes nobody")
    func credentialsFile() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("account-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("credentials.json")
        var stored = CredentialsFile(url: "http://one", apiToken: "t", account: "alice", webAuthToken: "w1")
        try stored.write(to: file)
        let connections = CloudConnections()
        let variables = ["STRATUS_CREDENTIALS": file.path]
        let first = try connections.connectionToSurroundings(variables)
        first.account.userRecordName = "_alice"

        stored.webAuthToken = "w2"
        try stored.write(to: file)
        #expect(try connections.connectionToSurroundings(variables) === first)
        #expect(first.account.userRecordName == "_alice", "still the same account")

        stored.account = "bob"
        stored.webAuthToken = "w3"
        try stored.write(to: file)
        #expect(try connections.connectionToSurroundings(variables) === first)
        #expect(first.account.userRecordName == nil, "another account")

        try FileManager.default.removeItem(at: file)
        #expect(throws: CKError.self) { try connections.connectionToSurroundings(variables) }
        #expect(first.account.status == .noAccount)

        try stored.write(to: file)
        #expect(try connections.connectionToSurroundings(variables) === first)
        #expect(first.account.status == .available)
    }
}
