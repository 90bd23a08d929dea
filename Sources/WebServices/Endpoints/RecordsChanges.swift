/// `POST records/changes`, deprecated in favour of `changes/zone`. [Apple:ChangeRecords]
package enum RecordsChanges {
    package struct Request: Sendable {
        package var zoneID: ZoneID
        package var syncToken: String?
        package var resultsLimit: Int?
        package var desiredKeys: [String]?
        package var desiredRecordTypes: [String]?
        package var numbersAsStrings: Bool

        package init(
            zoneID: ZoneID, syncToken: String? = nil, resultsLimit: Int? = nil, desiredKeys: [String]? = nil,
            desiredRecordTypes: [String]? = nil, numbersAsStrings: Bool = false
        ) {
            self.zoneID = zoneID
            self.syncToken = syncToken
            self.resultsLimit = resultsLimit
            self.desiredKeys = desiredKeys
            self.desiredRecordTypes = desiredRecordTypes
            self.numbersAsStrings = numbersAsStrings
        }
    }

    package struct Response: Sendable {
        package var records: [Record]
        package var syncToken: String
        package var moreComing: Bool
        package var reverse: Bool
        package var numbersAsStrings: Bool

        package init(
            records: [Record], syncToken: String, moreComing: Bool, reverse: Bool = false,
            numbersAsStrings: Bool = false
        ) {
            self.records = records
            self.syncToken = syncToken
            self.moreComing = moreComing
            self.reverse = reverse
            self.numbersAsStrings = numbersAsStrings
        }
    }
}
