import CloudStore
import WebServices

extension Administration {
    /// What an account has in its private database of a container.
    package struct AccountUsage: Sendable, Hashable {
        package var container: String
        package var environment: CloudEnvironment
        package var zones: Int
        package var records: Int64
        /// Of records and files, as it counts for the quota.
        package var bytes: Int64
    }

    /// The private databases in which an account has something, by container. Reads a row for each zone: the sums are kept.
    package func usage(ofAccount name: String) throws -> [AccountUsage] {
        let account = try existingAccount(name)
        let secret = try ServerSecret(control, random: random)
        var usage: [AccountUsage] = []
        for container in try control.containers().map(\.identifier) {
            let owner = secret.userRecordName(account: account.id, container: container)
            for environment in CloudEnvironment.allCases {
                guard let store = try store.container(container, environment.rawValue, create: false) else { continue }
                let zones = try store.read { reader in try reader.zones(scope: .private, owner: owner) }
                guard !zones.isEmpty else { continue }
                usage.append(
                    AccountUsage(
                        container: container, environment: environment, zones: zones.count,
                        records: zones.reduce(0) { $0 + $1.recordCount },
                        bytes: zones.reduce(0) { $0 + $1.byteCount }))
            }
        }
        return usage.sorted { ($0.container, $0.environment.rawValue) < ($1.container, $1.environment.rawValue) }
    }

    /// In which containers others may find the person, or may not: where an app asked, or the person said so. By container.
    package func discoverability(ofAccount name: String) throws -> [(container: String, isGranted: Bool)] {
        try control.discoverability(account: try existingAccount(name).id).map { ($0.container, $0.isGranted) }
    }
}
