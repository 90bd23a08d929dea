import Foundation

/// Fetches zones by identifier, or all of a database.
open class CKFetchRecordZonesOperation: CKDatabaseOperation, @unchecked Sendable {
    open var recordZoneIDs: [CKRecordZone.ID]?

    open var perRecordZoneResultBlock:
        ((_ recordZoneID: CKRecordZone.ID, _ recordZoneResult: Result<CKRecordZone, any Error>) -> Void)?
    open var fetchRecordZonesResultBlock: ((_ operationResult: Result<Void, any Error>) -> Void)?

    @available(*, deprecated, message: "Use fetchRecordZonesResultBlock")
    open var fetchRecordZonesCompletionBlock: (([CKRecordZone.ID: CKRecordZone]?, (any Error)?) -> Void)? {
        get { oldCompletionBlock }
        set { oldCompletionBlock = newValue }
    }
    private var oldCompletionBlock: (([CKRecordZone.ID: CKRecordZone]?, (any Error)?) -> Void)?
    private var fetchesAll = false

    public required override init() { super.init() }

    public convenience init(recordZoneIDs: [CKRecordZone.ID]) {
        self.init()
        self.recordZoneIDs = recordZoneIDs
    }

    open class func fetchAllRecordZonesOperation() -> Self {
        let operation = self.init()
        operation.fetchesAll = true
        return operation
    }

    // Touched on the callback queue only.
    private var fetched: [CKRecordZone.ID: CKRecordZone] = [:]
    private var failures = PartialFailures()

    override func carryOut() async {
        if fetchesAll {
            await perform(ZoneList()) {
                self.receive($0)
            } end: {
                self.conclude($0)
            }
        } else {
            await perform(ZoneLookup(zoneIDs: recordZoneIDs ?? [])) {
                self.receive($0)
            } end: {
                self.conclude($0)
            }
        }
    }

    private func receive(_ event: ZoneLookup.Event) {
        perRecordZoneResultBlock?(event.zoneID, event.result.erased)
        switch event.result {
        case .success(let zone): fetched[event.zoneID] = zone
        case .failure(let error): failures.add(error, for: event.zoneID)
        }
    }

    private func conclude(_ result: Result<Void, CKError>) {
        fetchRecordZonesResultBlock?(result.erased)
        oldCompletionBlock?(fetched, result.failure ?? failures.error)
    }
}
