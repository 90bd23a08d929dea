import CloudStore
import WebServices

/// `GET zones/list`: the default zone, which every database but the shared one has, then the others by name.
struct ZonesListEndpoint: ReadingEndpoint {
    func run(_ context: RequestContext, _ reader: ContainerReader) throws -> Answer {
        // Nothing is shared with anybody yet.
        if context.database == .shared { return .zones(ZonesResponse(zones: [])) }
        var zones = [context.defaultZone]
        if context.database == .private {
            zones += try reader.zones(scope: context.scope, owner: context.zoneOwner)
                .filter { $0.key.name != ZoneID.defaultZoneName }.map(context.zone)
        }
        return .zones(ZonesResponse(zones: zones.map { .zone($0) }))
    }
}

/// `POST zones/lookup`. [Apple:GettingZonesbyIdentifier]
struct ZonesLookupEndpoint: ReadingEndpoint {
    private let request: ZonesLookup.Request

    init(_ request: ZonesLookup.Request) {
        self.request = request
    }

    func run(_ context: RequestContext, _ reader: ContainerReader) throws -> Answer {
        guard request.zones.count <= context.limits.items else {
            throw ServerError.tooManyItems(request.zones.count, limit: context.limits.items)
        }
        var lookups = ZoneLookups()
        let zones = try request.zones.map { zoneID -> ZoneResult in
            do {
                return .zone(try lookups.zone(zoneID, context, reader).map(context.zone) ?? context.defaultZone)
            } catch let error as ServerError {
                return .failure(zoneID, error)
            }
        }
        return .zones(ZonesResponse(zones: zones))
    }
}

extension RequestContext {
    /// A zone as answers carry it.
    func zone(_ row: ZoneRow) -> Zone {
        if row.key.name == ZoneID.defaultZoneName { return defaultZone }
        return Zone(zoneID: zoneID(of: row.key), syncToken: syncToken(of: row), atomic: true)
    }

    /// It is there before anything was written to it; it has no atomic batches and keeps no history.
    var defaultZone: Zone {
        Zone(
            zoneID: zoneID(of: ZoneKey(scope: scope, owner: zoneOwner, name: ZoneID.defaultZoneName)), atomic: false)
    }
}
