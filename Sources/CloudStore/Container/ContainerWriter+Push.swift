import SQL

extension ContainerWriter {
    /// Saves a subscription, in place of one of the same name.
    package func saveSubscription(_ row: SubscriptionRow) throws(StoreError) {
        do {
            let statement = try query(
                """
                INSERT INTO subscription (container, scope, owner, name, content) VALUES (?1, ?2, ?3, ?4, ?5)
                ON CONFLICT (container, scope, owner, name) DO UPDATE SET content = excluded.content
                """
            ).take()
            statement.bind(1, tenant)
            statement.bind(2, row.scope.rawValue)
            statement.bind(3, row.owner)
            statement.bind(4, row.name)
            statement.bind(5, row.content)
            try statement.run()
        } catch { throw failed(error) }
    }

    /// Deletes a subscription; one that is not there is no error.
    package func deleteSubscription(scope: SubscriptionScope, owner: String, name: String) throws(StoreError) {
        do {
            let statement = try query(
                "DELETE FROM subscription WHERE container = ?1 AND scope = ?2 AND owner = ?3 AND name = ?4"
            ).take()
            statement.bind(1, tenant)
            statement.bind(2, scope.rawValue)
            statement.bind(3, owner)
            statement.bind(4, name)
            try statement.run()
        } catch { throw failed(error) }
    }

    /// Saves an address for pushes; one that is there already gets the new owner, client, device and time.
    package func savePushToken(_ row: PushTokenRow) throws(StoreError) {
        do {
            let statement = try query(
                """
                INSERT INTO push_token (container, token, owner, client, device, created)
                VALUES (?1, ?2, ?3, ?4, ?5, ?6)
                ON CONFLICT (container, token) DO UPDATE SET owner = excluded.owner, client = excluded.client,
                    device = excluded.device, created = excluded.created
                """
            ).take()
            statement.bind(1, tenant)
            statement.bind(2, row.token)
            statement.bind(3, row.owner)
            statement.bind(4, row.client)
            statement.bind(5, row.device)
            statement.bind(6, row.created)
            try statement.run()
        } catch { throw failed(error) }
    }

    package func deletePushToken(_ token: String) throws(StoreError) {
        do {
            let statement = try query("DELETE FROM push_token WHERE container = ?1 AND token = ?2").take()
            statement.bind(1, tenant)
            statement.bind(2, token)
            try statement.run()
        } catch { throw failed(error) }
    }

    /// Deletes all of somebody's subscriptions and addresses.
    package func deletePushState(owner: String) throws(StoreError) {
        do {
            for scope in SubscriptionScope.allCases {
                let statement = try query(
                    "DELETE FROM subscription WHERE container = ?1 AND scope = ?2 AND owner = ?3"
                ).take()
                statement.bind(1, tenant)
                statement.bind(2, scope.rawValue)
                statement.bind(3, owner)
                try statement.run()
            }
            let statement = try query("DELETE FROM push_token WHERE container = ?1 AND owner = ?2").take()
            statement.bind(1, tenant)
            statement.bind(2, owner)
            try statement.run()
        } catch { throw failed(error) }
    }
}
