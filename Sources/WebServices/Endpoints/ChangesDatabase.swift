/// `POST changes/database`. [Apple:FetchingDatabaseChanges]
package enum ChangesDatabase {
    package struct Request: Sendable {
        package var syncToken: String?
        package var resultsLimit: Int?
        /// Ours: of these zones, those that changed answer with their first page too, which saves a client that keeps up
        /// a round trip. At most `zonePageLimit`.
        package var zonePages: [ChangesZone.ZoneRequest]

        package init(
            syncToken: String? = nil, resultsLimit: Int? = nil, zonePages: [ChangesZone.ZoneRequest] = []
        ) {
            self.syncToken = syncToken
            self.resultsLimit = resultsLimit
            self.zonePages = zonePages
        }
    }

    package struct Response: Sendable {
        package var zones: [ZoneResult]
        package var syncToken: String
        package var moreComing: Bool
        /// Ours: first pages of the zones that the request named. They are as new as `syncToken`, or newer.
        package var zonePages: [ChangesZone.ZoneResult]

        package init(
            zones: [ZoneResult], syncToken: String, moreComing: Bool, zonePages: [ChangesZone.ZoneResult] = []
        ) {
            self.zones = zones
            self.syncToken = syncToken
            self.moreComing = moreComing
            self.zonePages = zonePages
        }
    }

    package static let zonePageLimit = 8
}

/// `POST zones/changes`, deprecated in favour of `changes/database`; its token is `metaSyncToken`. [Apple:GetZoneChanges]
/// A request's `syncToken` is read as well, and both names are answered, since clients mix them up.
package enum ZonesChanges {
    package typealias Request = ChangesDatabase.Request
    package typealias Response = ChangesDatabase.Response
}
