import SQL

extension ControlStore {
    private static let accountColumns = "id, name, password_hash, created, generation, first_name, last_name"

    /// - Throws: `.constraint` when the id or the name is taken.
    package func insertAccount(_ account: AccountRow) throws(StoreError) {
        try write { session in
            try session.run("INSERT INTO account (\(Self.accountColumns)) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)") {
                $0.bind(1, account.id)
                $0.bind(2, account.name)
                $0.bind(3, account.passwordHash)
                $0.bind(4, account.created)
                $0.bind(5, account.generation)
                $0.bind(6, account.firstName)
                $0.bind(7, account.lastName)
            }
        }
    }

    package func account(id: String) throws(StoreError) -> AccountRow? {
        try accounts("WHERE id = ?1") { $0.bind(1, id) }.first
    }

    package func account(name: String) throws(StoreError) -> AccountRow? {
        try accounts("WHERE name = ?1") { $0.bind(1, name) }.first
    }

    /// All accounts, by name.
    package func accounts() throws(StoreError) -> [AccountRow] {
        try accounts("ORDER BY name") { _ in }
    }

    /// Sets another password and, in the same step, makes every token of the account void.
    package func updatePassword(account: String, hash: String?) throws(StoreError) {
        try write { session in
            try session.run("UPDATE account SET password_hash = ?2, generation = generation + 1 WHERE id = ?1") {
                $0.bind(1, account)
                $0.bind(2, hash)
            }
        }
    }

    /// Deletes the account and its sessions; its zones are the caller's to delete.
    package func deleteAccount(id: String) throws(StoreError) {
        try write { session in
            try session.run("DELETE FROM session WHERE account = ?1") { $0.bind(1, id) }
            try session.run("DELETE FROM discoverability WHERE account = ?1") { $0.bind(1, id) }
            try session.run("DELETE FROM account WHERE id = ?1") { $0.bind(1, id) }
        }
    }

    private func accounts(_ rest: String, _ bind: (any Statement) -> Void) throws(StoreError) -> [AccountRow] {
        try read { session in
            try session.rows("SELECT \(Self.accountColumns) FROM account \(rest)", bind) {
                AccountRow(
                    id: $0.text(0), name: $0.text(1), passwordHash: $0.optionalText(2), created: $0.int64(3),
                    generation: $0.int64(4), firstName: $0.optionalText(5), lastName: $0.optionalText(6))
            }
        }
    }
}
