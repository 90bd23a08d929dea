import SQL

extension ContainerReader {
    /// What is kept for a token that is too long to carry its own content.
    package func tokenState(_ digest: [UInt8]) throws(StoreError) -> (content: [UInt8], expires: Int64)? {
        do {
            let statement = try query("SELECT content, expires FROM token_state WHERE container = ?1 AND digest = ?2")
                .take()
            defer { statement.reset() }
            statement.bind(1, tenant)
            statement.bind(2, digest)
            return try statement.step() ? (statement.blob(0), statement.int64(1)) : nil
        } catch { throw failed(error) }
    }
}

extension ContainerWriter {
    /// Keeps the content of a token under its digest, which is made of the content: saving it again only makes it last.
    ///
    /// - Parameter expires: milliseconds since 1970.
    package func saveTokenState(_ digest: [UInt8], _ content: [UInt8], expires: Int64) throws(StoreError) {
        do {
            let statement = try query(
                """
                INSERT INTO token_state (container, digest, content, expires) VALUES (?1, ?2, ?3, ?4)
                ON CONFLICT (container, digest) DO UPDATE SET expires = excluded.expires
                """
            ).take()
            statement.bind(1, tenant)
            statement.bind(2, digest)
            statement.bind(3, content)
            statement.bind(4, expires)
            try statement.run()
        } catch { throw failed(error) }
    }

    /// Drops contents that nobody asked for in time: one short step.
    package func expireTokenStates(before now: Int64, limit: Int) throws(StoreError) {
        do {
            let statement = try query(
                """
                DELETE FROM token_state WHERE container = ?1 AND digest IN
                    (SELECT digest FROM token_state WHERE container = ?1 AND expires < ?2 LIMIT ?3)
                """
            ).take()
            statement.bind(1, tenant)
            statement.bind(2, now)
            statement.bind(3, Int64(limit))
            try statement.run()
        } catch { throw failed(error) }
    }
}
