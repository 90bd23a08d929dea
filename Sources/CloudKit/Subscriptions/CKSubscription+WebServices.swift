import Foundation
import WebServices

extension CKSubscription {
    /// What a save sends.
    ///
    /// - Throws: `.invalidArguments` or `.badDatabase` for what no server would take.
    func wire(in session: DatabaseSession) async throws(CKError) -> WebServices.Subscription {
        guard let info = notificationInfo?.values else {
            throw CKError(.invalidArguments, reason: "A subscription needs a notificationInfo before it is saved")
        }
        switch self {
        case let subscription as CKDatabaseSubscription:
            guard session.scope != .public else {
                throw CKError(.badDatabase, reason: "A database subscription is not possible in the public database")
            }
            return WebServices.Subscription(
                subscriptionID: subscriptionID, .database, recordType: subscription.recordType, notificationInfo: info)
        case let subscription as CKRecordZoneSubscription:
            guard session.scope == .private else {
                throw CKError(.badDatabase, reason: "A zone subscription is possible in the private database only")
            }
            return WebServices.Subscription(
                subscriptionID: subscriptionID, .zone(ZoneID(subscription.zoneID)),
                recordType: subscription.recordType, notificationInfo: info)
        case let subscription as CKQuerySubscription:
            return try await subscription.query(in: session, info)
        default:
            throw CKError(.invalidArguments, reason: "Use one of the concrete kinds of CKSubscription")
        }
    }

    /// A subscription that the server has.
    static func subscription(_ wire: WebServices.Subscription) throws(CKError) -> CKSubscription {
        let subscription: CKSubscription
        switch wire.kind {
        case .database:
            let database = CKDatabaseSubscription(subscriptionID: wire.subscriptionID)
            database.recordType = wire.recordType
            subscription = database
        case .zone(let zoneID):
            // In a private database every zone is one's own.
            let zone = CKRecordZoneSubscription(
                zoneID: CKRecordZone.ID(zoneName: zoneID.zoneName), subscriptionID: wire.subscriptionID)
            zone.recordType = wire.recordType
            subscription = zone
        case .query:
            // Its filters would have to become a predicate again; nothing here can save one yet either.
            throw CKError(
                .serverRejectedRequest,
                reason: "The query subscription \(wire.subscriptionID) cannot be read by this version")
        }
        subscription.notificationInfo = wire.notificationInfo.map { NotificationInfo($0) }
        return subscription
    }
}

extension CKQuerySubscription {
    fileprivate func query(
        in session: DatabaseSession, _ info: WebServices.NotificationInfo
    ) async throws(CKError) -> WebServices.Subscription {
        guard session.scope != .shared else {
            throw CKError(.badDatabase, reason: "A query subscription is not possible in the shared database")
        }
        let events: [(Options, WebServices.Subscription.Event)] = [
            (.firesOnRecordCreation, .create), (.firesOnRecordUpdate, .update), (.firesOnRecordDeletion, .delete),
        ]
        let firesOn = events.filter { querySubscriptionOptions.contains($0.0) }.map(\.1)
        // Apple's framework raises NSInvalidArgumentException when the subscription is made. [Apple:CKQuerySubscription]
        guard !firesOn.isEmpty else {
            throw CKError(.invalidArguments, reason: "A query subscription has to fire on something")
        }
        let outcome = try await QueryTranslation(CKQuery(recordType: recordType ?? "", predicate: predicate)).outcome(
            currentUser: { () throws(CKError) in try await session.userRecordName() })
        guard case .query(let query) = outcome else {
            throw CKError(.invalidArguments, reason: "The predicate holds for no record")
        }
        let trigger = WebServices.Subscription.QueryTrigger(
            query: query, zoneID: zoneID.map { ZoneID($0) }, zoneWide: zoneID == nil, firesOn: firesOn,
            firesOnce: querySubscriptionOptions.contains(.firesOnce))
        return WebServices.Subscription(
            subscriptionID: subscriptionID, .query(trigger), recordType: recordType, notificationInfo: info)
    }
}
