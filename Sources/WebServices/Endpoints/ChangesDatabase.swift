/// `POST changes/database`. [Apple:FetchingDatabaseChanges]
package enum ChangesDatabase {
    package struct Request: Sendable {
        package var syncToken: String?
        package var resultsLimit: Int?

        package init(syncToken: String? = nil, resultsLimit: Int? = nil) {
            self.syncToken = syncToken
            self.resultsLimit = resultsLimit
        }
    }

    package struct Response: Sendable {
        package var zones: [ZoneResult]
        package var syncToken: String
        package var moreComing: Bool

        package init(zones: [ZoneResult], syncToken: String, moreComing: Bool) {
            self.zones = zones
            self.syncToken = syncToken
            self.moreComing = moreComing
        }
    }
}

/// `POST zones/changes`, deprecated in favour of `changes/database`; its token is `metaSyncToken`. [Apple:GetZoneChanges]
/// A request's `syncToken` is read as well, and both names are answered, since clients mix them up.
package enum ZonesChanges {
    package typealias Request = ChangesDatabase.Request
    package typealias Response = ChangesDatabase.Response
}
