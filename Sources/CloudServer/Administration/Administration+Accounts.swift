import CloudStore
import Cryptography

extension Administration {
    package func accounts() throws -> [AccountRow] {
        try control.accounts()
    }

    /// - Throws: `AdministrationError`, `PasswordHash.Failure` or `StoreError`.
    @discardableResult
    package func createAccount(
        name: String, password: String, firstName: String? = nil, lastName: String? = nil
    ) throws -> AccountRow {
        try check(name: name, password: password)
        guard try control.account(name: name) == nil else { throw AdministrationError.accountExists(name) }
        let account = AccountRow(
            id: random.uuid(), name: name, passwordHash: try PasswordHash.make(password), created: clock.now(),
            firstName: firstName, lastName: lastName)
        do {
            try control.insertAccount(account)
        } catch  where error.kind == .constraint {
            throw AdministrationError.accountExists(name)
        }
        return account
    }

    /// Sets another password and ends every session of the account: who knew the old one is out.
    package func setPassword(_ password: String, ofAccount name: String) throws {
        try check(name: name, password: password)
        let account = try existingAccount(name)
        try control.updatePassword(account: account.id, hash: try PasswordHash.make(password))
    }

    /// Deletes the account and everything in its private databases, in every container and environment. What it saved in
    /// public databases stays, as it does in Apple's service.
    package func deleteAccount(_ name: String) throws {
        let account = try existingAccount(name)
        let secret = try ServerSecret(control, random: random)
        let now = clock.now()
        // First nobody can sign in or use a token, then the data goes: a save in between would leave a zone behind.
        try control.deleteAccount(id: account.id)
        for (identifier, environment) in try store.containers() {
            let owner = secret.userRecordName(account: account.id, container: identifier)
            let container = try store.container(identifier, environment, create: false)
            try container?.writeAndWait { writer in
                for zone in try writer.zones(scope: .private, owner: owner) {
                    try writer.deleteZone(zone, reason: ZoneDeletionReason.purged.rawValue, at: now)
                }
                try writer.deletePushState(owner: owner)
                for role in try writer.roles(of: owner) {
                    try writer.deleteRoleMember(RoleMemberRow(owner: owner, role: role))
                }
            }
        }
    }

    /// Lets others find a person in a container, or no longer: the person's own word, which apps cannot change.
    package func setDiscoverable(_ isDiscoverable: Bool, account name: String, in container: String) throws {
        let account = try existingAccount(name)
        let owner = try ServerSecret(control, random: random).userRecordName(account: account.id, container: container)
        try control.setDiscoverability(
            DiscoverabilityRow(
                container: container, userRecordName: owner, account: account.id, isGranted: isDiscoverable),
            replacing: true)
    }

    func existingAccount(_ name: String) throws -> AccountRow {
        guard let account = try control.account(name: name) else { throw AdministrationError.noAccount(name) }
        return account
    }

    private func check(name: String, password: String) throws(AdministrationError) {
        guard !name.isEmpty, name.utf8.count <= Limits.nameLength, !name.contains(where: \.isNewline) else {
            throw .invalid("The name of an account has from 1 to \(Limits.nameLength) bytes and no line break")
        }
        guard !password.isEmpty, password.utf8.count <= 1024 else {
            throw .invalid("A password has from 1 to 1024 bytes")
        }
    }
}
