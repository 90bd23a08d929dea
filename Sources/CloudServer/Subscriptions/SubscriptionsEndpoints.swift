import CloudStore
import WebServices

/// `GET subscriptions/list`: the caller's subscriptions in the database, by name. [Apple:FetchingSubscriptions]
struct SubscriptionsListEndpoint: ReadingEndpoint {
    func run(_ context: RequestContext, _ reader: ContainerReader) throws -> Answer {
        let rows = try reader.subscriptions(scope: context.subscriptionScope, owner: context.userRecordName)
        return .subscriptions(
            SubscriptionsResponse(subscriptions: try rows.map { .subscription(try $0.subscription()) }))
    }
}

/// `POST subscriptions/lookup`. [Apple:FetchingSubscriptionsbyIdentifier]
struct SubscriptionsLookupEndpoint: ReadingEndpoint {
    private let request: SubscriptionsLookup.Request

    init(_ request: SubscriptionsLookup.Request) {
        self.request = request
    }

    func run(_ context: RequestContext, _ reader: ContainerReader) throws -> Answer {
        let names = request.subscriptionIDs
        guard names.count <= context.limits.items else {
            throw ServerError.tooManyItems(names.count, limit: context.limits.items)
        }
        let results = try names.map { name -> SubscriptionResult in
            let row = try reader.subscription(
                scope: context.subscriptionScope, owner: context.userRecordName, name: name)
            guard let row else { return .failure(subscriptionID: name, .subscriptionNotFound) }
            return .subscription(try row.subscription())
        }
        return .subscriptions(SubscriptionsResponse(subscriptions: results))
    }
}

extension RequestContext {
    var subscriptionScope: SubscriptionScope {
        switch database {
        case .public: .public
        case .private: .private
        case .shared: .shared
        }
    }
}

extension SubscriptionRow {
    /// The stored subscription; it is kept as the wire has it.
    func subscription() throws -> Subscription {
        try Subscription(try JSONDocument(parsing: content).root)
    }
}

extension Subscription {
    var storedForm: [UInt8] {
        var writer = JSONWriter(capacity: 512)
        encode(to: &writer)
        return writer.finish()
    }
}

extension ServerError {
    static let subscriptionNotFound = ServerError(.notFound, "Subscription not found", extensionCode: .unknownItem)
}
