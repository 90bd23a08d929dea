/// How an engine hears that something changed on the server: a subscription to its whole database.
struct SyncSubscription: Sendable {
    private let database: CKDatabase
    /// A subscription that the app made; the engine makes none beside it.
    private let adopted: CKSubscription.ID?

    /// The same on all of a user's devices, which therefore share it.
    private static let subscriptionID = "CKSyncEngine"

    init(_ configuration: CKSyncEngine.Configuration) {
        database = configuration.database
        adopted = configuration.subscriptionID
    }

    /// - Returns: Whether the subscription is there.
    func save() async -> Bool {
        guard adopted == nil else { return true }
        let subscription = CKDatabaseSubscription(subscriptionID: Self.subscriptionID)
        let info = CKSubscription.NotificationInfo()
        info.shouldSendContentAvailable = true
        subscription.notificationInfo = info
        do {
            try await database.save(subscription)
            return true
        } catch {
            return false
        }
    }

    /// Calls `changed` for each push that concerns the database.
    func observe(_ changed: @escaping @Sendable () -> Void) -> PushObservation {
        let scope = database.databaseScope
        return PushListener.observe(database.core) { notification in
            switch notification {
            case let notification as CKDatabaseNotification where notification.databaseScope != scope: break
            case let notification as CKRecordZoneNotification where notification.databaseScope != scope: break
            default: changed()
            }
        }
    }

    /// Lets a test wait for the engine.
    ///
    /// - Returns: What ends that; nil where no cloud is configured.
    func announce(_ isBusy: @escaping @Sendable () -> Bool) -> (@Sendable () -> Void)? {
        guard let activities = try? database.core.connection().activities else { return nil }
        let id = activities.add(isBusy)
        return { activities.remove(id) }
    }
}
