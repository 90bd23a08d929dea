import Foundation

/// Saves and deletes subscriptions.
open class CKModifySubscriptionsOperation: CKDatabaseOperation, @unchecked Sendable {
    public var subscriptionsToSave: [CKSubscription]?
    public var subscriptionIDsToDelete: [CKSubscription.ID]?

    public var perSubscriptionSaveBlock:
        ((_ subscriptionID: CKSubscription.ID, _ saveResult: Result<CKSubscription, any Error>) -> Void)?
    public var perSubscriptionDeleteBlock:
        ((_ subscriptionID: CKSubscription.ID, _ deleteResult: Result<Void, any Error>) -> Void)?
    public var modifySubscriptionsResultBlock: ((_ operationResult: Result<Void, any Error>) -> Void)?

    @available(*, deprecated, message: "Use modifySubscriptionsResultBlock")
    public var modifySubscriptionsCompletionBlock: (([CKSubscription]?, [CKSubscription.ID]?, (any Error)?) -> Void)? {
        get { oldCompletionBlock }
        set { oldCompletionBlock = newValue }
    }
    private var oldCompletionBlock: (([CKSubscription]?, [CKSubscription.ID]?, (any Error)?) -> Void)?

    public override init() { super.init() }

    public convenience init(
        subscriptionsToSave: [CKSubscription]? = nil, subscriptionIDsToDelete: [CKSubscription.ID]? = nil
    ) {
        self.init()
        self.subscriptionsToSave = subscriptionsToSave
        self.subscriptionIDsToDelete = subscriptionIDsToDelete
    }

    // Touched on the callback queue only.
    private var saved: [CKSubscription] = []
    private var deleted: [CKSubscription.ID] = []
    private var failures = PartialFailures()

    override func carryOut() async {
        let request = SubscriptionModification(
            saving: subscriptionsToSave ?? [], deleting: subscriptionIDsToDelete ?? [])
        await perform(request) {
            self.receive($0)
        } end: {
            self.conclude($0)
        }
    }

    private func receive(_ event: SubscriptionModification.Event) {
        switch event {
        case .saved(let subscriptionID, let result):
            perSubscriptionSaveBlock?(subscriptionID, result.erased)
            switch result {
            case .success(let subscription): saved.append(subscription)
            case .failure(let error): failures.add(error, for: subscriptionID)
            }
        case .deleted(let subscriptionID, let result):
            perSubscriptionDeleteBlock?(subscriptionID, result.erased)
            switch result {
            case .success: deleted.append(subscriptionID)
            case .failure(let error): failures.add(error, for: subscriptionID)
            }
        }
    }

    private func conclude(_ result: Result<Void, CKError>) {
        modifySubscriptionsResultBlock?(result.erased)
        oldCompletionBlock?(saved, deleted, result.failure ?? failures.error)
    }
}
