import Dispatch
import Synchronization
import Testing
import WebServices

@testable import CloudServer

extension TestDevice {
    func subscriptions(
        _ operations: [SubscriptionsModify.Operation], in database: DatabaseScope = .private
    ) throws -> [SubscriptionResult] {
        let operation = ServerOperation.subscriptionsModify(.init(operations: operations))
        guard case .subscriptions(let response) = try answer(operation, in: database) else { throw UnexpectedAnswer() }
        return response.subscriptions
    }

    /// Subscribes, which has to succeed.
    @discardableResult
    func subscribe(
        _ kind: Subscription.Kind = .database, as name: String = "changes", recordType: String? = nil,
        in database: DatabaseScope = .private
    ) throws -> Subscription {
        var info = NotificationInfo()
        info.shouldSendContentAvailable = true
        let subscription = Subscription(
            subscriptionID: name, kind, recordType: recordType, notificationInfo: info)
        return try subscriptions([.create(subscription)], in: database)[0].get()
    }

    func listedSubscriptions(in database: DatabaseScope = .private) throws -> [String] {
        guard case .subscriptions(let response) = try answer(.subscriptionsList, in: database) else {
            throw UnexpectedAnswer()
        }
        return response.subscriptions.map(\.subscriptionID)
    }

    func makeToken(client clientID: String? = nil) throws -> TokensCreate.Response {
        let request = TokensCreate.Request(apnsEnvironment: .development, clientID: clientID)
        guard case .tokensCreate(let response) = try answer(.tokensCreate(request)) else { throw UnexpectedAnswer() }
        return response
    }

    /// Begins a poll, which no credentials need.
    func poll(_ token: TokensCreate.Response, after: String? = nil) -> TestPoll {
        poll(CourierPoll.Request(webcourierURL: token.webcourierURL, after: after))
    }

    func poll(_ request: CourierPoll.Request) -> TestPoll {
        let poll = TestPoll()
        cloud.server.handle(
            Call(
                container: TestCloud.container, environment: environment, database: .private,
                operation: .courierPoll(request))
        ) { poll.set($0) }
        return poll
    }

    func touch(_ zone: String, _ record: String = "a", type: String = "Note") throws {
        try save(.forceReplace, Record(recordName: record, recordType: type), in: ZoneID(zoneName: zone))
    }

    func named(_ deviceID: String) -> TestDevice {
        var device = self
        device.client = .native(deviceID: deviceID)
        return device
    }
}

/// A poll under way.
final class TestPoll: Sendable {
    private let value = Mutex<Reply?>(nil)
    private let answered = DispatchSemaphore(value: 0)

    func set(_ reply: Reply) {
        value.withLock { $0 = reply }
        answered.signal()
    }

    /// Whether it still waits, once everything that was committed has been told.
    func isWaiting(_ cloud: TestCloud) -> Bool {
        cloud.server.push.settle()
        return value.withLock { $0 == nil }
    }

    /// Waits for the answer: nil is one without news.
    func notification() throws -> PushNotification? {
        try #require(answered.wait(timeout: .now() + 30) == .success, "the poll was not answered")
        let reply = try #require(value.withLock { $0 })
        guard case .courierPoll(let notification) = try reply.result.get() else { throw UnexpectedAnswer() }
        return notification
    }

    /// Waits for an answer with news.
    func news() throws -> PushNotification { try #require(try notification()) }

    func error() throws -> ServerError {
        do {
            _ = try notification()
        } catch let error as ServerError {
            return error
        }
        throw UnexpectedAnswer()
    }
}

extension PushNotification {
    var subscriptionID: String {
        switch content {
        case .zone(_, let name, _), .database(let name, _, _), .query(_, _, let name, _, _): name
        }
    }

    /// The names of the zones that it tells of.
    var zones: [String] {
        switch content {
        case .zone(let zone, _, _), .query(_, let zone, _, _, _): [zone.zoneName]
        case .database(_, _, let zones): zones.map(\.zoneName)
        }
    }
}

extension SubscriptionResult {
    func get() throws -> Subscription {
        switch self {
        case .subscription(let subscription): return subscription
        case .deleted: throw UnexpectedAnswer()
        case .failure(_, let error): throw error
        }
    }

    var error: ServerError? {
        guard case .failure(_, let error) = self else { return nil }
        return error
    }
}
