import Foundation

/// Finds people by email address, telephone number or record. Only those are found who let others find them in this
/// container.
open class CKDiscoverUserIdentitiesOperation: CKOperation, @unchecked Sendable {
    open var userIdentityLookupInfos: [CKUserIdentity.LookupInfo] = []

    /// Called for each person who is found.
    open var userIdentityDiscoveredBlock:
        ((_ identity: CKUserIdentity, _ lookupInfo: CKUserIdentity.LookupInfo) -> Void)?
    open var discoverUserIdentitiesResultBlock: ((_ operationResult: Result<Void, any Error>) -> Void)?

    @available(*, deprecated, message: "Use discoverUserIdentitiesResultBlock")
    open var discoverUserIdentitiesCompletionBlock: (((any Error)?) -> Void)? {
        get { oldCompletionBlock }
        set { oldCompletionBlock = newValue }
    }
    private var oldCompletionBlock: (((any Error)?) -> Void)?

    public override init() { super.init() }

    public convenience init(userIdentityLookupInfos: [CKUserIdentity.LookupInfo]) {
        self.init()
        self.userIdentityLookupInfos = userIdentityLookupInfos
    }

    override func carryOut() async {
        let session = session(operationContainer.publicCloudDatabase)
        await perform(UserDiscovery(lookupInfos: userIdentityLookupInfos), in: session) { event in
            self.userIdentityDiscoveredBlock?(event.identity, event.lookupInfo)
        } end: { result in
            self.discoverUserIdentitiesResultBlock?(result.erased)
            self.oldCompletionBlock?(result.failure)
        }
    }
}

/// Finds the people of the user's address book. There is none on Linux: nobody is found.
open class CKDiscoverAllUserIdentitiesOperation: CKOperation, @unchecked Sendable {
    open var userIdentityDiscoveredBlock: ((_ identity: CKUserIdentity) -> Void)?
    open var discoverAllUserIdentitiesResultBlock: ((_ operationResult: Result<Void, any Error>) -> Void)?

    @available(*, deprecated, message: "Use discoverAllUserIdentitiesResultBlock")
    open var discoverAllUserIdentitiesCompletionBlock: (((any Error)?) -> Void)? {
        get { oldCompletionBlock }
        set { oldCompletionBlock = newValue }
    }
    private var oldCompletionBlock: (((any Error)?) -> Void)?

    public override init() { super.init() }

    override func carryOut() async {
        await perform(AddressBookDiscovery(), in: session(operationContainer.publicCloudDatabase)) { identity in
            self.userIdentityDiscoveredBlock?(identity)
        } end: { result in
            self.discoverAllUserIdentitiesResultBlock?(result.erased)
            self.oldCompletionBlock?(result.failure)
        }
    }
}
