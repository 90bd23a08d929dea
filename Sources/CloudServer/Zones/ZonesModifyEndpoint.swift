import CloudStore
import WebServices

/// `POST zones/modify`: operations are independent of each other, and all are attempted. [Apple:ModifyZones]
struct ZonesModifyEndpoint: WritingEndpoint {
    private let request: ZonesModify.Request

    init(_ request: ZonesModify.Request) {
        self.request = request
    }

    func run(_ context: RequestContext, _ writer: ContainerWriter) throws -> Answer {
        guard request.operations.count <= context.limits.items else {
            throw ServerError.tooManyItems(request.operations.count, limit: context.limits.items)
        }
        var named: Set<String> = []
        let zones = try request.operations.map { operation -> ZoneResult in
            do {
                guard named.insert(operation.zoneID.zoneName).inserted else {
                    throw ServerError.badRequest("A request has at most one operation for each zone")
                }
                return .zone(try zone(operation, context, writer))
            } catch let error as ServerError {
                return .failure(operation.zoneID, error)
            }
        }
        return .zones(ZonesResponse(zones: zones))
    }

    private func zone(
        _ operation: ZonesModify.Operation, _ context: RequestContext, _ writer: ContainerWriter
    ) throws -> Zone {
        if operation.zoneID.isDefault {
            throw ServerError.badRequest("The default zone can be neither created nor deleted")
        }
        guard context.database == .private else {
            throw ServerError.badRequest(
                "Zones can be neither created nor deleted in the database type '\(context.databaseTypeName)'")
        }
        switch operation.type {
        case .create:
            try Self.checkName(operation.zoneID.zoneName)
            let key = try context.zoneKey(for: operation.zoneID)
            // A zone that exists is a success, as it is for the native framework.
            if let row = try writer.zone(key) { return context.zone(row) }
            context.afterCommit.zoneChanged(ChangedZone(key.name, recordTypes: []))
            return context.zone(try writer.insertZone(key: key, created: context.now))
        case .delete:
            let key = try context.zoneKey(for: operation.zoneID)
            guard let row = try writer.zone(key) else { throw try context.missingZone(key, writer) }
            // The zone is gone with the commit; its records go later, in steps.
            try writer.deleteZone(row, reason: ZoneDeletionReason.deleted.rawValue, at: context.now)
            context.afterCommit.zoneChanged(ChangedZone(key.name, recordTypes: nil))
            return Zone(zoneID: context.zoneID(of: key), atomic: true, deleted: true)
        }
    }

    /// Up to 255 ASCII characters that do not begin with an underscore. [CKRecordZone.ID]
    private static func checkName(_ name: String) throws(ServerError) {
        guard !name.isEmpty, name.utf8.count <= Limits.nameLength, !name.hasPrefix("_"),
            name.utf8.allSatisfy({ (0x20..<0x7F).contains($0) })
        else {
            throw .badRequest(
                "Invalid zone name '\(String(name.prefix(64)))': 1 to 255 ASCII characters that do not begin with '_'")
        }
    }
}
