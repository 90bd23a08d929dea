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

    @Test("A late refusal of a token is nothing to whoever signed out meanwhile")
    func lateRefusal() {
        let session = AccountSession(.webAuthToken("one"))
        session.replace(with: .none)
        #expect(!session.expire("one"))
        #expect(!session.hasRunOut && session.revision == 1)
    }
}
