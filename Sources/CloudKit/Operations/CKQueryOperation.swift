import Foundation

/// Runs a query, or goes on with one from a cursor.
open class CKQueryOperation: CKDatabaseOperation, @unchecked Sendable {
    /// Leaves the number of results to the server.
    public static let maximumResults = 0

    public typealias Cursor = CKQueryCursor

    open var query: CKQuery?
    open var cursor: Cursor?
    /// The zone to search; nil all zones, which the shared database does not allow. A cursor carries its own.
    open var zoneID: CKRecordZone.ID?
    open var resultsLimit = CKQueryOperation.maximumResults
    open var desiredKeys: [CKRecord.FieldKey]?

    /// Called for each match, in the query's order.
    open var recordMatchedBlock: ((_ recordID: CKRecord.ID, _ recordResult: Result<CKRecord, any Error>) -> Void)?
    open var queryResultBlock: ((_ operationResult: Result<CKQueryOperation.Cursor?, any Error>) -> Void)?

    @available(*, deprecated, message: "Use recordMatchedBlock")
    open var recordFetchedBlock: ((CKRecord) -> Void)? {
        get { oldRecordBlock }
        set { oldRecordBlock = newValue }
    }
    @available(*, deprecated, message: "Use queryResultBlock")
    open var queryCompletionBlock: ((CKQueryOperation.Cursor?, (any Error)?) -> Void)? {
        get { oldCompletionBlock }
        set { oldCompletionBlock = newValue }
    }
    private var oldRecordBlock: ((CKRecord) -> Void)?
    private var oldCompletionBlock: ((CKQueryOperation.Cursor?, (any Error)?) -> Void)?

    public override init() { super.init() }

    public convenience init(query: CKQuery) {
        self.init()
        self.query = query
    }

    public convenience init(cursor: Cursor) {
        self.init()
        self.cursor = cursor
    }

    override func carryOut() async {
        let request: RecordQuery
        if let cursor {
            request = RecordQuery(continuing: cursor, desiredKeys: desiredKeys, resultsLimit: resultsLimit)
        } else if let query {
            request = RecordQuery(query, zoneID: zoneID, desiredKeys: desiredKeys, resultsLimit: resultsLimit)
        } else {
            let error = CKError(.invalidArguments, reason: "A query operation needs a query or a cursor")
            return callBack { self.conclude(.failure(error)) }
        }
        await perform(request) {
            self.receive($0)
        } end: {
            self.conclude($0)
        }
    }

    private func receive(_ event: RecordQuery.Event) {
        if let recordMatchedBlock {
            recordMatchedBlock(event.recordID, event.result.erased)
        } else if case .success(let record) = event.result {
            oldRecordBlock?(record)
        }
    }

    private func conclude(_ result: Result<Cursor?, CKError>) {
        queryResultBlock?(result.erased)
        oldCompletionBlock?((try? result.get()) ?? nil, result.failure)
    }
}

/// Where a query goes on: `CKQueryOperation.Cursor`, under the class name that archives carry.
// Unchecked because it holds a CKQuery, which is a copy that nobody else changes.
public final class CKQueryCursor: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
    let query: CKQuery
    let zoneID: CKRecordZone.ID?
    /// The server's continuation marker; it goes with this query only.
    let marker: String

    init(query: CKQuery, zoneID: CKRecordZone.ID?, marker: String) {
        self.query = query
        self.zoneID = zoneID
        self.marker = marker
        super.init()
    }

    public func copy(with zone: NSZone? = nil) -> Any { self }
    public override func copy() -> Any { self }

    // MARK: Archiving

    public static var supportsSecureCoding: Bool { true }
    public override class func classFallbacksForKeyedArchiver() -> [String] { ["CKQueryCursor"] }

    // No public archive shows Apple's keys, and a cursor is of use only to the server that made it.
    private enum Key {
        static let query = "Query"
        static let zoneID = "ZoneID"
        static let marker = "Marker"
    }

    public required init?(coder: NSCoder) {
        let decoded = ArchiveReader.read(coder) { archive -> (CKQuery, CKRecordZone.ID?, String)? in
            guard let query = archive.object(CKQuery.self, Key.query), let marker = archive.string(Key.marker) else {
                return nil
            }
            return (query, archive.object(CKRecordZone.ID.self, Key.zoneID), marker)
        }
        guard let decoded else { return nil }
        (query, zoneID, marker) = decoded
        super.init()
    }

    public func encode(with coder: NSCoder) {
        coder.encode(query as Any?, forKey: Key.query)
        coder.encode(zoneID as Any?, forKey: Key.zoneID)
        coder.encode(marker as Any?, forKey: Key.marker)
    }
}
