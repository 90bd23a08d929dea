import WebServices

/// Fetches records by identifier, of any number of zones, in one call. [Apple:LookupRecords]
struct RecordLookup: DatabaseRequest {
    struct Event: Sendable {
        var recordID: CKRecord.ID
        var result: Result<CKRecord, CKError>
    }

    /// Each record once, in the order asked for.
    let recordIDs: [CKRecord.ID]
    /// nil is all fields, empty none.
    let desiredKeys: [CKRecord.FieldKey]?
    /// Told of the part of a record's files that has come.
    let progress: (@Sendable (CKRecord.ID, Double) -> Void)?

    init(
        recordIDs: [CKRecord.ID], desiredKeys: [CKRecord.FieldKey]?,
        progress: (@Sendable (CKRecord.ID, Double) -> Void)? = nil
    ) {
        self.progress = progress
        self.recordIDs = recordIDs.distinct { $0 }
        self.desiredKeys = desiredKeys
    }

    func perform(in session: DatabaseSession, report: @Sendable (Event) -> Void) async throws(CKError) {
        guard let first = recordIDs.first else { return }
        let items = recordIDs.map { RecordsLookup.Item(recordName: $0.recordName, zoneID: ZoneID($0.zoneID)) }
        let request = RecordsLookup.Request(records: items, zoneID: ZoneID(first.zoneID), desiredKeys: desiredKeys)
        let answer: Answer
        do throws(CKError) {
            answer = try await session.answer(to: .recordsLookup(request))
        } catch {
            // A missing zone fails its records, not the call.
            guard error.code == .zoneNotFound || error.code == .userDeletedZone,
                recordIDs.allSatisfy({ $0.zoneID == first.zoneID })
            else { throw error }
            for recordID in recordIDs { report(Event(recordID: recordID, result: .failure(error))) }
            return
        }
        guard case .recordsLookup(let response) = answer, response.records.count == recordIDs.count else {
            throw CKError.unexpectedAnswer
        }
        let user = await session.currentUser(in: response.records)
        let records = try await session.records(
            from: response.records, in: recordIDs.map(\.zoneID), currentUser: user
        ) { [recordIDs, progress] position, part in
            progress?(recordIDs[position], part)
        }
        for (recordID, result) in zip(recordIDs, records) { report(Event(recordID: recordID, result: result)) }
    }
}

extension RecordResult {
    /// The record that an answer carries.
    ///
    /// - Parameters:
    ///   - zoneID: The zone that was asked, where the answer names none.
    ///   - currentUser: The account's record name.
    func record(in zoneID: CKRecordZone.ID, currentUser: String?) -> Result<CKRecord, CKError> {
        switch self {
        case .failure(_, let error, _):
            return .failure(CKError(error))
        case .record(let record):
            do throws(CKError) { return .success(try CKRecord(record, zoneID: zoneID, currentUser: currentUser)) } catch
            {
                return .failure(error)
            }
        }
    }

    var recordName: String {
        switch self {
        case .record(let record): record.recordName
        case .failure(let recordName, _, _): recordName
        }
    }
}
