import Foundation

/// Fetches records by identifier.
open class CKFetchRecordsOperation: CKDatabaseOperation, @unchecked Sendable {
    open var recordIDs: [CKRecord.ID]?
    /// The fields to fetch; nil all, empty none.
    open var desiredKeys: [CKRecord.FieldKey]?

    open var perRecordProgressBlock: ((CKRecord.ID, Double) -> Void)?
    open var perRecordResultBlock: ((_ recordID: CKRecord.ID, _ recordResult: Result<CKRecord, any Error>) -> Void)?
    open var fetchRecordsResultBlock: ((_ operationResult: Result<Void, any Error>) -> Void)?

    @available(*, deprecated, message: "Use perRecordResultBlock")
    open var perRecordCompletionBlock: ((CKRecord?, CKRecord.ID?, (any Error)?) -> Void)? {
        get { oldPerRecordBlock }
        set { oldPerRecordBlock = newValue }
    }
    @available(*, deprecated, message: "Use fetchRecordsResultBlock")
    open var fetchRecordsCompletionBlock: (([CKRecord.ID: CKRecord]?, (any Error)?) -> Void)? {
        get { oldCompletionBlock }
        set { oldCompletionBlock = newValue }
    }
    private var oldPerRecordBlock: ((CKRecord?, CKRecord.ID?, (any Error)?) -> Void)?
    private var oldCompletionBlock: (([CKRecord.ID: CKRecord]?, (any Error)?) -> Void)?
    private var fetchesCurrentUser = false

    public required override init() { super.init() }

    public convenience init(recordIDs: [CKRecord.ID]) {
        self.init()
        self.recordIDs = recordIDs
    }

    /// Fetches the record of the signed-in user from the public database.
    open class func fetchCurrentUserRecordOperation() -> Self {
        let operation = self.init()
        operation.fetchesCurrentUser = true
        return operation
    }

    // Touched on the callback queue only.
    private var fetched: [CKRecord.ID: CKRecord] = [:]
    private var failures = PartialFailures()

    override func carryOut() async {
        if fetchesCurrentUser {
            await perform(CurrentUserRecord()) {
                self.receive($0)
            } end: {
                self.conclude($0)
            }
        } else {
            let request = RecordLookup(recordIDs: recordIDs ?? [], desiredKeys: desiredKeys) { recordID, part in
                self.callBack { self.perRecordProgressBlock?(recordID, part) }
            }
            await perform(request) {
                self.receive($0)
            } end: {
                self.conclude($0)
            }
        }
    }

    private func receive(_ event: RecordLookup.Event) {
        if case .success = event.result { perRecordProgressBlock?(event.recordID, 1) }
        if let perRecordResultBlock {
            perRecordResultBlock(event.recordID, event.result.erased)
        } else {
            oldPerRecordBlock?(try? event.result.get(), event.recordID, event.result.failure)
        }
        switch event.result {
        case .success(let record): fetched[event.recordID] = record
        case .failure(let error): failures.add(error, for: event.recordID)
        }
    }

    private func conclude(_ result: Result<Void, CKError>) {
        fetchRecordsResultBlock?(result.erased)
        oldCompletionBlock?(fetched, result.failure ?? failures.error)
    }
}
