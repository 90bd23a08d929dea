/// What failed in one fetch or send, item by item.
package struct SyncFailures: Sendable {
    private var ofZones: [CKRecordZone.ID: CKError] = [:]
    private var ofRecords: [CKRecord.ID: CKError] = [:]

    mutating func add(_ error: CKError, for zoneID: CKRecordZone.ID) { ofZones[zoneID] = error }
    mutating func add(_ error: CKError, for recordID: CKRecord.ID) { ofRecords[recordID] = error }

    /// `.partialFailure` with the items' errors; nil where nothing failed. Which error Apple's engine throws is not
    /// documented; this is how its other functions tell of single items.
    var error: CKError? {
        var failures = PartialFailures()
        for (zoneID, error) in ofZones { failures.add(error, for: zoneID) }
        for (recordID, error) in ofRecords { failures.add(error, for: recordID) }
        return failures.error
    }
}
