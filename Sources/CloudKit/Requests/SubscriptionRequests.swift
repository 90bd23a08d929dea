import WebServices

/// Saves and deletes subscriptions. Each stands alone. [Apple:ModifySubscriptions]
struct SubscriptionModification: DatabaseRequest {
    enum Event: Sendable {
        case saved(CKSubscription.ID, Result<CKSubscription, CKError>)
        case deleted(CKSubscription.ID, Result<Void, CKError>)
    }

    let saves: [CKSubscription]
    let deletions: [CKSubscription.ID]

    init(saving subscriptions: [CKSubscription], deleting subscriptionIDs: [CKSubscription.ID]) {
        saves = subscriptions
        deletions = subscriptionIDs
    }

    func perform(in session: DatabaseSession, report: @Sendable (Event) -> Void) async throws(CKError) {
        var seen: Set<CKSubscription.ID> = []
        for subscriptionID in saves.map(\.subscriptionID) + deletions where !seen.insert(subscriptionID).inserted {
            throw CKError(
                .invalidArguments, reason: "You can't save or delete the same subscription twice: \(subscriptionID)")
        }
        var operations: [SubscriptionsModify.Operation] = []
        var sent: [CKSubscription] = []
        for subscription in saves {
            do throws(CKError) {
                operations.append(.create(try await subscription.wire(in: session)))
                sent.append(subscription)
            } catch {
                report(.saved(subscription.subscriptionID, .failure(error)))
            }
        }
        operations += deletions.map { .delete(subscriptionID: $0) }
        guard !operations.isEmpty else { return }
        let request = SubscriptionsModify.Request(operations: operations)
        guard case .subscriptions(let response) = try await session.answer(to: .subscriptionsModify(request)),
            response.subscriptions.count == operations.count
        else { throw CKError.unexpectedAnswer }
        for (subscription, result) in zip(sent, response.subscriptions) {
            report(.saved(subscription.subscriptionID, result.subscription))
        }
        for (subscriptionID, result) in zip(deletions, response.subscriptions.dropFirst(sent.count)) {
            if case .failure(_, let error) = result {
                report(.deleted(subscriptionID, .failure(CKError(error))))
            } else {
                report(.deleted(subscriptionID, .success(())))
            }
        }
    }
}

/// Fetches subscriptions by identifier. [Apple:FetchingSubscriptionsbyIdentifier]
struct SubscriptionLookup: DatabaseRequest {
    struct Event: Sendable {
        var subscriptionID: CKSubscription.ID
        var result: Result<CKSubscription, CKError>
    }

    let subscriptionIDs: [CKSubscription.ID]

    init(subscriptionIDs: [CKSubscription.ID]) {
        self.subscriptionIDs = subscriptionIDs.distinct { $0 }
    }

    func perform(in session: DatabaseSession, report: @Sendable (Event) -> Void) async throws(CKError) {
        guard !subscriptionIDs.isEmpty else { return }
        let request = SubscriptionsLookup.Request(subscriptionIDs: subscriptionIDs)
        guard case .subscriptions(let response) = try await session.answer(to: .subscriptionsLookup(request)),
            response.subscriptions.count == subscriptionIDs.count
        else { throw CKError.unexpectedAnswer }
        for (subscriptionID, result) in zip(subscriptionIDs, response.subscriptions) {
            report(Event(subscriptionID: subscriptionID, result: result.subscription))
        }
    }
}

/// Fetches all subscriptions of the user in a database. [Apple:FetchingSubscriptions]
struct SubscriptionList: DatabaseRequest {
    typealias Event = SubscriptionLookup.Event

    func perform(in session: DatabaseSession, report: @Sendable (Event) -> Void) async throws(CKError) {
        guard case .subscriptions(let response) = try await session.answer(to: .subscriptionsList) else {
            throw CKError.unexpectedAnswer
        }
        for result in response.subscriptions {
            report(Event(subscriptionID: result.subscriptionID, result: result.subscription))
        }
    }
}

extension SubscriptionResult {
    var subscription: Result<CKSubscription, CKError> {
        switch self {
        case .failure(_, let error): return .failure(CKError(error))
        case .deleted: return .failure(CKError.unexpectedAnswer)
        case .subscription(let subscription):
            do throws(CKError) {
                return .success(try CKSubscription.subscription(subscription))
            } catch {
                return .failure(error)
            }
        }
    }
}
