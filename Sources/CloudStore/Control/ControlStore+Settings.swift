import SQL

extension ControlStore {
    package func setting(_ name: String) throws(StoreError) -> [UInt8]? {
        try read { session in
            try session.rows("SELECT value FROM setting WHERE name = ?1") {
                $0.bind(1, name)
            } _: {
                $0.blob(0)
            }
        }.first
    }

    package func setSetting(_ name: String, _ value: [UInt8]) throws(StoreError) {
        try write { session in
            try session.run(
                "INSERT INTO setting (name, value) VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET value = excluded.value"
            ) {
                $0.bind(1, name)
                $0.bind(2, value)
            }
        }
    }

    /// Sets a value unless there is one, and returns what is kept: for a key that two processes would make at once.
    package func setting(_ name: String, orSet value: [UInt8]) throws(StoreError) -> [UInt8] {
        try write { session in
            try session.run("INSERT INTO setting (name, value) VALUES (?1, ?2) ON CONFLICT (name) DO NOTHING") {
                $0.bind(1, name)
                $0.bind(2, value)
            }
        }
        return try setting(name) ?? value
    }
}
