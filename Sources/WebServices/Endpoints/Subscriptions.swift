/// `POST subscriptions/lookup`. [Apple:FetchingSubscriptionsbyIdentifier]
package enum SubscriptionsLookup {
    package struct Request: Sendable {
        package var subscriptionIDs: [String]

        package init(subscriptionIDs: [String]) {
            self.subscriptionIDs = subscriptionIDs
        }
    }
}

/// `POST subscriptions/modify`. [Apple:ModifySubscriptions]
package enum SubscriptionsModify {
    package enum Operation: Sendable {
        /// A subscription of this identifier that exists is replaced, as a save of the native framework does.
        case create(Subscription)
        case update(Subscription)
        case delete(subscriptionID: String)

        package var subscriptionID: String {
            switch self {
            case .create(let subscription), .update(let subscription): subscription.subscriptionID
            case .delete(let subscriptionID): subscriptionID
            }
        }
    }

    package struct Request: Sendable {
        package var operations: [Operation]

        package init(operations: [Operation]) {
            self.operations = operations
        }
    }
}

/// The answer of `subscriptions/list`, `subscriptions/lookup` and `subscriptions/modify`; the latter two in request order.
package struct SubscriptionsResponse: Sendable {
    package var subscriptions: [SubscriptionResult]

    package init(subscriptions: [SubscriptionResult]) {
        self.subscriptions = subscriptions
    }
}
