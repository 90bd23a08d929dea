import SQL

extension ControlStore {
    /// Registers a container; false when it was registered already.
    ///
    /// - Parameter created: milliseconds since 1970.
    @discardableResult
    package func insertContainer(_ identifier: String, created: Int64) throws(StoreError) -> Bool {
        try write { session in
            try session.run(
                "INSERT INTO container (identifier, created) VALUES (?1, ?2) ON CONFLICT (identifier) DO NOTHING"
            ) {
                $0.bind(1, identifier)
                $0.bind(2, created)
            }
        } > 0
    }

    /// All registered containers, by identifier.
    package func containers() throws(StoreError) -> [RegisteredContainerRow] {
        try read { session in
            try session.rows("SELECT identifier, created, request_log_life FROM container ORDER BY identifier") { _ in
            } _: {
                RegisteredContainerRow(
                    identifier: $0.text(0), created: $0.int64(1), requestLogLife: $0.isNull(2) ? nil : $0.int64(2))
            }
        }
    }

    /// Says how long a container's requests stay in the request log; false when it is not registered.
    ///
    /// - Parameter life: milliseconds; nil goes back to the server's setting.
    @discardableResult
    package func setRequestLogLife(_ life: Int64?, container identifier: String) throws(StoreError) -> Bool {
        try write { session in
            try session.run("UPDATE container SET request_log_life = ?2 WHERE identifier = ?1") {
                $0.bind(1, identifier)
                $0.bind(2, life)
            }
        } > 0
    }

    /// Forgets a container; its stores stay.
    package func deleteContainer(_ identifier: String) throws(StoreError) {
        try write { session in
            try session.run("DELETE FROM container WHERE identifier = ?1") { $0.bind(1, identifier) }
        }
    }

    // MARK: - Tenants of a PostgreSQL database

    func tenants() throws(StoreError) -> [(identifier: String, environment: String)] {
        try read { session in
            try session.rows("SELECT identifier, environment FROM tenant ORDER BY identifier, environment") { _ in
            } _: {
                ($0.text(0), $0.text(1))
            }
        }
    }

    func tenant(_ identifier: String, _ environment: String) throws(StoreError) -> Int64? {
        try read { session in
            try session.rows("SELECT id FROM tenant WHERE identifier = ?1 AND environment = ?2") {
                $0.bind(1, identifier)
                $0.bind(2, environment)
            } _: {
                $0.int64(0)
            }
        }.first
    }

    /// Makes a tenant, or finds the one that another process made first.
    func makeTenant(_ identifier: String, _ environment: String) throws(StoreError) -> Int64 {
        let made = Int64.random(in: 1 ... .max)
        try write { session in
            try session.run(
                """
                INSERT INTO tenant (identifier, environment, id) VALUES (?1, ?2, ?3)
                ON CONFLICT (identifier, environment) DO NOTHING
                """
            ) {
                $0.bind(1, identifier)
                $0.bind(2, environment)
                $0.bind(3, made)
            }
        }
        return try tenant(identifier, environment) ?? made
    }
}
