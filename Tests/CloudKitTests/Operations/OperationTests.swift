import Foundation
import Synchronization
import Testing
import WebServices

@testable import CloudKit

@Suite("Operations") struct OperationTests {
    private let stub = StubTransport { call, _ in Answer.echo(call) }

    @Test("Blocks come one at a time, the result last, then completionBlock, off the main thread")
    func order() async {
        let container = stub.container()
        let records = (0..<20).map { CKRecord(recordType: "T", recordID: CKRecord.ID(recordName: "r\($0)")) }
        let operation = CKModifyRecordsOperation(recordsToSave: records)
        let log = Mutex<[String]>([])
        operation.perRecordSaveBlock = { recordID, _ in
            #expect(!Thread.isMainThread)
            log.withLock { $0.append(recordID.recordName) }
        }
        operation.modifyRecordsResultBlock = { _ in
            #expect(!operation.isFinished)
            log.withLock { $0.append("result") }
        }
        await withCheckedContinuation { continuation in
            operation.completionBlock = { continuation.resume() }
            container.privateCloudDatabase.add(operation)
        }
        #expect(log.withLock { $0 } == records.map(\.recordID.recordName) + ["result"])
        #expect(operation.isFinished)
    }

    @Test("A dependent operation starts when the first one's blocks have run")
    func dependencies() async {
        let container = stub.container()
        let first = CKFetchRecordsOperation(recordIDs: [CKRecord.ID(recordName: "a")])
        let second = CKFetchRecordsOperation(recordIDs: [CKRecord.ID(recordName: "b")])
        second.addDependency(first)
        let log = Mutex<[String]>([])
        first.fetchRecordsResultBlock = { _ in log.withLock { $0.append("first") } }
        await withCheckedContinuation { continuation in
            second.fetchRecordsResultBlock = { _ in
                log.withLock { $0.append("second") }
                continuation.resume()
            }
            container.privateCloudDatabase.add(second)
            container.privateCloudDatabase.add(first)
        }
        #expect(log.withLock { $0 } == ["first", "second"])
    }

    @Test("A cancelled operation ends with operationCancelled, started or not", arguments: [true, false])
    func cancel(_ started: Bool) async {
        let (arrivals, arrived) = AsyncStream.makeStream(of: Void.self)
        let hanging = StubTransport { _, _ throws(TransportError) in
            arrived.yield()
            try? await Task.sleep(for: .seconds(3600))
            throw .cancelled
        }
        let operation = CKFetchRecordsOperation(recordIDs: [CKRecord.ID(recordName: "a")])
        if !started { operation.cancel() }
        let result = await withCheckedContinuation { continuation in
            operation.fetchRecordsResultBlock = { continuation.resume(returning: $0) }
            hanging.container().privateCloudDatabase.add(operation)
            if started {
                Task {
                    for await _ in arrivals { break }
                    operation.cancel()
                }
            }
        }
        #expect((result.failure as? CKError)?.code == .operationCancelled)
        #expect(operation.isCancelled)
        if !started { #expect(hanging.calls.isEmpty) }
    }

    @Test("Cancelling the task of an async call gives operationCancelled")
    func cancelTask() async {
        let (arrivals, arrived) = AsyncStream.makeStream(of: Void.self)
        let hanging = InProcessTransport { _, _ in arrived.yield() }
        let connection = CloudConnection(transport: hanging, account: AccountSession(.webAuthToken("t")))
        let database = CKContainer(identifier: "iCloud.test", connection: connection).privateCloudDatabase
        let task = Task { try await database.record(for: CKRecord.ID(recordName: "a")) }
        for await _ in arrivals { break }
        task.cancel()
        let error = await #expect(throws: CKError.self) { try await task.value }
        #expect(error?.code == .operationCancelled)
    }

    @Test("The operation's configuration wins over its group's, and both over what the database was configured with")
    func configuration() async throws {
        let group = CKOperationGroup()
        group.defaultConfiguration.timeoutIntervalForRequest = 20
        group.defaultConfiguration.allowsCellularAccess = false
        let outer = CKOperation.Configuration()
        outer.timeoutIntervalForRequest = 40
        let database = stub.container().privateCloudDatabase
        try await database.configuredWith(configuration: outer) { database in
            _ = try await database.record(for: CKRecord.ID(recordName: "a"))
            for own in [nil, 5.0] {
                let operation = CKFetchRecordsOperation(recordIDs: [CKRecord.ID(recordName: "a")])
                operation.group = group
                if let own { operation.configuration.timeoutIntervalForRequest = own }
                await withCheckedContinuation { continuation in
                    operation.fetchRecordsResultBlock = { _ in continuation.resume() }
                    database.add(operation)
                }
            }
        }
        #expect(stub.limits.map(\.timeout) == [40, 20, 5])
        #expect(stub.limits.map(\.allowsCellularAccess) == [true, false, false])
    }

    @Test("Only utility and background work is retried after network errors, as long as the server asks")
    func retries() async {
        let waits = Mutex<[Double]>([])
        var policy = RetryPolicy.standard
        policy.sleep = { seconds in waits.withLock { $0.append(seconds) } }
        for (qualityOfService, attempts) in [(QualityOfService.userInitiated, 1), (.default, 1), (.utility, 3)] {
            let flaky = StubTransport { call, number throws(TransportError) in
                if number == 1 { throw .unreachable("") }
                if number == 2 { return .failure(ServerError(.tryAgainLater, "", retryAfter: 7)) }
                return Answer.echo(call)
            }
            let operation = CKFetchRecordsOperation(recordIDs: [CKRecord.ID(recordName: "a")])
            operation.configuration.qualityOfService = qualityOfService
            let result = await withCheckedContinuation { continuation in
                operation.fetchRecordsResultBlock = { continuation.resume(returning: $0) }
                flaky.container(retryPolicy: policy).privateCloudDatabase.add(operation)
            }
            #expect(flaky.calls.count == attempts)
            #expect((result.failure == nil) == (attempts == 3))
        }
        #expect(waits.withLock { $0 }.last == 7)
    }

    @Test("The token of each answer goes with the next request; the device names itself")
    func rotation() async throws {
        let database = stub.container().privateCloudDatabase
        for _ in 0..<2 { _ = try await database.record(for: CKRecord.ID(recordName: "a")) }
        #expect(stub.calls.map(\.credentials.webAuthToken) == ["token", "token-1"])
        #expect(stub.calls.allSatisfy { $0.client == .native(deviceID: "device") })
    }

    @Test("A password signs in at the first request, and again when the token has run out")
    func signsIn() async throws {
        let once = StubTransport { call, number in
            number == 2 ? .failure(ServerError(.authenticationRequired, "")) : Answer.echo(call)
        }
        let database = once.container(account: .password(account: "a", password: "right")).privateCloudDatabase
        for _ in 0..<2 { _ = try await database.record(for: CKRecord.ID(recordName: "a")) }
        #expect(once.calls.map(\.credentials.webAuthToken) == ["signed-in", "token-1", "signed-in"])

        let wrong = stub.container(account: .password(account: "a", password: "wrong"))
        #expect(try await wrong.accountStatus() == .noAccount)
        let error = await #expect(throws: CKError.self) {
            try await wrong.privateCloudDatabase.record(for: CKRecord.ID(recordName: "a"))
        }
        #expect(error?.code == .notAuthenticated)
    }

    @Test("A refused token ends the account: notAuthenticated, then noAccount")
    func refusedToken() async throws {
        let refusing = StubTransport { _, _ in .failure(ServerError(.authenticationFailed, "")) }
        let container = refusing.container()
        let error = await #expect(throws: CKError.self) {
            try await container.privateCloudDatabase.record(for: CKRecord.ID(recordName: "a"))
        }
        #expect(error?.code == .notAuthenticated)
        #expect(try await container.accountStatus() == .noAccount)
    }

    @Test("A token that stands still while more is promised ends the paging")
    func standingStill() async {
        let still = StubTransport { _, _ in
            .success(
                .changesZone(
                    ChangesZone.Response(zones: [
                        .page(ChangesZone.Page(zoneID: ZoneID(), records: [], syncToken: "t", moreComing: true))
                    ])))
        }
        let operation = CKFetchRecordZoneChangesOperation(recordZoneIDs: [.default])
        let result = await withCheckedContinuation { continuation in
            operation.recordZoneFetchResultBlock = { _, result in continuation.resume(returning: result) }
            still.container().privateCloudDatabase.add(operation)
        }
        #expect((result.failure as? CKError)?.code == .internalError)
        #expect(still.calls.count == 2)
    }

    @Test("A conflict without the server's record is completed by a look-up")
    func conflictLookup() async {
        let plain = StubTransport { call, _ in
            guard case .recordsModify = call.operation else { return Answer.echo(call) }
            let conflict = RecordResult.failure(
                recordName: "a", ServerError(.conflict, "client oplock error updating record"), conflict: .absent)
            return .success(.recordsModify(RecordsModify.Response(records: [conflict])))
        }
        let record = CKRecord(recordType: "T", recordID: CKRecord.ID(recordName: "a"))
        let error = await #expect(throws: CKError.self) {
            try await plain.container().privateCloudDatabase.save(record)
        }
        #expect(error?.code == .serverRecordChanged)
        #expect(error?.serverRecord?.recordID == record.recordID)
    }

    @Test(
        "Without a database, an operation runs in its configuration's container, else in its group's",
        arguments: [true, false])
    func container(_ inGroup: Bool) async {
        let operation = CKFetchRecordsOperation(recordIDs: [CKRecord.ID(recordName: "a")])
        if inGroup {
            let group = CKOperationGroup()
            group.defaultConfiguration.container = stub.container()
            operation.group = group
        } else {
            operation.configuration.container = stub.container()
        }
        let result = await withCheckedContinuation { continuation in
            operation.fetchRecordsResultBlock = { continuation.resume(returning: $0) }
            OperationQueue().addOperation(operation)
        }
        #expect(result.failure == nil)
        #expect(stub.calls.map(\.database) == [.private])
    }

    @Test("A request takes no longer than the whole operation may")
    func resourceTimeout() async throws {
        let configuration = CKOperation.Configuration()
        configuration.timeoutIntervalForResource = 5
        _ = try await stub.container().privateCloudDatabase.configuredWith(configuration: configuration) {
            try await $0.record(for: CKRecord.ID(recordName: "a"))
        }
        #expect(stub.limits.map(\.timeout) == [5])
    }

    @Test("Inside a test's device, CKContainer.default() is the device's in blocks and completion handlers too")
    func surroundings() async throws {
        let connection = try stub.container().core.connection()
        let identifiers: [String?] = await CloudConnection.$current.withValue(connection) {
            await CloudConnection.$defaultContainer.withValue("iCloud.test") {
                let operation = CKFetchRecordsOperation(recordIDs: [CKRecord.ID(recordName: "a")])
                let inBlock: String? = await withCheckedContinuation { continuation in
                    operation.fetchRecordsResultBlock = { _ in
                        continuation.resume(returning: CKContainer.default().containerIdentifier)
                    }
                    OperationQueue().addOperation(operation)
                }
                let inHandler: String? = await withCheckedContinuation { continuation in
                    CKContainer.default().accountStatus { _, _ in
                        continuation.resume(returning: CKContainer.default().containerIdentifier)
                    }
                }
                return [inBlock, inHandler]
            }
        }
        #expect(identifiers == ["iCloud.test", "iCloud.test"])
        #expect(stub.calls.count == 2)
    }

    @Test("No long-lived operation outlives its process")
    func longLived() async throws {
        let container = stub.container()
        #expect(try await container.allLongLivedOperationIDs().isEmpty)
        let found = await withCheckedContinuation { continuation in
            container.fetchLongLivedOperation(withID: "operation") { operation, error in
                continuation.resume(returning: operation != nil || error != nil)
            }
        }
        #expect(!found)
    }

    @Test("An operation group survives an archive")
    func group() throws {
        let group = CKOperationGroup()
        group.name = "import"
        group.quantity = 3
        group.expectedSendSize = .megabytes
        let data = try NSKeyedArchiver.archivedData(withRootObject: group, requiringSecureCoding: true)
        let restored = try #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: CKOperationGroup.self, from: data))
        #expect(restored.operationGroupID == group.operationGroupID)
        #expect(restored.name == "import")
        #expect(restored.quantity == 3)
        #expect(restored.expectedSendSize == .megabytes)
        group.name = nil
        let nameless = try NSKeyedArchiver.archivedData(withRootObject: group, requiringSecureCoding: true)
        let other = try #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: CKOperationGroup.self, from: nameless))
        #expect(other.operationGroupID == group.operationGroupID && other.name == nil)
    }
}
