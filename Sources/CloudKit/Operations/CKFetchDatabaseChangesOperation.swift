import Foundation

/// Fetches which zones of a private or shared database changed since a token.
open class CKFetchDatabaseChangesOperation: CKDatabaseOperation, @unchecked Sendable {
    open var previousServerChangeToken: CKServerChangeToken?
    /// The most zones in one answer; 0 leaves it to the server.
    open var resultsLimit = 0
    /// Whether to go on until no more is coming.
    open var fetchAllChanges = true

    open var recordZoneWithIDChangedBlock: ((CKRecordZone.ID) -> Void)?
    open var recordZoneWithIDWasDeletedBlock: ((CKRecordZone.ID) -> Void)?
    /// The user erased the zone in the settings. Where this block is missing, the one for deletions is called.
    open var recordZoneWithIDWasPurgedBlock: ((CKRecordZone.ID) -> Void)?
    /// Where this block is missing, the one for deletions is called.
    open var recordZoneWithIDWasDeletedDueToUserEncryptedDataResetBlock: ((CKRecordZone.ID) -> Void)?
    open var changeTokenUpdatedBlock: ((CKServerChangeToken) -> Void)?
    open var fetchDatabaseChangesResultBlock:
        (
            (_ operationResult: Result<(serverChangeToken: CKServerChangeToken, moreComing: Bool), any Error>) -> Void
        )?

    @available(*, deprecated, message: "Use fetchDatabaseChangesResultBlock")
    open var fetchDatabaseChangesCompletionBlock: ((CKServerChangeToken?, Bool, (any Error)?) -> Void)? {
        get { oldCompletionBlock }
        set { oldCompletionBlock = newValue }
    }
    private var oldCompletionBlock: ((CKServerChangeToken?, Bool, (any Error)?) -> Void)?

    public override init() { super.init() }

    public convenience init(previousServerChangeToken: CKServerChangeToken?) {
        self.init()
        self.previousServerChangeToken = previousServerChangeToken
    }

    override func carryOut() async {
        let request = DatabaseChanges(
            token: previousServerChangeToken, resultsLimit: resultsLimit, fetchesAll: fetchAllChanges)
        await perform(request) {
            self.receive($0)
        } end: {
            self.conclude($0)
        }
    }

    private func receive(_ event: DatabaseChanges.Event) {
        switch event {
        case .changed(let zoneID):
            recordZoneWithIDChangedBlock?(zoneID)
        case .deleted(let zoneID, .purged):
            (recordZoneWithIDWasPurgedBlock ?? recordZoneWithIDWasDeletedBlock)?(zoneID)
        case .deleted(let zoneID, .encryptedDataReset):
            (recordZoneWithIDWasDeletedDueToUserEncryptedDataResetBlock ?? recordZoneWithIDWasDeletedBlock)?(zoneID)
        case .deleted(let zoneID, .deleted):
            recordZoneWithIDWasDeletedBlock?(zoneID)
        case .tokenUpdated(let token):
            changeTokenUpdatedBlock?(token)
        case .page: break
        }
    }

    private func conclude(_ result: Result<DatabaseChanges.Outcome, CKError>) {
        if case .success(let outcome) = result { changeTokenUpdatedBlock?(outcome.token) }
        fetchDatabaseChangesResultBlock?(
            result.map { (serverChangeToken: $0.token, moreComing: $0.moreComing) }.erased)
        let outcome = try? result.get()
        oldCompletionBlock?(outcome?.token, outcome?.moreComing ?? false, result.failure)
    }
}
