import Foundation

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

    /// Makes sure that the subscription is there.
    func save(for account: SyncRequests.Account) async -> CKError? {
        guard adopted == nil else { return nil }
        let subscription = CKDatabaseSubscription(subscriptionID: Self.subscriptionID)
        let info = CKSubscription.NotificationInfo()
        info.shouldSendContentAvailable = true
        subscription.notificationInfo = info
        do throws(CKError) {
            var session = try database.session()
            session.options.accountRevision = account.revision
            let request = SubscriptionModification(saving: [subscription], deleting: [])
            for case .saved(_, .failure(let error)) in try await request.collect(in: session).events { throw error }
            return nil
        } catch {
            return error
        }
    }

    enum News {
        /// Something changed, or may have.
        case changed
        /// The server knows this device from now on, and may have told nothing of what changed before.
        case registered
        /// The server was heard of after it had not been.
        case reachedAgain
    }

    /// Calls `told` for each push that concerns the database, and for what concerns pushes.
    func observe(_ told: @escaping @Sendable (News) -> Void) -> Observation {
        let scope = database.databaseScope
        return PushListener.observe(database.core) { event in
            switch event {
            case .notification(let notification as CKDatabaseNotification) where notification.databaseScope != scope:
                break
            case .notification(let notification as CKRecordZoneNotification) where notification.databaseScope != scope:
                break
            case .notification: told(.changed)
            case .registered: told(.registered)
            case .reachedAgain: told(.reachedAgain)
            }
        }
    }

    /// Calls `changed` when account or network are others than before.
    func observeConditions(_ changed: @escaping @Sendable () -> Void) -> Observation {
        if let connection = try? database.core.connection() { return connection.conditions.add(changed) }
        // No cloud is configured yet: whoever signs in to any may have done so to this one.
        let observer = NotificationObserver(
            token: NotificationCenter.default.addObserver(forName: .CKAccountChanged, object: nil, queue: nil) { _ in
                changed()
            })
        return Observation { NotificationCenter.default.removeObserver(observer.token) }
    }

    /// Unchecked: an opaque object that is only handed back to the notification center.
    private struct NotificationObserver: @unchecked Sendable {
        let token: any NSObjectProtocol
    }

    /// Where tests see that the engine is at work; nil where no cloud is configured.
    var activities: Activities? { try? database.core.connection().activities }
}
