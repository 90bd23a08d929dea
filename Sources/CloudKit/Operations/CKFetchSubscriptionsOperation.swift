import Foundation

/// Fetches subscriptions by identifier, or all that the user has in a database.
open class CKFetchSubscriptionsOperation: CKDatabaseOperation, @unchecked Sendable {
    public var subscriptionIDs: [CKSubscription.ID]?

    public var perSubscriptionResultBlock:
        ((_ subscriptionID: CKSubscription.ID, _ subscriptionResult: Result<CKSubscription, any Error>) -> Void)?
    public var fetchSubscriptionsResultBlock: ((_ operationResult: Result<Void, any Error>) -> Void)?

    @available(*, deprecated, message: "Use fetchSubscriptionsResultBlock")
    public var fetchSubscriptionCompletionBlock: (([CKSubscription.ID: CKSubscription]?, (any Error)?) -> Void)? {
        get { oldCompletionBlock }
        set { oldCompletionBlock = newValue }
    }
    private var oldCompletionBlock: (([CKSubscription.ID: CKSubscription]?, (any Error)?) -> Void)?
    private var fetchesAll = false

    public required override init() { super.init() }

    public convenience init(subscriptionIDs: [CKSubscription.ID]) {
        self.init()
        self.subscriptionIDs = subscriptionIDs
    }

    open class func fetchAllSubscriptionsOperation() -> Self {
        let operation = self.init()
        operation.fetchesAll = true
        return operation
    }

    // Touched on the callback queue only.
    private var fetched: [CKSubscription.ID: CKSubscription] = [:]
    private var failures = PartialFailures()

    override func carryOut() async {
        if fetchesAll {
            await perform(SubscriptionList()) {
                self.receive($0)
            } end: {
                self.conclude($0)
            }
        } else {
            await perform(SubscriptionLookup(subscriptionIDs: subscriptionIDs ?? [])) {
                self.receive($0)
            } end: {
                self.conclude($0)
            }
        }
    }

    private func receive(_ event: SubscriptionLookup.Event) {
        perSubscriptionResultBlock?(event.subscriptionID, event.result.erased)
        switch event.result {
        case .success(let subscription): fetched[event.subscriptionID] = subscription
        case .failure(let error): failures.add(error, for: event.subscriptionID)
        }
    }

    private func conclude(_ result: Result<Void, CKError>) {
        fetchSubscriptionsResultBlock?(result.erased)
        oldCompletionBlock?(fetched, result.failure ?? failures.error)
    }
}
