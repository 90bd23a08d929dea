import CloudStore
import WebServices

extension Administration {
    /// What went from one environment of a container.
    package struct Erased: Sendable, Hashable {
        package var environment: CloudEnvironment
        /// Whose it was, as the container knows the account.
        package var userRecordName: String
        /// The zones that went, by name; the default zone among them where something was in it.
        package var zones: [String]
        package var records: Int64
        package var bytes: Int64
    }

    /// Erases what an account has in its private databases of a container, as its user does in the system's settings: the
    /// zones go with the reason `purged`, and apps forget what they have of them. Subscriptions and roles stay, and so does
    /// what the account saved in the public database.
    ///
    /// - Parameter environment: nil for both.
    /// - Returns: what went; nothing of an environment in which there was nothing.
    /// - Throws: `AdministrationError.noAccount` or `.noContainer`, or `StoreError`.
    @discardableResult
    package func erase(
        account name: String, in container: String, _ environment: CloudEnvironment? = nil
    ) throws -> [Erased] {
        try removeZones(of: name, in: container, environment, .purged) { _, _ in true }
    }

    /// Resets an account's encrypted data in a container, as its user does who has lost every device that knew its key: the
    /// zones that hold encrypted values go with the reason `encryptedDataReset`, and apps upload again what they have of
    /// them. Other zones stay.
    ///
    /// - Parameter environment: nil for both.
    /// - Returns: what went; nothing of an environment in which there was nothing.
    /// - Throws: `AdministrationError.noAccount` or `.noContainer`, or `StoreError`.
    @discardableResult
    package func resetEncryptedData(
        ofAccount name: String, in container: String, _ environment: CloudEnvironment? = nil
    ) throws -> [Erased] {
        try removeZones(of: name, in: container, environment, .encryptedDataReset) { zone, reader in
            try reader.zoneKey(zone: zone.id) != nil
        }
    }

    private func removeZones(
        of name: String, in container: String, _ environment: CloudEnvironment?, _ reason: ZoneDeletionReason,
        where goes: @escaping @Sendable (ZoneRow, ContainerReader) throws -> Bool
    ) throws -> [Erased] {
        let account = try existingAccount(name)
        try checkContainer(container)
        let owner = try ServerSecret(control, random: random).userRecordName(account: account.id, container: container)
        let now = clock.now()
        var erased: [Erased] = []
        for place in CloudEnvironment.allCases where environment == nil || environment == place {
            guard let store = try store.container(container, place.rawValue, create: false) else { continue }
            let gone = try store.writeAndWait { writer -> [ZoneRow] in
                var gone: [ZoneRow] = []
                for zone in try writer.zones(scope: .private, owner: owner) {
                    guard let zone = try writer.lockZone(zone.id), try goes(zone, writer) else { continue }
                    try writer.deleteZone(zone, reason: reason.rawValue, at: now)
                    gone.append(zone)
                }
                return gone
            }
            guard !gone.isEmpty else { continue }
            erased.append(
                Erased(
                    environment: place, userRecordName: owner, zones: gone.map(\.key.name),
                    records: gone.reduce(0) { $0 + $1.recordCount }, bytes: gone.reduce(0) { $0 + $1.byteCount }))
        }
        return erased
    }
}

extension CloudServer {
    /// `Administration.erase`, and devices that wait for pushes are told at once.
    @discardableResult
    package func erase(
        account name: String, in container: String, _ environment: CloudEnvironment? = nil
    ) throws -> [Administration.Erased] {
        tell(try administration.erase(account: name, in: container, environment), container)
    }

    /// `Administration.resetEncryptedData`, and devices that wait for pushes are told at once.
    @discardableResult
    package func resetEncryptedData(
        ofAccount name: String, in container: String, _ environment: CloudEnvironment? = nil
    ) throws -> [Administration.Erased] {
        tell(try administration.resetEncryptedData(ofAccount: name, in: container, environment), container)
    }

    var administration: Administration { Administration(store: store, clock: clock, random: random) }

    private func tell(_ erased: [Administration.Erased], _ container: String) -> [Administration.Erased] {
        for part in erased {
            let zones = part.zones.filter { $0 != ZoneID.defaultZoneName }.map { ChangedZone($0, recordTypes: nil) }
            let realm = PushRealm(container: container, environment: part.environment)
            push.zonesChanged(zones, of: PushOwner(realm: realm, userRecordName: part.userRecordName), by: nil)
        }
        return erased
    }
}
