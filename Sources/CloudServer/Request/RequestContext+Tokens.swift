import CloudStore
import WebServices

extension RequestContext {
    /// Seals this container's tokens.
    package var tokenKey: TokenKey {
        let secret = secret
        return TokenKey(container: container, environment: environment.rawValue) { secret.code(.changeToken, $0) }
    }

    /// The zone's token as of now, which `getCurrentSyncToken=true` asks for; nil in the public database, which has none.
    package func currentToken(_ zone: ZoneKey, _ reader: ContainerReader) throws -> String? {
        guard zone.scope == .private, let row = try reader.zone(zone) else { return nil }
        let history = ZoneHistory(
            id: row.id, incarnation: row.incarnation, incarnationStart: row.incarnationStart, sequence: row.sequence,
            horizon: row.horizon)
        return ZoneToken.caughtUp(history).text(tokenKey)
    }
}
