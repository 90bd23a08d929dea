import Synchronization
import WebServices

@testable import CloudKit

/// A transport whose answers a test writes itself.
final class StubTransport: Transport {
    typealias Answering = @Sendable (Call, Int) async throws(TransportError) -> Result<Answer, ServerError>

    private let answering: Answering
    private let seen = Mutex<[(call: Call, limits: RequestLimits)]>([])

    init(_ answering: @escaping Answering) {
        self.answering = answering
    }

    var calls: [Call] { seen.withLock { $0.map(\.call) } }
    var limits: [RequestLimits] { seen.withLock { $0.map(\.limits) } }

    func send(_ call: Call, limits: RequestLimits) async throws(TransportError) -> Reply {
        let number = seen.withLock { seen in
            seen.append((call, limits))
            return seen.count
        }
        let result = try await answering(call, number)
        // Like a server that no longer knows the caller: an error brings no token.
        if case .failure = result { return Reply(result) }
        return Reply(result, webAuthToken: "token-\(number)")
    }

    func signIn(account: String, password: String, limits: RequestLimits) async throws(TransportError) -> SignInReply {
        SignInReply(
            password == "right"
                ? .success("signed-in") : .failure(ServerError(.authenticationFailed, "Authentication failed")))
    }

    func container(
        account: StratusCloud.Account = .webAuthToken("token"), retryPolicy: RetryPolicy = .standard
    ) -> CKContainer {
        CKContainer(
            identifier: "iCloud.test",
            connection: CloudConnection(
                transport: self, account: AccountSession(account), deviceID: "device", retryPolicy: retryPolicy))
    }
}

extension Answer {
    /// An answer to whatever reads or writes records: each as it was asked for.
    static func echo(_ call: Call) -> Result<Answer, ServerError> {
        switch call.operation {
        case .recordsModify(let request):
            .success(.recordsModify(RecordsModify.Response(records: request.operations.map { .record($0.record) })))
        case .recordsLookup(let request):
            .success(
                .recordsLookup(
                    RecordsLookup.Response(
                        records: request.records.map { .record(Record(recordName: $0.recordName, recordType: "T")) })))
        case .usersCaller: .success(.user(UserResponse(userRecordName: "_me")))
        default: .failure(ServerError(.badRequest, "not expected"))
        }
    }
}
