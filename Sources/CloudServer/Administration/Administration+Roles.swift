import CloudStore
import WebServices

extension Administration {
    /// A role of a container's environment, and who has it.
    package struct RoleSummary: Sendable, Hashable {
        package var name: String
        /// Names of accounts, sorted; of an account that is gone, its record name.
        package var members: [String]
    }

    /// The roles of a container's environment, by name. They come with its schema.
    package func roles(of container: String, _ environment: CloudEnvironment) throws -> [RoleSummary] {
        try checkContainer(container)
        guard let store = try store.container(container, environment.rawValue, create: false) else { return [] }
        let (roles, members) = try store.read { (try $0.roles(), try $0.roleMembers()) }
        guard !members.isEmpty else { return roles.map { RoleSummary(name: $0, members: []) } }
        let secret = try ServerSecret(control, random: random)
        var names: [String: String] = [:]
        for account in try control.accounts() {
            names[secret.userRecordName(account: account.id, container: container)] = account.name
        }
        return roles.map { role in
            RoleSummary(
                name: role, members: members.filter { $0.role == role }.map { names[$0.owner] ?? $0.owner }.sorted())
        }
    }

    /// Gives an account a role in a container's environment. It counts from the account's next request.
    package func grantRole(
        _ role: String, to account: String, in container: String, _ environment: CloudEnvironment
    ) throws {
        let (store, row) = try member(role, account, container, environment)
        try store.writeAndWait { try $0.insertRoleMember(row) }
    }

    /// Takes a role from an account; one that does not have it is no error.
    package func revokeRole(
        _ role: String, from account: String, in container: String, _ environment: CloudEnvironment
    ) throws {
        let (store, row) = try member(role, account, container, environment)
        try store.writeAndWait { try $0.deleteRoleMember(row) }
    }

    private func member(
        _ role: String, _ account: String, _ container: String, _ environment: CloudEnvironment
    ) throws -> (ContainerStore, RoleMemberRow) {
        try checkContainer(container)
        let account = try existingAccount(account)
        guard let store = try store.container(container, environment.rawValue, create: false),
            try store.read({ try $0.roles() }).contains(role)
        else { throw AdministrationError.noRole(role) }
        let owner = try ServerSecret(control, random: random).userRecordName(
            account: account.id, container: container)
        return (store, RoleMemberRow(owner: owner, role: role))
    }
}
