/// `POST changes/zone`. [Apple:FetchingRecordZoneChanges]
package enum ChangesZone {
    /// One zone to read; nil members take the request's own values.
    package struct ZoneRequest: Sendable {
        package var zoneID: ZoneID
        /// nil reads from the start; an empty string means "caught up".
        package var syncToken: String?
        package var reverse: Bool?
        package var desiredKeys: [String]?
        package var desiredRecordTypes: [String]?
        package var resultsLimit: Int?
        package var numbersAsStrings: Bool?

        package init(
            zoneID: ZoneID, syncToken: String? = nil, reverse: Bool? = nil, desiredKeys: [String]? = nil,
            desiredRecordTypes: [String]? = nil, resultsLimit: Int? = nil, numbersAsStrings: Bool? = nil
        ) {
            self.zoneID = zoneID
            self.syncToken = syncToken
            self.reverse = reverse
            self.desiredKeys = desiredKeys
            self.desiredRecordTypes = desiredRecordTypes
            self.resultsLimit = resultsLimit
            self.numbersAsStrings = numbersAsStrings
        }
    }

    package struct Request: Sendable {
        package var zones: [ZoneRequest]
        package var reverse: Bool?
        package var desiredKeys: [String]?
        package var desiredRecordTypes: [String]?
        package var resultsLimit: Int?
        package var numbersAsStrings: Bool

        package init(
            zones: [ZoneRequest], reverse: Bool? = nil, desiredKeys: [String]? = nil,
            desiredRecordTypes: [String]? = nil, resultsLimit: Int? = nil, numbersAsStrings: Bool = false
        ) {
            self.zones = zones
            self.reverse = reverse
            self.desiredKeys = desiredKeys
            self.desiredRecordTypes = desiredRecordTypes
            self.resultsLimit = resultsLimit
            self.numbersAsStrings = numbersAsStrings
        }
    }

    /// Records changed, created and deleted since the token, oldest first, each once in its newest state.
    package struct Page: Sendable {
        package var zoneID: ZoneID
        package var records: [Record]
        package var syncToken: String
        package var moreComing: Bool
        package var numbersAsStrings: Bool

        package init(
            zoneID: ZoneID, records: [Record], syncToken: String, moreComing: Bool, numbersAsStrings: Bool = false
        ) {
            self.zoneID = zoneID
            self.records = records
            self.syncToken = syncToken
            self.moreComing = moreComing
            self.numbersAsStrings = numbersAsStrings
        }
    }

    package enum ZoneResult: Sendable {
        case page(Page)
        case failure(ZoneID, ServerError)
    }

    package struct Response: Sendable {
        package var zones: [ZoneResult]

        package init(zones: [ZoneResult]) {
            self.zones = zones
        }
    }
}
