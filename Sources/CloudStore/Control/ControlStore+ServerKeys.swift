import SQL

extension ControlStore {
    private static let keyColumns = "id, container, environment, public_key, note, created"

    /// - Throws: `.constraint` where the container's environment has the key already.
    package func insertServerKey(_ key: ServerKeyRow) throws(StoreError) {
        try write { session in
            try session.run("INSERT INTO server_key (\(Self.keyColumns)) VALUES (?1, ?2, ?3, ?4, ?5, ?6)") {
                $0.bind(1, key.id)
                $0.bind(2, key.container)
                $0.bind(3, key.environment)
                $0.bind(4, key.publicKey)
                $0.bind(5, key.note)
                $0.bind(6, key.created)
            }
        }
    }

    package func serverKey(id: String, container: String, environment: String) throws(StoreError) -> ServerKeyRow? {
        try serverKeys("WHERE id = ?1 AND container = ?2 AND environment = ?3") {
            $0.bind(1, id)
            $0.bind(2, container)
            $0.bind(3, environment)
        }.first
    }

    /// All keys, by container, the oldest first.
    package func serverKeys() throws(StoreError) -> [ServerKeyRow] {
        try serverKeys("ORDER BY container, created, id") { _ in }
    }

    /// Deletes a key from one container's environment; one that is not there is no error.
    package func deleteServerKey(_ key: ServerKeyRow) throws(StoreError) {
        try write { session in
            try session.run("DELETE FROM server_key WHERE id = ?1 AND container = ?2 AND environment = ?3") {
                $0.bind(1, key.id)
                $0.bind(2, key.container)
                $0.bind(3, key.environment)
            }
        }
    }

    private func serverKeys(_ rest: String, _ bind: (any Statement) -> Void) throws(StoreError) -> [ServerKeyRow] {
        try read { session in
            try session.rows("SELECT \(Self.keyColumns) FROM server_key \(rest)", bind) {
                ServerKeyRow(
                    id: $0.text(0), container: $0.text(1), environment: $0.text(2), publicKey: $0.blob(3),
                    note: $0.text(4), created: $0.int64(5))
            }
        }
    }
}
