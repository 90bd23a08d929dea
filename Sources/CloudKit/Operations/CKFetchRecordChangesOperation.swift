import Foundation

/// Fetches one page of the records that changed in a zone since a token.
@available(*, deprecated, message: "Use CKFetchRecordZoneChangesOperation")
open class CKFetchRecordChangesOperation: CKDatabaseOperation, @unchecked Sendable {
    open var recordZoneID: CKRecordZone.ID?
    /// Where the last fetch ended; nil reads from the beginning.
    open var previousServerChangeToken: CKServerChangeToken?
    /// The most records in one answer; 0 leaves it to the server.
    open var resultsLimit = 0
    /// The fields to fetch; nil all, empty none.
    open var desiredKeys: [CKRecord.FieldKey]?

    open var recordChangedBlock: ((CKRecord) -> Void)?
    open var recordWithIDWasDeletedBlock: ((CKRecord.ID) -> Void)?
    open var fetchRecordChangesCompletionBlock: ((CKServerChangeToken?, Data?, (any Error)?) -> Void)?

    /// Whether the server has more; good once the completion block is called.
    open private(set) var moreComing = false

    public override init() { super.init() }

    public convenience init(recordZoneID: CKRecordZone.ID, previousServerChangeToken: CKServerChangeToken?) {
        self.init()
        self.recordZoneID = recordZoneID
        self.previousServerChangeToken = previousServerChangeToken
    }

    // Touched on the callback queue only.
    private var token: CKServerChangeToken?
    private var failures = PartialFailures()
    private var failure: CKError?

    override func carryOut() async {
        let zone = ZoneChanges.Zone(
            zoneID: recordZoneID ?? .default, token: previousServerChangeToken, desiredKeys: desiredKeys,
            resultsLimit: resultsLimit)
        await perform(ZoneChanges(zones: [zone], fetchesAll: false)) {
            self.receive($0)
        } end: {
            self.fetchRecordChangesCompletionBlock?(
                self.token, nil, $0.failure ?? self.failure ?? self.failures.error)
        }
    }

    private func receive(_ event: ZoneChanges.Event) {
        switch event {
        case .changed(_, .success(let record)): recordChangedBlock?(record)
        case .changed(let recordID, .failure(let error)): failures.add(error, for: recordID)
        case .deleted(let recordID, _): recordWithIDWasDeletedBlock?(recordID)
        case .tokenUpdated: break
        case .zone(_, .success(let end)):
            token = end.token
            moreComing = end.moreComing
        case .zone(_, .failure(let error)): failure = error
        }
    }
}
