import CloudStore
import WebServices

/// The record of type `Users` that each user has in the public database. It is there from the first request that tells
/// the user's record name to anybody, so that others who know the name find it and can refer to it.
enum UserRecord {
    static func isThere(_ context: RequestContext, _ reader: ContainerReader) throws -> Bool {
        guard let user = context.caller.user else { return true }
        let key = ZoneKey(scope: .public, owner: "", name: ZoneID.defaultZoneName)
        guard let zone = try reader.zone(key), let row = try reader.record(zone: zone.id, name: user.recordName) else {
            return false
        }
        return !row.deleted
    }

    /// Makes the caller's, unless it is there. Where it has no room (a quota) it waits for the next such request.
    static func make(_ context: RequestContext, _ writer: ContainerWriter) throws {
        guard let user = context.caller.user, try !isThere(context, writer) else { return }
        let record = Record(recordName: user.recordName, recordType: RecordNaming.usersType)
        let request = RecordsModify.Request(operations: [.init(.forceUpdate, record)])
        _ = try RecordsModifyEndpoint(request).run(context.makingUserRecord(), writer)
    }
}
