/// `POST records/lookup`. [Apple:LookupRecords]
package enum RecordsLookup {
    package struct Item: Sendable {
        package var recordName: String
        /// Our own client asks for records of several zones at once; the request's zone otherwise.
        package var zoneID: ZoneID?
        package var desiredKeys: [String]?

        package init(recordName: String, zoneID: ZoneID? = nil, desiredKeys: [String]? = nil) {
            self.recordName = recordName
            self.zoneID = zoneID
            self.desiredKeys = desiredKeys
        }
    }

    package struct Request: Sendable {
        package var records: [Item]
        package var zoneID: ZoneID?
        package var desiredKeys: [String]?
        package var numbersAsStrings: Bool

        package init(
            records: [Item], zoneID: ZoneID? = nil, desiredKeys: [String]? = nil, numbersAsStrings: Bool = false
        ) {
            self.records = records
            self.zoneID = zoneID
            self.desiredKeys = desiredKeys
            self.numbersAsStrings = numbersAsStrings
        }
    }

    package typealias Response = RecordsModify.Response
}
