import Foundation

/// Saves and deletes records.
open class CKModifyRecordsOperation: CKDatabaseOperation, @unchecked Sendable {
    /// What a save does when the record on the server is not the one that was edited.
    public enum RecordSavePolicy: Int, Sendable {
        /// Refuse it with `.serverRecordChanged`.
        case ifServerRecordUnchanged = 0
        /// Overwrite the keys that were changed here, and only those.
        case changedKeys = 1
        /// Overwrite all keys that the record has here; others stay on the server.
        case allKeys = 2
    }

    open var recordsToSave: [CKRecord]?
    open var recordIDsToDelete: [CKRecord.ID]?
    open var savePolicy = RecordSavePolicy.ifServerRecordUnchanged
    /// Sent nowhere yet: servers of the web protocol have no place for it.
    open var clientChangeTokenData: Data?
    /// Whether in a custom zone all items are taken or none.
    open var isAtomic = true

    open var perRecordProgressBlock: ((CKRecord, Double) -> Void)?
    open var perRecordSaveBlock: ((_ recordID: CKRecord.ID, _ saveResult: Result<CKRecord, any Error>) -> Void)?
    open var perRecordDeleteBlock: ((_ recordID: CKRecord.ID, _ deleteResult: Result<Void, any Error>) -> Void)?
    /// The end. What fails for single records is told by the per-record blocks only, as on Apple's systems.
    open var modifyRecordsResultBlock: ((_ operationResult: Result<Void, any Error>) -> Void)?

    @available(*, deprecated, message: "Use perRecordSaveBlock")
    open var perRecordCompletionBlock: ((CKRecord, (any Error)?) -> Void)? {
        get { oldPerRecordBlock }
        set { oldPerRecordBlock = newValue }
    }
    /// The end, with `.partialFailure` where records failed.
    @available(*, deprecated, message: "Use modifyRecordsResultBlock")
    open var modifyRecordsCompletionBlock: (([CKRecord]?, [CKRecord.ID]?, (any Error)?) -> Void)? {
        get { oldCompletionBlock }
        set { oldCompletionBlock = newValue }
    }
    private var oldPerRecordBlock: ((CKRecord, (any Error)?) -> Void)?
    private var oldCompletionBlock: (([CKRecord]?, [CKRecord.ID]?, (any Error)?) -> Void)?

    public override init() { super.init() }

    public convenience init(recordsToSave: [CKRecord]? = nil, recordIDsToDelete: [CKRecord.ID]? = nil) {
        self.init()
        self.recordsToSave = recordsToSave
        self.recordIDsToDelete = recordIDsToDelete
    }

    // Touched on the callback queue only.
    private var saved: [CKRecord] = []
    private var deleted: [CKRecord.ID] = []
    private var failures = PartialFailures()

    override func carryOut() async {
        let request = RecordModification(
            saving: recordsToSave ?? [], deleting: recordIDsToDelete ?? [], policy: savePolicy, isAtomic: isAtomic
        ) { record, part in
            self.callBack { self.perRecordProgressBlock?(record, part) }
        }
        await perform(request) {
            self.receive($0)
        } end: {
            self.conclude($0)
        }
    }

    private func receive(_ event: RecordModification.Event) {
        switch event {
        case .saved(let original, let result):
            if case .success = result { perRecordProgressBlock?(original, 1) }
            if let perRecordSaveBlock {
                perRecordSaveBlock(original.recordID, result.erased)
            } else {
                oldPerRecordBlock?((try? result.get()) ?? original, result.failure)
            }
            switch result {
            case .success(let record): saved.append(record)
            case .failure(let error): failures.add(error, for: original.recordID)
            }
        case .deleted(let recordID, let result):
            perRecordDeleteBlock?(recordID, result.erased)
            switch result {
            case .success: deleted.append(recordID)
            case .failure(let error): failures.add(error, for: recordID)
            }
        }
    }

    private func conclude(_ result: Result<Void, CKError>) {
        modifyRecordsResultBlock?(result.erased)
        oldCompletionBlock?(saved, deleted, result.failure ?? failures.error)
    }
}
