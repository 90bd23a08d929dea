import Foundation

/// Makes and deletes zones.
open class CKModifyRecordZonesOperation: CKDatabaseOperation, @unchecked Sendable {
    open var recordZonesToSave: [CKRecordZone]?
    open var recordZoneIDsToDelete: [CKRecordZone.ID]?

    open var perRecordZoneSaveBlock:
        ((_ recordZoneID: CKRecordZone.ID, _ saveResult: Result<CKRecordZone, any Error>) -> Void)?
    open var perRecordZoneDeleteBlock:
        ((_ recordZoneID: CKRecordZone.ID, _ deleteResult: Result<Void, any Error>) -> Void)?
    open var modifyRecordZonesResultBlock: ((_ operationResult: Result<Void, any Error>) -> Void)?

    @available(*, deprecated, message: "Use modifyRecordZonesResultBlock")
    open var modifyRecordZonesCompletionBlock: (([CKRecordZone]?, [CKRecordZone.ID]?, (any Error)?) -> Void)? {
        get { oldCompletionBlock }
        set { oldCompletionBlock = newValue }
    }
    private var oldCompletionBlock: (([CKRecordZone]?, [CKRecordZone.ID]?, (any Error)?) -> Void)?

    public override init() { super.init() }

    public convenience init(
        recordZonesToSave: [CKRecordZone]? = nil, recordZoneIDsToDelete: [CKRecordZone.ID]? = nil
    ) {
        self.init()
        self.recordZonesToSave = recordZonesToSave
        self.recordZoneIDsToDelete = recordZoneIDsToDelete
    }

    // Touched on the callback queue only.
    private var saved: [CKRecordZone] = []
    private var deleted: [CKRecordZone.ID] = []
    private var failures = PartialFailures()

    override func carryOut() async {
        let request = ZoneModification(saving: recordZonesToSave ?? [], deleting: recordZoneIDsToDelete ?? [])
        await perform(request) {
            self.receive($0)
        } end: {
            self.conclude($0)
        }
    }

    private func receive(_ event: ZoneModification.Event) {
        switch event {
        case .saved(let zoneID, let result):
            perRecordZoneSaveBlock?(zoneID, result.erased)
            switch result {
            case .success(let zone): saved.append(zone)
            case .failure(let error): failures.add(error, for: zoneID)
            }
        case .deleted(let zoneID, let result):
            perRecordZoneDeleteBlock?(zoneID, result.erased)
            switch result {
            case .success: deleted.append(zoneID)
            case .failure(let error): failures.add(error, for: zoneID)
            }
        }
    }

    private func conclude(_ result: Result<Void, CKError>) {
        modifyRecordZonesResultBlock?(result.erased)
        oldCompletionBlock?(saved, deleted, result.failure ?? failures.error)
    }
}
