import CloudStore
import WebServices

extension RequestContext {
    /// Seals the tokens and markers of this container's environment.
    package var tokenKey: TokenKey {
        let secret = self.secret
        return TokenKey(container: container, environment: environment.rawValue) { secret.code(.changeToken, $0) }
    }

    /// A zone's `syncToken`: of a client that has everything. The default zone and the public database keep no history.
    package func syncToken(of zone: ZoneRow) -> String? {
        guard zone.key.scope != .public, zone.key.name != ZoneID.defaultZoneName else { return nil }
        return ZoneToken.caughtUp(ZoneHistory(zone)).text(tokenKey)
    }

    /// The token of the zone as it is now, which `getCurrentSyncToken=true` asks for.
    package func currentToken(_ zone: ZoneKey, _ reader: ContainerReader) throws -> String? {
        try reader.zone(zone).flatMap(syncToken)
    }

    /// What a database token belongs to.
    var databaseRealm: String { "\(database.rawValue)/\(zoneOwner)" }
}

extension ZoneHistory {
    package init(_ zone: ZoneRow) {
        self.init(
            id: zone.id, incarnation: zone.incarnation, sequence: zone.sequence, horizon: zone.horizon)
    }
}
