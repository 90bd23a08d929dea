import CloudStore
import WebServices

/// What a person has erased of an app's data in a private database.
package enum Erasure: Sendable, Hashable {
    /// Everything: the devices hear that their user purged the zones, and delete what they have.
    case everything
    /// The zones with encrypted fields, as when an account's keys were lost: the devices hear that the encrypted data was
    /// reset, make the zones again and upload what they have.
    case encryptedData

    var reason: ZoneDeletionReason {
        switch self {
        case .everything: .purged
        case .encryptedData: .encryptedDataReset
        }
    }
}

extension Administration {
    /// The zones of one environment that an erasure took.
    package struct ErasedZones: Sendable, Hashable {
        package var environment: String
        /// The user record's name of the account in the container.
        package var owner: String
        package var zones: [String]
    }

    /// Erases an account's private data in one container, in every environment. What it saved in the public database stays.
    ///
    /// Each environment is one transaction; the records go later, in the server's steps.
    ///
    /// - Throws: `AdministrationError` for an account or container that is not there, or `StoreError`.
    @discardableResult
    package func erase(
        _ erasure: Erasure, ofAccount name: String, container identifier: String
    ) throws -> [ErasedZones] {
        let account = try existingAccount(name)
        try checkContainer(identifier)
        let owner = try ServerSecret(control, random: random).userRecordName(
            account: account.id, container: identifier)
        let now = clock.now()
        return try store.containers().filter { $0.identifier == identifier }.compactMap { _, environment in
            guard let container = try store.container(identifier, environment, create: false) else { return nil }
            let erased = try container.writeAndWait { writer in
                try writer.zones(scope: .private, owner: owner).filter { zone in
                    guard try erasure == .everything || writer.zoneKey(zone: zone.id) != nil else { return false }
                    try writer.deleteZone(zone, reason: erasure.reason.rawValue, at: now)
                    return true
                }
            }
            return ErasedZones(environment: environment, owner: owner, zones: erased.map(\.key.name))
        }
    }
}

extension CloudServer {
    /// Erases an account's private data in one container, and tells its devices by push.
    ///
    /// - Throws: `AdministrationError` for an account or container that is not there, or `StoreError`.
    package func erase(_ erasure: Erasure, ofAccount name: String, container identifier: String) throws {
        let administration = Administration(store: store, clock: clock, random: random)
        for erased in try administration.erase(erasure, ofAccount: name, container: identifier) {
            guard let environment = CloudEnvironment(rawValue: erased.environment) else { continue }
            // A default zone has no feed.
            let zones = erased.zones.filter { $0 != ZoneID.defaultZoneName }
            guard !zones.isEmpty else { continue }
            push.zonesChanged(
                zones.map { ChangedZone($0, recordTypes: nil) },
                of: PushOwner(
                    realm: PushRealm(container: identifier, environment: environment), userRecordName: erased.owner),
                by: nil)
        }
    }
}
