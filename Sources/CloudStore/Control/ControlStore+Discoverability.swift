import SQL

/// Whether a person lets others find them in a container.
package struct DiscoverabilityRow: Sendable, Equatable {
    package var container: String
    /// The person's name in that container.
    package var userRecordName: String
    /// The account's id.
    package var account: String
    package var isGranted: Bool

    package init(container: String, userRecordName: String, account: String, isGranted: Bool) {
        self.container = container
        self.userRecordName = userRecordName
        self.account = account
        self.isGranted = isGranted
    }
}

extension ControlStore {
    package func discoverability(of userRecordName: String, container: String) throws(StoreError)
        -> DiscoverabilityRow?
    {
        try discoverability("WHERE container = ?1 AND user_name = ?2") {
            $0.bind(1, container)
            $0.bind(2, userRecordName)
        }.first
    }

    /// What an account has said, by container.
    package func discoverability(account: String) throws(StoreError) -> [DiscoverabilityRow] {
        try discoverability("WHERE account = ?1 ORDER BY container") { $0.bind(1, account) }
    }

    /// - Parameter replacing: whether it takes the place of what was said before.
    package func setDiscoverability(_ row: DiscoverabilityRow, replacing: Bool) throws(StoreError) {
        let conflict = replacing ? "UPDATE SET granted = excluded.granted" : "NOTHING"
        try write { session in
            try session.run(
                "INSERT INTO discoverability (container, user_name, account, granted) VALUES (?1, ?2, ?3, ?4) "
                    + "ON CONFLICT (container, user_name) DO \(conflict)"
            ) {
                $0.bind(1, row.container)
                $0.bind(2, row.userRecordName)
                $0.bind(3, row.account)
                $0.bind(4, row.isGranted)
            }
        }
    }

    private func discoverability(_ rest: String, _ bind: (any Statement) -> Void) throws(StoreError)
        -> [DiscoverabilityRow]
    {
        try read { session in
            try session.rows("SELECT container, user_name, account, granted FROM discoverability \(rest)", bind) {
                DiscoverabilityRow(
                    container: $0.text(0), userRecordName: $0.text(1), account: $0.text(2), isGranted: $0.bool(3))
            }
        }
    }
}
