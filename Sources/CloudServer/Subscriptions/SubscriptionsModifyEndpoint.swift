import CloudStore
import WebServices

/// `POST subscriptions/modify`: operations are independent of each other, and all are attempted.
/// [Apple:ModifySubscriptions]
struct SubscriptionsModifyEndpoint: WritingEndpoint {
    private let request: SubscriptionsModify.Request

    init(_ request: SubscriptionsModify.Request) {
        self.request = request
    }

    func run(_ context: RequestContext, _ writer: ContainerWriter) throws -> Answer {
        guard request.operations.count <= context.limits.items else {
            throw ServerError.tooManyItems(request.operations.count, limit: context.limits.items)
        }
        var names = Set(
            try writer.subscriptions(scope: context.subscriptionScope, owner: context.userRecordName).map(\.name))
        let results = try request.operations.map { operation -> SubscriptionResult in
            do {
                return try result(operation, &names, context, writer)
            } catch let error as ServerError {
                return .failure(subscriptionID: operation.subscriptionID, error)
            }
        }
        return .subscriptions(SubscriptionsResponse(subscriptions: results))
    }

    private func result(
        _ operation: SubscriptionsModify.Operation, _ names: inout Set<String>, _ context: RequestContext,
        _ writer: ContainerWriter
    ) throws -> SubscriptionResult {
        let (scope, owner) = (context.subscriptionScope, context.userRecordName)
        switch operation {
        case .create(let subscription), .update(let subscription):
            let checked = try SubscriptionRules(context, writer).checked(subscription)
            let name = checked.subscriptionID
            if case .update = operation, !names.contains(name) { throw ServerError.subscriptionNotFound }
            guard names.contains(name) || names.count < Limits.subscriptionsPerDatabase else {
                throw ServerError.badRequest(
                    "There are \(Limits.subscriptionsPerDatabase) subscriptions in the database, which is the limit",
                    .limitExceeded)
            }
            let content = checked.storedForm
            guard content.count <= Limits.subscriptionBytes else {
                throw ServerError.badRequest(
                    "A subscription has at most \(Limits.subscriptionBytes) bytes", .limitExceeded)
            }
            try writer.saveSubscription(
                SubscriptionRow(scope: scope, owner: owner, name: name, content: content))
            names.insert(name)
            context.afterCommit.subscriptionChanged(.saved(checked, context.database))
            return .subscription(checked)
        case .delete(let name):
            guard names.remove(name) != nil else { throw ServerError.subscriptionNotFound }
            try writer.deleteSubscription(scope: scope, owner: owner, name: name)
            context.afterCommit.subscriptionChanged(.deleted(name, context.database))
            return .deleted(subscriptionID: name)
        }
    }
}

/// What a subscription has to be, and where.
private struct SubscriptionRules {
    let context: RequestContext
    let writer: ContainerWriter

    init(_ context: RequestContext, _ writer: ContainerWriter) {
        self.context = context
        self.writer = writer
    }

    /// The subscription as it is stored: with an identifier, and its zone's owner named.
    func checked(_ subscription: Subscription) throws -> Subscription {
        var subscription = subscription
        // Apple does not say what becomes of one without; a name of the server's is of use to the caller.
        if subscription.subscriptionID.isEmpty { subscription.subscriptionID = context.random.uuid() }
        guard subscription.subscriptionID.utf8.count <= Limits.nameLength,
            subscription.recordType.map({ !$0.isEmpty && $0.utf8.count <= Limits.nameLength }) ?? true
        else {
            throw ServerError.badRequest("A subscription's name and type have from 1 to \(Limits.nameLength) bytes")
        }
        switch subscription.kind {
        case .query:
            throw ServerError.badRequest(
                "This server does not take query subscriptions yet; subscribe to the zone or the database")
        case .database:
            // [CKDatabaseSubscription]
            guard context.database != .public else { throw notHere("Database") }
        case .zone(let zoneID):
            // [CKRecordZoneSubscription]
            guard context.database == .private else { throw notHere("Zone") }
            guard !zoneID.isDefault else {
                throw ServerError.badRequest("The default zone has no changes to subscribe to")
            }
            let key = try context.zoneKey(for: zoneID)
            guard try writer.zone(key) != nil else { throw try context.missingZone(key, writer) }
            subscription.kind = .zone(context.zoneID(of: key))
        }
        return subscription
    }

    private func notHere(_ kind: String) -> ServerError {
        .badRequest("\(kind) subscriptions are not applicable in the database type '\(context.databaseTypeName)'")
    }
}
