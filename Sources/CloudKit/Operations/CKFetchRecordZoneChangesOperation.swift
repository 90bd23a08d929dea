import Foundation

/// Fetches the records that changed in zones since their tokens.
open class CKFetchRecordZoneChangesOperation: CKDatabaseOperation, @unchecked Sendable {
    /// How one zone is read.
    open class ZoneConfiguration: NSObject, @unchecked Sendable {
        // Unchecked, like Apple's: set up before the operation starts.

        /// Where the last fetch ended; nil reads from the beginning.
        open var previousServerChangeToken: CKServerChangeToken?
        /// The most records in one answer; 0 leaves it to the server.
        open var resultsLimit = 0
        /// The fields to fetch; nil all, empty none.
        open var desiredKeys: [CKRecord.FieldKey]?

        public override init() { super.init() }

        public convenience init(
            previousServerChangeToken: CKServerChangeToken? = nil, resultsLimit: Int? = nil,
            desiredKeys: [CKRecord.FieldKey]? = nil
        ) {
            self.init()
            self.previousServerChangeToken = previousServerChangeToken
            self.resultsLimit = resultsLimit ?? 0
            self.desiredKeys = desiredKeys
        }
    }

    @available(*, deprecated, renamed: "ZoneConfiguration")
    public typealias ZoneOptions = ZoneConfiguration

    open var recordZoneIDs: [CKRecordZone.ID]?
    open var configurationsByRecordZoneID: [CKRecordZone.ID: ZoneConfiguration]?
    /// Whether to go on until no zone has more coming.
    open var fetchAllChanges = true

    open var recordWasChangedBlock: ((_ recordID: CKRecord.ID, _ recordResult: Result<CKRecord, any Error>) -> Void)?
    open var recordWithIDWasDeletedBlock: ((CKRecord.ID, CKRecord.RecordType) -> Void)?
    /// Called between the pages of a zone; not after its last, nor where `fetchAllChanges` is false.
    open var recordZoneChangeTokensUpdatedBlock: ((CKRecordZone.ID, CKServerChangeToken?, Data?) -> Void)?
    open var recordZoneFetchResultBlock:
        (
            (
                _ recordZoneID: CKRecordZone.ID,
                _ fetchChangesResult: Result<
                    (serverChangeToken: CKServerChangeToken, clientChangeTokenData: Data?, moreComing: Bool), any Error
                >
            ) -> Void
        )?
    open var fetchRecordZoneChangesResultBlock: ((_ operationResult: Result<Void, any Error>) -> Void)?

    @available(*, deprecated, message: "Use recordWasChangedBlock")
    open var recordChangedBlock: ((CKRecord) -> Void)? {
        get { oldRecordBlock }
        set { oldRecordBlock = newValue }
    }
    @available(*, deprecated, message: "Use recordZoneFetchResultBlock")
    open var recordZoneFetchCompletionBlock:
        ((CKRecordZone.ID, CKServerChangeToken?, Data?, Bool, (any Error)?) -> Void)?
    {
        get { oldZoneBlock }
        set { oldZoneBlock = newValue }
    }
    @available(*, deprecated, message: "Use fetchRecordZoneChangesResultBlock")
    open var fetchRecordZoneChangesCompletionBlock: (((any Error)?) -> Void)? {
        get { oldCompletionBlock }
        set { oldCompletionBlock = newValue }
    }
    @available(*, deprecated, renamed: "configurationsByRecordZoneID")
    open var optionsByRecordZoneID: [CKRecordZone.ID: ZoneConfiguration]? {
        get { configurationsByRecordZoneID }
        set { configurationsByRecordZoneID = newValue }
    }
    private var oldRecordBlock: ((CKRecord) -> Void)?
    private var oldZoneBlock: ((CKRecordZone.ID, CKServerChangeToken?, Data?, Bool, (any Error)?) -> Void)?
    private var oldCompletionBlock: (((any Error)?) -> Void)?

    public override init() { super.init() }

    public convenience init(
        recordZoneIDs: [CKRecordZone.ID]? = nil,
        configurationsByRecordZoneID: [CKRecordZone.ID: ZoneConfiguration]? = nil
    ) {
        self.init()
        self.recordZoneIDs = recordZoneIDs
        self.configurationsByRecordZoneID = configurationsByRecordZoneID
    }

    @available(*, deprecated, message: "Use init(recordZoneIDs:configurationsByRecordZoneID:)")
    public convenience init(
        recordZoneIDs: [CKRecordZone.ID], optionsByRecordZoneID: [CKRecordZone.ID: ZoneConfiguration]?
    ) {
        self.init(recordZoneIDs: recordZoneIDs, configurationsByRecordZoneID: optionsByRecordZoneID)
    }

    // Touched on the callback queue only.
    private var failures = PartialFailures()

    override func carryOut() async {
        let configurations = configurationsByRecordZoneID ?? [:]
        let zones = (recordZoneIDs ?? Array(configurations.keys)).map { zoneID in
            let configuration = configurations[zoneID]
            return ZoneChanges.Zone(
                zoneID: zoneID, token: configuration?.previousServerChangeToken,
                desiredKeys: configuration?.desiredKeys, resultsLimit: configuration?.resultsLimit ?? 0)
        }
        let request = ZoneChanges(zones: zones, fetchesAll: fetchAllChanges)
        await perform(request) {
            self.receive($0)
        } end: {
            self.conclude($0)
        }
    }

    private func receive(_ event: ZoneChanges.Event) {
        switch event {
        case .changed(let recordID, let result):
            if let recordWasChangedBlock {
                recordWasChangedBlock(recordID, result.erased)
            } else if case .success(let record) = result {
                oldRecordBlock?(record)
            }
        case .deleted(let recordID, let recordType):
            recordWithIDWasDeletedBlock?(recordID, recordType)
        case .tokenUpdated(let zoneID, let token):
            recordZoneChangeTokensUpdatedBlock?(zoneID, token, nil)
        case .zone(let zoneID, let result):
            recordZoneFetchResultBlock?(
                zoneID,
                result.map { (serverChangeToken: $0.token, clientChangeTokenData: nil, moreComing: $0.moreComing) }
                    .erased)
            let end = try? result.get()
            oldZoneBlock?(zoneID, end?.token, nil, end?.moreComing ?? false, result.failure)
            if case .failure(let error) = result { failures.add(error, for: zoneID) }
        }
    }

    private func conclude(_ result: Result<Void, CKError>) {
        // Zones that failed have been told of one by one; only the old block tells of them in one error.
        fetchRecordZoneChangesResultBlock?(result.erased)
        oldCompletionBlock?(result.failure ?? failures.error)
    }
}
