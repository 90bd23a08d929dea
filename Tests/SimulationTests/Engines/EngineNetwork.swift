import Foundation
import Synchronization
import WebServices

@testable import CloudKit
@testable import CloudServer

/// What lies between devices and server: requests meet faults here, and pushes wait here until they are delivered.
final class EngineNetwork {
    let server: RestartableServer
    /// Seconds.
    private(set) var time = 0.0
    var trace: [String] = []
    var ledger: EngineLedger
    private var credentials: [String: Credentials] = [:]
    private var recordNames: [String: String] = [:]
    private var faults: [Int: [EngineAction.Fault]] = [:]
    private var partitioned: Set<Int> = []
    private var delayed: [DelayedRequest] = []
    private struct DelayedRequest {
        var actions: Int
        var operation: WebServices.Operation
        var user: String
        var device: EngineDevice
    }

    /// The first thing that must not happen and did.
    private(set) var violation: Violation?
    /// Stands between the devices and the server: a planted bug.
    private let wrap: (@escaping CallHandler) -> CallHandler

    init(
        seed: UInt64, devices: Int, wrap: @escaping (@escaping CallHandler) -> CallHandler = { $0 }
    ) throws {
        server = try RestartableServer(seed: seed)
        ledger = EngineLedger(devices: devices)
        self.wrap = wrap
        for user in EngineAction.User.allCases {
            let name = user.rawValue
            credentials[name] = Credentials(
                apiToken: RestartableServer.apiToken, webAuthToken: try server.signIn(name))
            if case .success(.user(let found)) = call(.usersCaller, user: name, device: "setup").result {
                recordNames[name] = found.userRecordName
            }
        }
    }

    func pass(_ seconds: Double) { time += seconds }

    // MARK: Faults

    func arm(_ fault: EngineAction.Fault, for device: Int) { faults[device, default: []].append(fault) }
    func partition(_ device: Int) { partitioned.insert(device) }
    func reconnect(_ device: Int) { partitioned.remove(device) }

    func heal() {
        faults = [:]
        partitioned = []
    }

    /// What was delayed arrives when its time has come.
    func deliverLate(all: Bool = false) {
        for index in delayed.indices { delayed[index].actions -= 1 }
        let due = delayed.filter { all || $0.actions <= 0 }
        delayed.removeAll { all || $0.actions <= 0 }
        for request in due { _ = deliver(request.operation, request.user, request.device) }
    }

    // MARK: Requests

    func account(of device: EngineDevice) -> Result<String?, CKError> {
        guard device.user != nil else { return .success(nil) }
        if let armed = faults[device.index]?.first, armed == .accountUnavailable {
            faults[device.index]?.removeFirst()
            trace.append("\(device.name) account unavailable")
            return .failure(CKError(.accountTemporarilyUnavailable))
        }
        return .success(device.user)
    }

    /// - Parameter account: whose data the request is about; nil for whoever is signed in.
    func send(
        _ operation: WebServices.Operation, from device: EngineDevice, of account: String?
    ) -> Result<Answer, CKError> {
        guard let user = device.user, account == nil || account == user else {
            return .failure(CKError(.notAuthenticated))
        }
        guard !partitioned.contains(device.index) else {
            trace.append("\(device.name) \(operation.path) cut off")
            return .failure(CKError(.networkUnavailable))
        }
        guard let fault = faults[device.index]?.first else { return deliver(operation, user, device) }
        faults[device.index]?.removeFirst()
        trace.append("\(device.name) \(operation.path) \(fault)")
        return meet(fault, operation, user, device)
    }

    private func meet(
        _ fault: EngineAction.Fault, _ operation: WebServices.Operation, _ user: String, _ device: EngineDevice
    ) -> Result<Answer, CKError> {
        let lost = CKError(operation.isRead ? .networkFailure : .serverResponseLost)
        switch fault {
        case .lost: return .failure(CKError(.networkFailure))
        case .answerLost:
            _ = deliver(operation, user, device)
            return .failure(lost)
        case .answerCut: return cut(deliver(operation, user, device), operation)
        case .late(let actions):
            delayed.append(DelayedRequest(actions: actions, operation: operation, user: user, device: device))
            return .failure(lost)
        case .twice(let takesFirst):
            let first = deliver(operation, user, device)
            let second = deliver(operation, user, device)
            return takesFirst ? first : second
        case .serverDiesBefore:
            restart()
            return .failure(lost)
        case .serverDiesAfter:
            _ = deliver(operation, user, device)
            restart()
            return .failure(lost)
        case .busy: return .failure(CKError(.zoneBusy))
        case .limited(let seconds):
            return .failure(CKError(.requestRateLimited, reason: nil, retryAfter: Double(seconds)))
        case .unavailable, .accountUnavailable: return .failure(CKError(.serviceUnavailable))
        case .quota where !operation.isRead: return .failure(CKError(.quotaExceeded))
        case .tooLarge where operation.itemCount > 1: return .failure(CKError(.limitExceeded))
        case .oneRecordBusy: return deliverAllButOne(operation, user, device)
        case .quota, .tooLarge: return deliver(operation, user, device)
        }
    }

    /// The first record of several meets an error of its own.
    private func deliverAllButOne(
        _ operation: WebServices.Operation, _ user: String, _ device: EngineDevice
    ) -> Result<Answer, CKError> {
        guard case .recordsModify(var request) = operation, request.operations.count > 1, request.atomic != true else {
            return deliver(operation, user, device)
        }
        let refused = request.operations.removeFirst()
        let error = ServerError(.tryAgainLater, "busy")
        return deliver(.recordsModify(request), user, device).map { answer in
            guard case .recordsModify(var response) = answer else { return answer }
            let failed = RecordResult.failure(recordName: refused.record.recordName, error, conflict: .absent)
            response.records.insert(failed, at: 0)
            return .recordsModify(response)
        }
    }

    private func deliver(
        _ operation: WebServices.Operation, _ user: String, _ device: EngineDevice
    ) -> Result<Answer, CKError> {
        let reply = call(operation, user: user, device: device.name)
        trace.append("\(device.name) \(operation.path) \(Self.summary(operation, reply))")
        do { try ledger.follow(operation, reply, user: user, device: device.index) } catch {
            violation = violation ?? error
        }
        return reply.result.mapError { CKError($0) }
    }

    /// Half of an answer is none, and never the answer to something less.
    private func cut(
        _ answer: Result<Answer, CKError>, _ operation: WebServices.Operation
    ) -> Result<Answer, CKError> {
        guard case .success(let whole) = answer else { return answer }
        let bytes = Reply(.success(whole)).encode().body
        if let read = try? Answer(to: operation, body: Array(bytes.prefix(bytes.count / 2))) {
            violation = violation ?? Violation("half of an answer of \(operation.path) was read as \(read)")
        }
        return .failure(CKError(.notUnderstood(status: 200, "cut off"), changesState: !operation.isRead))
    }

    /// A client without an engine: it knows no tags and overwrites.
    func writeElsewhere(_ recordID: CKRecord.ID, _ value: Int64, of user: EngineAction.User) {
        var fields = FieldsBuilder()
        fields.append("value", .int64(value))
        if recordID.zoneID.zoneName == EngineAction.Zone.work.rawValue {
            fields.append("secret", .int64(value), isEncrypted: true)
        }
        let record = Record(recordName: recordID.recordName, recordType: "Note", fields: fields.finish())
        let operation = WebServices.Operation.recordsModify(
            .init(operations: [.init(.forceUpdate, record)], zoneID: ZoneID(recordID.zoneID)))
        let reply = call(operation, user: user.rawValue, device: "elsewhere")
        trace.append("elsewhere \(operation.path) \(Self.summary(operation, reply))")
        do { try ledger.follow(operation, reply, user: user.rawValue, device: nil) } catch {
            violation = violation ?? error
        }
    }

    private func call(_ operation: WebServices.Operation, user: String, device: String) -> Reply {
        let call = Call(
            container: World.container, database: .private, credentials: credentials[user] ?? Credentials(),
            client: .native(deviceID: device), operation: operation)
        let answered = InlineAnswer()
        wrap(server.handle)(call) { reply in answered.reply.withLock { $0 = reply } }
        server.server.push.settle()
        return answered.reply.withLock { $0 } ?? Reply(.failure(ServerError(.internalError, "no answer")))
    }

    // MARK: The server

    func restart(_ change: (inout RestartableServer.Settings) -> Void = { _ in }) {
        do { try server.restart(change) } catch {
            violation = violation ?? Violation("the server does not start: \(error)")
        }
    }

    /// The server's own sums are those of what it has.
    func checkCounts() throws {
        for owner in recordNames.values.sorted() { try server.checkCounts(owner: owner) }
    }

    func removeZone(_ user: EngineAction.User, _ zone: EngineAction.Zone, _ removal: EngineAction.Removal) throws {
        guard let owner = recordNames[user.rawValue] else { return }
        let reason: ZoneDeletionReason =
            switch removal {
            case .deleted: .deleted
            case .purged: .purged
            case .encryptedDataReset: .encryptedDataReset
            }
        guard try server.removeZone(owner: owner, name: zone.rawValue, reason: reason) else { return }
        ledger.zoneRemoved(zone.rawValue, of: user.rawValue, removal.reason)
        server.server.push.zonesChanged(
            [ChangedZone(zone.rawValue, recordTypes: nil)],
            of: PushOwner(
                realm: PushRealm(container: World.container, environment: .development), userRecordName: owner),
            by: nil)
        server.server.push.settle()
    }

    /// As an operator does it, or the account's page.
    func erase(_ user: EngineAction.User, _ removal: EngineAction.Removal) throws {
        let name = user.rawValue
        let erased = try server.erase(name, removal)
        trace.append("\(name) \(removal): \(erased)")
        let secrets = ledger.accounts[name]?.live.keys.contains { $0.zoneID == EngineAction.Zone.work.zoneID } ?? false
        let isWhole =
            switch removal {
            case .encryptedDataReset:
                erased.allSatisfy { $0 == EngineAction.Zone.work.rawValue } && (!secrets || !erased.isEmpty)
            case .deleted, .purged: zones(of: name).isEmpty
            }
        guard isWhole else { throw Violation("\(erased) of \(name) went, as \(removal)") }
        for zone in erased { ledger.zoneRemoved(zone, of: name, removal.reason) }
        server.server.push.settle()
    }

    /// The zones that are there.
    func zones(of user: String) -> Set<CKRecordZone.ID> {
        guard case .success(.zones(let response)) = call(.zonesList, user: user, device: "checker").result else {
            return []
        }
        return Set(response.zones.map { $0.zoneID.recordZoneID(in: .private) }.filter { $0.zoneName != "_defaultZone" })
    }

    func violate(_ what: String) { violation = violation ?? Violation(what) }

    // MARK: Pushes

    /// Saves the engine's subscription, where it is not known to be there.
    ///
    /// - Returns: What keeps it from being there.
    func subscribe(_ device: EngineDevice) -> CKError? {
        guard let user = device.user, device.subscribedUser != user else { return nil }
        let subscription = Subscription(subscriptionID: "CKSyncEngine", .database, notificationInfo: NotificationInfo())
        let request = SubscriptionsModify.Request(operations: [.create(subscription)])
        switch send(.subscriptionsModify(request), from: device, of: nil) {
        case .success: device.subscribedUser = user
        case .failure(let error): return error
        }
        return nil
    }

    /// The device's long poll, begun if it is not there.
    func listen(_ device: EngineDevice) {
        collect(device)
        if device.courier.address == nil {
            let request = TokensCreate.Request(apnsEnvironment: .development, clientID: device.name)
            guard case .success(.tokensCreate(let response)) = send(.tokensCreate(request), from: device, of: nil)
            else { return }
            device.courier.address = response.webcourierURL
            device.courier.lastNotificationID = ""
            // A server that had forgotten the device may have forgotten its subscription too.
            device.subscribedUser = nil
            device.serverMayHaveChanges()
        }
        // What has arrived is handed out before the next poll.
        guard let address = device.courier.address, device.courier.poll == nil, device.courier.arrived.isEmpty,
            !partitioned.contains(device.index)
        else { return }
        let poll = InlineAnswer()
        device.courier.poll = poll
        let request = CourierPoll.Request(webcourierURL: address, after: device.courier.lastNotificationID)
        let call = Call(
            container: World.container, database: .private, client: .native(deviceID: device.name),
            operation: .courierPoll(request))
        server.handle(call) { reply in poll.reply.withLock { $0 = reply } }
        server.server.push.settle()
        collect(device)
        // The address was forgotten: it makes another.
        if device.courier.address == nil { listen(device) }
    }

    /// Takes what has come over the poll.
    func collect(_ device: EngineDevice) {
        guard let reply = device.courier.poll?.reply.withLock({ $0 }) else { return }
        device.courier.poll = nil
        // What was said into a broken line is lost.
        guard !partitioned.contains(device.index) else { return }
        switch reply.result {
        case .success(.courierPoll(let notification?)):
            trace.append("\(device.name) is pushed")
            device.courier.arrived.append(notification)
        case .failure(let error) where error.code == .notFound: device.courier.address = nil
        case .failure(let error): trace.append("\(device.name) polls in vain: \(error.reason)")
        default: break
        }
    }

    private static func summary(_ operation: WebServices.Operation, _ reply: Reply) -> String {
        switch (operation, reply.result) {
        case (.tokensCreate, .success): "made"
        case (_, .failure(let error)): "\(error.code.name) \(error.extensionCode?.rawValue ?? "")"
        case (_, .success(.recordsModify)), (_, .success(.changesZone)):
            String(decoding: reply.encode().body, as: UTF8.self)
        case (_, .success): "done"
        }
    }
}

/// How a device hears of pushes: one long poll at a time.
struct EngineCourier {
    var address: String?
    var lastNotificationID = ""
    var poll: InlineAnswer?
    var arrived: [PushNotification] = []
}

/// Where an answer is put down, now or later.
final class InlineAnswer: Sendable {
    let reply = Mutex<Reply?>(nil)
}

extension EngineAction.Removal {
    var reason: CKDatabase.DatabaseChange.Deletion.Reason {
        switch self {
        case .deleted: .deleted
        case .purged: .purged
        case .encryptedDataReset: .encryptedDataReset
        }
    }
}

extension WebServices.Operation {
    fileprivate var itemCount: Int {
        switch self {
        case .recordsModify(let request): request.operations.count
        case .zonesModify(let request): request.operations.count
        default: 1
        }
    }
}
