import Behaviours
import CloudServer
import Dispatch
import Synchronization
import Testing
import WebServices

@Suite("Subscriptions and push")
struct PushProtocolTests {
    private static let all = Subscription(subscriptionID: "all", .database)
    private static let notes = Subscription(subscriptionID: "notes", .zone(.notes))

    @Test(
        "Subscriptions are listed, looked up, replaced and deleted",
        .behaviour("sub.list", "sub.replace", "sub.unknown", "sub.unnamed", "sub.info"), arguments: Wire.allCases)
    func subscriptions(_ wire: Wire) throws {
        let client = try Service(wire).signIn()
        try client.zone(.create)
        var notes = Self.notes
        var info = NotificationInfo()
        info.alertBody = "News"
        info.soundName = "bell"
        info.shouldSendContentAvailable = true
        notes.notificationInfo = info
        notes.recordType = "Note"
        let saved = try client.subscribe([.create(notes), .create(Self.all), .create(Self.all)])
        #expect(saved.map(\.error) == [nil, nil, nil])
        #expect(try client.subscriptions(.subscriptionsList).map(\.subscriptionID) == ["all", "notes"])
        let found = try client.subscriptions(.subscriptionsLookup(.init(subscriptionIDs: ["notes", "none"])))
        guard case .subscription(let read) = found[0] else { throw UnexpectedAnswer() }
        #expect(read.notificationInfo == info && read.recordType == "Note")
        #expect(found[1].error?.code == .notFound)
        let unnamed = try client.subscribe([.create(.init(subscriptionID: "", .database))])
        #expect(unnamed[0].error == nil && !unnamed[0].subscriptionID.isEmpty)
        let deleted = try client.subscribe([.delete(subscriptionID: "all"), .delete(subscriptionID: "all")])
        #expect(deleted.map { $0.error?.code } == [nil, .notFound])
    }

    @Test(
        "What cannot be subscribed to is refused, each subscription by itself",
        .behaviour("sub.query", "sub.public", "sub.zone-missing", "sub.shared-zone"), arguments: Wire.allCases)
    func refused(_ wire: Wire) throws {
        let client = try Service(wire).signIn()
        let query = Subscription(
            subscriptionID: "q", .query(.init(query: .init(recordType: "Note"), firesOn: [.create])))
        let results = try client.subscribe([.create(query), .create(Self.notes), .create(Self.all)])
        #expect(results.map { $0.error?.code } == [.badRequest, .zoneNotFound, nil])
        let both = [SubscriptionsModify.Operation.create(Self.all), .create(Self.notes)]
        let codes = [DatabaseScope.public: [ServerError.Code.badRequest, .badRequest], .shared: [nil, .badRequest]]
        for (database, codes) in codes {
            #expect(try client.subscribe(both, in: database).map { $0.error?.code } == codes)
        }
    }

    @Test(
        "A malformed subscription refuses the request",
        .behaviour("error.malformed"), arguments: Wire.allCases,
        [
            #"{}"#, #"{"subscriptionID":"s"}"#, #"{"subscriptionType":"zone"}"#, #"{"subscriptionType":7}"#,
            #"{"subscriptionType":"weather"}"#, #"{"subscriptionType":"database","subscriptionID":{}}"#,
            #"{"subscriptionType":"database","notificationInfo":[]}"#,
            #"{"subscriptionType":"query","query":{}}"#,
        ])
    func malformed(_ wire: Wire, _ subscription: String) throws {
        let client = try Service(wire).signIn()
        let body = #"{"operations":[{"operationType":"create","subscription":\#(subscription)}]}"#
        #expect(try client.send("subscriptions/modify", body).status == 400)
    }

    @Test(
        "A change is pushed to who subscribed to its zone or database, and not to the device that made it",
        .behaviour("push.zone", "push.database", "push.own-device", "push.create"), arguments: Wire.allCases)
    func push(_ wire: Wire) throws {
        let phone = try Service(wire).signIn().native
        let tablet = phone.with { $0.kind = .native(deviceID: "tablet") }
        try phone.zone(.create)
        _ = try phone.subscribe([.create(Self.notes), .create(Self.all)])
        let addresses = [try phone.makeToken(), try tablet.makeToken()]
        let told = phone.startPoll(addresses[0])
        try phone.create("own", in: .notes)
        try tablet.create("other", in: .notes)
        let first = try #require(try told.notification())
        let second = try #require(try phone.startPoll(addresses[0], after: first.notificationID).notification())
        guard case .database("all", .private, let zones) = first.content,
            case .zone(let zone, "notes", .private) = second.content
        else { throw UnexpectedAnswer() }
        #expect(zones.map(\.zoneName) == ["Notes"])
        #expect(zone.zoneName == "Notes" && zone.ownerRecordName == first.subscriptionOwner)
        #expect(first.container == Service.container)
        // What the phone saved is news to the tablet.
        #expect(try tablet.startPoll(addresses[1]).notification()?.content == first.content)
    }

    @Test(
        "Changes while nobody polls are one push; an answer that got lost comes again",
        .behaviour("push.coalesced", "push.lost"), arguments: Wire.allCases)
    func coalesced(_ wire: Wire) throws {
        let service = try Service(wire) { $0.push.pollLife = .milliseconds(20) }
        let client = try service.signIn()
        try client.zone(.create)
        _ = try client.subscribe([.create(Self.all)])
        let address = try client.makeToken()
        for name in ["a", "b", "c"] { try client.create(name, in: .notes) }
        service.server.push.settle()
        let lost = try #require(try client.startPoll(address, after: "").notification())
        let push = try #require(try client.startPoll(address, after: "").notification())
        #expect(push.content == lost.content)
        #expect(try client.startPoll(address, after: push.notificationID).notification() == nil)
    }

    @Test(
        "A poll without news ends without; an address is a secret that cannot be guessed",
        .behaviour("push.idle", "push.secret"), arguments: Wire.allCases)
    func polls(_ wire: Wire) throws {
        let client = try Service(wire) { $0.push.pollLife = .milliseconds(20) }.signIn()
        let address = try client.makeToken()
        #expect(try client.startPoll(address).notification() == nil)
        var guess = address
        guess.webcourierURL = String(guess.webcourierURL.dropLast(8)) + "00000000"
        let error = #expect(throws: ServerError.self) { try client.startPoll(guess).notification() }
        #expect(error?.code == .notFound)
    }

    @Test(
        "A token passes to whoever registers it; one that this server did not make is refused",
        .behaviour("push.register", "push.foreign-token"), arguments: Wire.allCases)
    func register(_ wire: Wire) throws {
        let service = try Service(wire)
        let (anna, bea) = (try service.signIn("anna"), try service.signIn("bea"))
        try bea.zone(.create)
        _ = try bea.subscribe([.create(Self.all)])
        let address = try anna.makeToken()
        let request = TokensRegister.Request(apnsEnvironment: .development, apnsToken: address.apnsToken)
        _ = try bea.answer(.tokensRegister(request))
        try bea.create("a", in: .notes)
        let push = try anna.startPoll(address).notification()
        #expect(try push?.subscriptionOwner == bea.user().userRecordName)
        let foreign = TokensRegister.Request(
            apnsEnvironment: .production, apnsToken: String(repeating: "ab", count: 32))
        #expect(try bea.refusal(.tokensRegister(foreign)).code == .badRequest)
    }
}

/// A poll under way.
private final class PendingPoll: Sendable {
    private let result = Mutex<Result<PushNotification?, any Error>?>(nil)
    private let ended = DispatchSemaphore(value: 0)

    init(_ body: @escaping @Sendable () throws -> PushNotification?) {
        DispatchQueue.global().async {
            let result = Result { try body() }
            self.result.withLock { $0 = result }
            self.ended.signal()
        }
    }

    /// Waits for the end of the poll; nil where time passed without news.
    func notification() throws -> PushNotification? {
        try #require(ended.wait(timeout: .now() + 60) == .success, "the poll was not answered")
        return try result.withLock { $0 }?.get()
    }
}

extension SubscriptionResult {
    fileprivate var error: ServerError? {
        guard case .failure(_, let error) = self else { return nil }
        return error
    }
}

extension Client {
    fileprivate func subscriptions(
        _ operation: ServerOperation, in database: DatabaseScope = .private
    ) throws -> [SubscriptionResult] {
        guard case .subscriptions(let response) = try answer(operation, in: database) else { throw UnexpectedAnswer() }
        return response.subscriptions
    }

    fileprivate func subscribe(
        _ operations: [SubscriptionsModify.Operation], in database: DatabaseScope = .private
    ) throws -> [SubscriptionResult] {
        try subscriptions(.subscriptionsModify(.init(operations: operations)), in: database)
    }

    fileprivate func makeToken() throws -> TokensCreate.Response {
        guard case .tokensCreate(let response) = try answer(.tokensCreate(.init(apnsEnvironment: .development))) else {
            throw UnexpectedAnswer()
        }
        return response
    }

    fileprivate func startPoll(_ address: TokensCreate.Response, after: String? = nil) -> PendingPoll {
        PendingPoll {
            let operation = ServerOperation.courierPoll(
                .init(webcourierURL: address.webcourierURL, after: after))
            let answer: Answer
            switch service.wire {
            case .inProcess:
                answer = try self.answer(operation)
            case .http:
                let root = "http://localhost:\(service.port)"
                try #require(address.webcourierURL.hasPrefix(root))
                let target = String(address.webcourierURL.dropFirst(root.count)) + (after.map { "?after=\($0)" } ?? "")
                answer = try Answer(to: operation, body: try HTTPClient(port: service.port).send("GET", target).body)
            }
            guard case .courierPoll(let notification) = answer else { throw UnexpectedAnswer() }
            return notification
        }
    }
}
