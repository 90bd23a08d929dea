import Foundation

extension CKDatabase {
    // MARK: One subscription

    /// Fetches a subscription.
    ///
    /// - Throws: `CKError`; `.unknownItem` where there is none.
    @discardableResult
    public func subscription(for subscriptionID: CKSubscription.ID) async throws -> CKSubscription {
        guard let result = try await subscriptions(for: [subscriptionID])[subscriptionID] else {
            throw CKError.unexpectedAnswer
        }
        return try result.get()
    }

    public func fetch(
        withSubscriptionID subscriptionID: CKSubscription.ID,
        completionHandler: @escaping @Sendable (CKSubscription?, (any Error)?) -> Void
    ) {
        Callback.run({ try await self.subscription(for: subscriptionID) }, completionHandler)
    }

    /// Saves a subscription. It takes the place of one of the same identifier.
    @discardableResult
    public func save(_ subscription: CKSubscription) async throws -> CKSubscription {
        let results = try await modifySubscriptions(saving: [subscription], deleting: []).saveResults
        guard let result = results[subscription.subscriptionID] else { throw CKError.unexpectedAnswer }
        return try result.get()
    }

    public func save(
        _ subscription: CKSubscription,
        completionHandler: @escaping @Sendable (CKSubscription?, (any Error)?) -> Void
    ) {
        Callback.run({ try await self.save(subscription) }, completionHandler)
    }

    /// Deletes a subscription.
    ///
    /// - Throws: `CKError`; `.unknownItem` where there is none.
    @discardableResult
    public func deleteSubscription(
        withID subscriptionID: CKSubscription.ID
    ) async throws -> CKSubscription.ID {
        let results = try await modifySubscriptions(saving: [], deleting: [subscriptionID]).deleteResults
        guard let result = results[subscriptionID] else { throw CKError.unexpectedAnswer }
        try result.get()
        return subscriptionID
    }

    public func delete(
        withSubscriptionID subscriptionID: CKSubscription.ID,
        completionHandler: @escaping @Sendable (String?, (any Error)?) -> Void
    ) {
        Callback.run({ try await self.deleteSubscription(withID: subscriptionID) }, completionHandler)
    }

    // MARK: Many subscriptions

    /// Fetches all subscriptions that the user has in this database.
    @discardableResult
    public func allSubscriptions() async throws -> [CKSubscription] {
        let (events, _) = try await SubscriptionList().collect(in: session())
        return try events.map { try $0.result.get() }
    }

    public func fetchAllSubscriptions(
        completionHandler: @escaping @Sendable ([CKSubscription]?, (any Error)?) -> Void
    ) {
        Callback.run({ try await self.allSubscriptions() }, completionHandler)
    }

    public func subscriptions(
        for ids: [CKSubscription.ID]
    ) async throws -> [CKSubscription.ID: Result<CKSubscription, any Error>] {
        let (events, _) = try await SubscriptionLookup(subscriptionIDs: ids).collect(in: session())
        return Dictionary(events.map { ($0.subscriptionID, $0.result.erased) }, uniquingKeysWith: { $1 })
    }

    public func fetch(
        withSubscriptionIDs subscriptionIDs: [CKSubscription.ID],
        completionHandler:
            @escaping @Sendable (
                Result<[CKSubscription.ID: Result<CKSubscription, any Error>], any Error>
            ) -> Void
    ) {
        Callback.run({ try await self.subscriptions(for: subscriptionIDs) }, result: completionHandler)
    }

    /// Saves and deletes subscriptions. Each item stands alone.
    public func modifySubscriptions(
        saving subscriptionsToSave: [CKSubscription], deleting subscriptionIDsToDelete: [CKSubscription.ID]
    ) async throws -> (
        saveResults: [CKSubscription.ID: Result<CKSubscription, any Error>],
        deleteResults: [CKSubscription.ID: Result<Void, any Error>]
    ) {
        let request = SubscriptionModification(saving: subscriptionsToSave, deleting: subscriptionIDsToDelete)
        var saved: [CKSubscription.ID: Result<CKSubscription, any Error>] = [:]
        var deleted: [CKSubscription.ID: Result<Void, any Error>] = [:]
        for event in try await request.collect(in: session()).events {
            switch event {
            case .saved(let subscriptionID, let result): saved[subscriptionID] = result.erased
            case .deleted(let subscriptionID, let result): deleted[subscriptionID] = result.erased
            }
        }
        return (saved, deleted)
    }

    public func modifySubscriptions(
        saving subscriptionsToSave: [CKSubscription], deleting subscriptionIDsToDelete: [CKSubscription.ID],
        completionHandler:
            @escaping @Sendable (
                Result<
                    (
                        saveResults: [CKSubscription.ID: Result<CKSubscription, any Error>],
                        deleteResults: [CKSubscription.ID: Result<Void, any Error>]
                    ), any Error
                >
            ) -> Void
    ) {
        Callback.run(
            { try await self.modifySubscriptions(saving: subscriptionsToSave, deleting: subscriptionIDsToDelete) },
            result: completionHandler)
    }
}
