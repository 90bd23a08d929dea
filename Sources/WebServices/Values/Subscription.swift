/// A subscription: what somebody wants to hear of. [Apple:Types]
package struct Subscription: Sendable {
    /// Unique among the subscriptions of one user in one database. Empty in a `create` lets the server make one.
    package var subscriptionID: String
    package var kind: Kind
    /// Only changes of records of this type count; nil for all. For a query subscription it is the query's type.
    package var recordType: String?
    package var notificationInfo: NotificationInfo?

    package enum Kind: Sendable {
        /// Changes of the records of one zone.
        case zone(ZoneID)
        /// Changes in any custom zone of the database, and zones that come and go.
        case database
        /// Records that begin to fit a query, or change, or go.
        case query(QueryTrigger)
    }

    package struct QueryTrigger: Sendable {
        package var query: RecordsQuery.Query
        package var zoneID: ZoneID?
        package var zoneWide: Bool
        package var firesOn: [Event]
        package var firesOnce: Bool

        package init(
            query: RecordsQuery.Query, zoneID: ZoneID? = nil, zoneWide: Bool = false, firesOn: [Event] = [],
            firesOnce: Bool = false
        ) {
            self.query = query
            self.zoneID = zoneID
            self.zoneWide = zoneWide
            self.firesOn = firesOn
            self.firesOnce = firesOnce
        }
    }

    /// What happens to a record.
    package enum Event: String, Sendable, Hashable, CaseIterable {
        case create, update, delete

        /// `ck.qry.fo` of a push notification.
        package var pushNumber: Int {
            switch self {
            case .create: 1
            case .update: 2
            case .delete: 3
            }
        }

        package init?(pushNumber: Int) {
            guard let event = Self.allCases.first(where: { $0.pushNumber == pushNumber }) else { return nil }
            self = event
        }
    }

    package init(
        subscriptionID: String, _ kind: Kind, recordType: String? = nil, notificationInfo: NotificationInfo? = nil
    ) {
        self.subscriptionID = subscriptionID
        self.kind = kind
        self.recordType = recordType
        self.notificationInfo = notificationInfo
    }
}

/// How a push of a subscription presents itself: the page's keys, and those of the native framework that the page lacks.
/// [Apple:Types] [CKSubscription.NotificationInfo]
package struct NotificationInfo: Sendable, Hashable {
    package var alertBody: String?
    package var alertLocalizationKey: String?
    package var alertLocalizationArgs: [String]?
    package var alertActionLocalizationKey: String?
    package var alertLaunchImage: String?
    package var title: String?
    package var titleLocalizationKey: String?
    package var titleLocalizationArgs: [String]?
    package var subtitle: String?
    package var subtitleLocalizationKey: String?
    package var subtitleLocalizationArgs: [String]?
    package var soundName: String?
    package var category: String?
    package var collapseIDKey: String?
    /// Fields of the record that a query subscription's push carries: the framework's `desiredKeys`.
    package var additionalFields: [String]?
    package var shouldBadge = false
    package var shouldSendContentAvailable = false
    package var shouldSendMutableContent = false

    package init() {}
}

/// One entry of an answer's `subscriptions`.
package enum SubscriptionResult: Sendable {
    case subscription(Subscription)
    /// What a `delete` answers with.
    case deleted(subscriptionID: String)
    case failure(subscriptionID: String, ServerError)

    package var subscriptionID: String {
        switch self {
        case .subscription(let subscription): subscription.subscriptionID
        case .deleted(let subscriptionID), .failure(let subscriptionID, _): subscriptionID
        }
    }
}
