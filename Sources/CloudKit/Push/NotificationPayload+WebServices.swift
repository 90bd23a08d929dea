import Foundation
import WebServices

extension NotificationPayload {
    /// What a long poll brought.
    init(_ push: PushNotification) {
        switch push.content {
        case .zone(let zoneID, let subscriptionID, let database):
            let scope = CKDatabase.Scope(wire: database)
            self.init(.recordZone(zoneID.recordZoneID(in: scope)), databaseScope: scope)
            self.subscriptionID = subscriptionID
        case .database(let subscriptionID, let database, _):
            self.init(.database, databaseScope: CKDatabase.Scope(wire: database))
            self.subscriptionID = subscriptionID
        case .query(let recordName, let zoneID, let subscriptionID, let database, let event):
            let scope = CKDatabase.Scope(wire: database)
            let reason: CKQueryNotification.Reason =
                switch event {
                case .create: .recordCreated
                case .update: .recordUpdated
                case .delete: .recordDeleted
                }
            let recordID = CKRecord.ID(recordName: recordName, zoneID: zoneID.recordZoneID(in: scope))
            self.init(.query(reason, recordID), databaseScope: scope)
            self.subscriptionID = subscriptionID
        }
        notificationID = push.notificationID
        containerIdentifier = push.container
        subscriptionOwner = push.subscriptionOwner
        badge = push.alert.badge
        soundName = push.alert.sound
        category = push.alert.category
        alert = Alert(
            body: push.alert.body, localizationKey: push.alert.locKey, localizationArgs: push.alert.locArgs,
            title: push.alert.title, titleLocalizationKey: push.alert.titleLocKey,
            titleLocalizationArgs: push.alert.titleLocArgs, subtitle: push.alert.subtitle,
            subtitleLocalizationKey: push.alert.subtitleLocKey, subtitleLocalizationArgs: push.alert.subtitleLocArgs,
            actionLocalizationKey: push.alert.actionLocKey, launchImage: push.alert.launchImage)
    }
}
