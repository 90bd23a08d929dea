/// A push, as the long poll at `webcourierURL` delivers it.
///
/// A push may be late or repeated and is never needed for correctness: it says where to fetch.
package struct PushNotification: Sendable, Hashable {
    /// `ck.nid`
    package var notificationID: String
    /// `ck.cid`
    package var container: String
    /// `ck.ckuserid`: whose subscription it is.
    package var subscriptionOwner: String?
    package var alert: Alert
    package var content: Content

    /// The part that a person sees or hears: `aps`.
    package struct Alert: Sendable, Hashable {
        package var body: String?
        package var locKey: String?
        package var locArgs: [String]?
        package var actionLocKey: String?
        package var launchImage: String?
        package var title: String?
        package var titleLocKey: String?
        package var titleLocArgs: [String]?
        package var subtitle: String?
        package var subtitleLocKey: String?
        package var subtitleLocArgs: [String]?
        package var sound: String?
        package var badge: Int?
        package var category: String?
        /// `aps.content-available`: the app is woken.
        package var contentAvailable = false
        package var mutableContent = false

        package init() {}

        /// What a subscription asked for.
        package init(_ info: NotificationInfo?) {
            guard let info else { return }
            body = info.alertBody
            locKey = info.alertLocalizationKey
            locArgs = info.alertLocalizationArgs
            actionLocKey = info.alertActionLocalizationKey
            launchImage = info.alertLaunchImage
            title = info.title
            titleLocKey = info.titleLocalizationKey
            titleLocArgs = info.titleLocalizationArgs
            subtitle = info.subtitle
            subtitleLocKey = info.subtitleLocalizationKey
            subtitleLocArgs = info.subtitleLocalizationArgs
            sound = info.soundName
            // Apple counts on the device; one is what a device that shows a badge at all would show first.
            badge = info.shouldBadge ? 1 : nil
            category = info.category
            contentAvailable = info.shouldSendContentAvailable
            mutableContent = info.shouldSendMutableContent
        }
    }

    package enum Content: Sendable, Hashable {
        /// `ck.fet`: a zone subscription.
        case zone(ZoneID, subscriptionID: String, database: DatabaseScope)
        /// `ck.met`: a database subscription. `zones` is an extra key: those that changed, empty where there are too many
        /// to say or the server does not know.
        case database(subscriptionID: String, database: DatabaseScope, zones: [ZoneID])
        /// `ck.qry`: a query subscription.
        case query(
            recordName: String, ZoneID, subscriptionID: String, database: DatabaseScope, event: Subscription.Event)
    }

    package init(
        notificationID: String, container: String, subscriptionOwner: String? = nil, alert: Alert = Alert(),
        content: Content
    ) {
        self.notificationID = notificationID
        self.container = container
        self.subscriptionOwner = subscriptionOwner
        self.alert = alert
        self.content = content
    }
}

extension DatabaseScope {
    /// `dbs` of a push: 0 for public, as CloudKit JS has it; private and shared as the pushes of devices have them, which
    /// are the framework's numbers.
    package var pushNumber: Int {
        switch self {
        case .public: 0
        case .private: 2
        case .shared: 3
        }
    }

    /// Takes the framework's number of the public database too.
    package init?(pushNumber: Int) {
        switch pushNumber {
        case 0, 1: self = .public
        case 2: self = .private
        case 3: self = .shared
        default: return nil
        }
    }
}
