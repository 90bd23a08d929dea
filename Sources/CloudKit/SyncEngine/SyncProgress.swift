/// How far an engine has come with the server. What is still to be sent is kept apart, so that a mirror of a store can use
/// its own history in place of a queue.
package struct SyncProgress: Sendable, Equatable {
    /// Whose changes these are; nil before the first sign-in and after a sign-out.
    package var userRecordName: String?
    package var databaseToken: String?
    /// How far each zone has been read. A zone that is not here has not been read at all.
    package var zoneTokens: [CKRecordZone.ID: String] = [:]
    /// Zones known to have changes, in the order in which the server told of them.
    package private(set) var unfetchedZoneIDs: [CKRecordZone.ID] = []
    private var unfetched: Set<CKRecordZone.ID> = []

    package init(userRecordName: String? = nil) {
        self.userRecordName = userRecordName
    }

    package func isUnfetched(_ zoneID: CKRecordZone.ID) -> Bool { unfetched.contains(zoneID) }

    package mutating func addUnfetched(_ zoneID: CKRecordZone.ID) {
        if unfetched.insert(zoneID).inserted { unfetchedZoneIDs.append(zoneID) }
    }

    package mutating func removeUnfetched(_ zoneID: CKRecordZone.ID) {
        guard unfetched.remove(zoneID) != nil else { return }
        unfetchedZoneIDs.removeAll { $0 == zoneID }
    }

    /// Forgets a zone that is gone: one of the same name would be another zone.
    package mutating func forget(_ zoneID: CKRecordZone.ID) {
        zoneTokens[zoneID] = nil
        removeUnfetched(zoneID)
    }
}
