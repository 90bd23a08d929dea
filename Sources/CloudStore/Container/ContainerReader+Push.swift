import SQL

extension ContainerReader {
    /// Somebody's subscriptions in one of its databases, by name.
    package func subscriptions(scope: SubscriptionScope, owner: String) throws(StoreError) -> [SubscriptionRow] {
        do {
            let statement = try query(
                """
                SELECT name, content FROM subscription WHERE container = ?1 AND scope = ?2 AND owner = ?3 ORDER BY name
                """
            ).take()
            defer { statement.reset() }
            statement.bind(1, tenant)
            statement.bind(2, scope.rawValue)
            statement.bind(3, owner)
            var rows: [SubscriptionRow] = []
            while try statement.step() {
                rows.append(
                    SubscriptionRow(
                        scope: scope, owner: owner, name: statement.text(0), content: statement.blob(1)))
            }
            return rows
        } catch { throw failed(error) }
    }

    package func subscription(
        scope: SubscriptionScope, owner: String, name: String
    ) throws(StoreError) -> SubscriptionRow? {
        do {
            let statement = try query(
                """
                SELECT content FROM subscription
                WHERE container = ?1 AND scope = ?2 AND owner = ?3 AND name = ?4
                """
            ).take()
            defer { statement.reset() }
            statement.bind(1, tenant)
            statement.bind(2, scope.rawValue)
            statement.bind(3, owner)
            statement.bind(4, name)
            guard try statement.step() else { return nil }
            return SubscriptionRow(scope: scope, owner: owner, name: name, content: statement.blob(0))
        } catch { throw failed(error) }
    }

    package func pushToken(_ token: String) throws(StoreError) -> PushTokenRow? {
        do {
            let statement = try query(
                "SELECT token, owner, client, device, created FROM push_token WHERE container = ?1 AND token = ?2"
            ).take()
            defer { statement.reset() }
            statement.bind(1, tenant)
            statement.bind(2, token)
            return try statement.step() ? pushToken(from: statement) : nil
        } catch { throw failed(error) }
    }

    /// Somebody's addresses, the oldest first.
    package func pushTokens(owner: String) throws(StoreError) -> [PushTokenRow] {
        do {
            let statement = try query(
                """
                SELECT token, owner, client, device, created FROM push_token WHERE container = ?1 AND owner = ?2
                ORDER BY created, token
                """
            ).take()
            defer { statement.reset() }
            statement.bind(1, tenant)
            statement.bind(2, owner)
            var rows: [PushTokenRow] = []
            while try statement.step() { rows.append(pushToken(from: statement)) }
            return rows
        } catch { throw failed(error) }
    }

    private func pushToken(from statement: any Statement) -> PushTokenRow {
        PushTokenRow(
            token: statement.text(0), owner: statement.text(1), client: statement.text(2), device: statement.text(3),
            created: statement.int64(4))
    }
}
