import SQL

extension ControlStore {
    package func insertSession(_ row: SessionRow) throws(StoreError) {
        try write { session in
            try session.run("INSERT INTO session (id, account, created, expires, revoked) VALUES (?1, ?2, ?3, ?4, ?5)")
            {
                $0.bind(1, row.id)
                $0.bind(2, row.account)
                $0.bind(3, row.created)
                $0.bind(4, row.expires)
                $0.bind(5, row.revoked)
            }
        }
    }

    package func session(id: String) throws(StoreError) -> SessionRow? {
        try read { session in
            try session.rows("SELECT id, account, created, expires, revoked FROM session WHERE id = ?1") {
                $0.bind(1, id)
            } _: {
                SessionRow(
                    id: $0.text(0), account: $0.text(1), created: $0.int64(2), expires: $0.int64(3), revoked: $0.bool(4)
                )
            }
        }.first
    }

    package func revokeSession(id: String) throws(StoreError) {
        try write { session in
            try session.run("UPDATE session SET revoked = 1 WHERE id = ?1") { $0.bind(1, id) }
        }
    }

    /// Removes sessions that ended before a time.
    package func deleteSessions(expiredBefore time: Int64) throws(StoreError) {
        try write { session in
            try session.run("DELETE FROM session WHERE expires < ?1") { $0.bind(1, time) }
        }
    }
}
