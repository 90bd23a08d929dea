import Foundation
import WebServices

/// A cloud as one signed-in device sees it: transport, account, environment and the identity of the device. Containers of
/// one cloud share it, so that an account signs in once and its web token rotates in one place.
package final class CloudConnection: Sendable {
    package let transport: any Transport
    package let environment: CloudEnvironment
    /// Appears as `deviceID` of what this device saves.
    package let deviceID: String
    package let account: AccountSession
    package let retryPolicy: RetryPolicy
    package let pushChannels: PushChannels
    package let activities = Activities()
    /// Told when account or network are others than before: what failed for their sake may be tried again.
    package let conditions = Observers()
    private let apiToken: String?
    private let service: StratusCloud.Service

    /// The connection of code that runs inside a test's device: `CKContainer(identifier:)` and `default()` use it.
    @TaskLocal package static var current: CloudConnection?
    /// What `CKContainer.default()` is to such code.
    @TaskLocal package static var defaultContainer: String?

    package init(
        transport: any Transport, account: AccountSession, apiToken: String? = nil,
        environment: CloudEnvironment = .development, service: StratusCloud.Service = .stratus,
        deviceID: String = UUID().uuidString, retryPolicy: RetryPolicy = .standard
    ) {
        self.transport = transport
        self.account = account
        self.apiToken = apiToken
        self.environment = environment
        self.service = service
        self.deviceID = deviceID
        self.retryPolicy = retryPolicy
        pushChannels = PushChannels(activities)
        account.observe { [weak self] in self?.conditionsChanged() }
    }

    /// The network came or went, or somebody signed in or out.
    package func conditionsChanged() {
        pushChannels.interrupt()
        conditions.notify()
    }

    /// Waits at the address of a device's pushes.
    ///
    /// - Returns: nil when time passed without news.
    /// - Throws: `.unknownItem` where the address is no more.
    func poll(
        _ request: CourierPoll.Request, at webcourierURL: String, container: String
    ) async throws(CKError) -> PushNotification? {
        let call = Call(
            container: container, environment: environment, database: .private,
            client: client, operation: .courierPoll(request))
        let reply: Reply
        do throws(TransportError) {
            reply = try await transport.poll(call, at: webcourierURL)
        } catch {
            throw CKError(error, changesState: false)
        }
        switch reply.result {
        case .success(.courierPoll(let notification)): return notification
        case .success: throw CKError.unexpectedAnswer
        case .failure(let error): throw CKError(error)
        }
    }

    /// Sends one operation and gives back the server's answer, after as many attempts as the policy allows.
    package func answer(
        to operation: WebServices.Operation, container: String, database: DatabaseScope, options: RequestOptions
    ) async throws(CKError) -> Answer {
        let operation = service == .stratus ? operation : try operation.asDocumented()
        return try await retrying(options) { () async throws(CKError) in
            try await self.attemptOnce(operation, container: container, database: database, options: options)
        }
    }

    /// As many attempts as the policy allows.
    func retrying<Value: Sendable>(
        _ options: RequestOptions, _ body: () async throws(CKError) -> Value
    ) async throws(CKError) -> Value {
        let started = ContinuousClock.now
        var attempt = 0
        while true {
            do throws(CKError) {
                return try await body()
            } catch {
                attempt += 1
                guard let delay = retryPolicy.delay(error, attempt, options.qualityOfService) else { throw error }
                if let whole = options.resourceTimeout {
                    guard started.duration(to: .now) + .seconds(delay) < .seconds(whole) else { throw error }
                }
                do { try await retryPolicy.sleep(delay) } catch {
                    throw CKError(.operationCancelled, reason: "Cancelled")
                }
            }
        }
    }

    private var client: ClientKind { service == .stratus ? .native(deviceID: deviceID) : .webServices }

    private func attemptOnce(
        _ operation: WebServices.Operation, container: String, database: DatabaseScope, options: RequestOptions
    ) async throws(CKError) -> Answer {
        guard !Task.isCancelled else { throw CKError(.operationCancelled, reason: "The operation was cancelled") }
        var signedInAgain = false
        while true {
            let proof = try await account.proof(
                of: options.accountRevision,
                anonymousAllowed: database == .public && (operation.isRead || account.isServer),
                transport: transport, limits: options.limits)
            let token = proof.token
            let call = Call(
                container: container, environment: environment, database: database,
                credentials: Credentials(apiToken: apiToken, webAuthToken: token),
                client: client, operation: operation)
            let reply: Reply
            do throws(TransportError) {
                reply = try await transport.send(call, limits: options.limits)
            } catch {
                throw CKError(error, changesState: !operation.isRead)
            }
            if let token = reply.webAuthToken { account.rotate(to: token, of: proof.revision) }
            switch reply.result {
            case .success(let answer):
                return answer
            case .failure(let error):
                let refused = error.code == .authenticationFailed || error.code == .authenticationRequired
                if refused, let token, account.expire(token), !signedInAgain {
                    signedInAgain = true
                    continue
                }
                throw CKError(error)
            }
        }
    }
}

/// What an operation's configuration asks of each of its requests.
package struct RequestOptions: Sendable {
    package var limits: RequestLimits
    package var qualityOfService: QualityOfService
    /// Seconds for the whole operation with its retries; nil has no end.
    package var resourceTimeout: Double?
    /// Where the requests belong to one account and may reach no other: its revision.
    package var accountRevision: UInt64?

    package init(
        limits: RequestLimits = RequestLimits(), qualityOfService: QualityOfService = .userInitiated,
        resourceTimeout: Double? = nil
    ) {
        self.limits = limits
        self.qualityOfService = qualityOfService
        self.resourceTimeout = resourceTimeout
    }
}

extension WebServices.Operation {
    /// Whether sending it twice, or not knowing whether it arrived, is harmless.
    package var isRead: Bool {
        switch self {
        case .recordsModify, .zonesModify, .subscriptionsModify, .assetsUpload: false
        default: true
        }
    }
}
