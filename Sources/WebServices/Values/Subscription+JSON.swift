extension Subscription {
    package func encode(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.subscriptionMembers(self)
        writer.endObject()
    }

    package init(_ value: JSONValue) throws(ServerError) {
        let type = try value.requiredString("subscriptionType")
        let recordType = try value.optionalString("recordType")
        let info = try value.member("notificationInfo").map { info throws(ServerError) in try NotificationInfo(info) }
        let wide = try value.optionalBool("zoneWide")
        let kind: Kind
        switch type.lowercased() {
        case "database":
            kind = .database
        case "zone" where wide == true && value.member("zoneID") == nil:
            // Some clients write a database's subscription so.
            kind = .database
        case "zone":
            kind = .zone(try value.requiredZoneID())
        case "query":
            kind = .query(
                QueryTrigger(
                    query: try RecordsQuery.Query(try value.required("query")), zoneID: try value.optionalZoneID(),
                    zoneWide: wide ?? false, firesOn: try Self.events(value),
                    firesOnce: try value.optionalBool("firesOnce") ?? false))
        default:
            throw ServerError(.badRequest, "Unknown subscriptionType '\(type.prefix(64))'")
        }
        self.init(
            subscriptionID: try Self.identifier(value) ?? "", kind, recordType: recordType, notificationInfo: info)
    }

    /// CloudKit JS reads either spelling.
    static func identifier(_ value: JSONValue) throws(ServerError) -> String? {
        if let identifier = try value.optionalString("subscriptionID") { return identifier }
        return try value.optionalString("subscriptionId")
    }

    private static func events(_ value: JSONValue) throws(ServerError) -> [Event] {
        var events: [Event] = []
        for name in try value.optionalStrings("firesOn") ?? [] {
            guard let event = Event(rawValue: name.lowercased()) else { throw .unexpectedInput }
            if !events.contains(event) { events.append(event) }
        }
        return events
    }
}

extension JSONWriter {
    fileprivate mutating func subscriptionMembers(_ subscription: Subscription) {
        if !subscription.subscriptionID.isEmpty { member("subscriptionID", subscription.subscriptionID) }
        switch subscription.kind {
        case .zone(let zone):
            member("subscriptionType", "zone")
            key("zoneID")
            zoneID(zone)
        case .database:
            member("subscriptionType", "database")
        case .query(let trigger):
            member("subscriptionType", "query")
            key("query")
            trigger.query.encode(to: &self)
            if let zone = trigger.zoneID {
                key("zoneID")
                zoneID(zone)
            }
            member(ifTrue: "zoneWide", trigger.zoneWide)
            member("firesOn", trigger.firesOn.map(\.rawValue))
            member("firesOnce", trigger.firesOnce)
        }
        member(ifPresent: "recordType", subscription.recordType)
        if let info = subscription.notificationInfo {
            key("notificationInfo")
            info.encode(to: &self)
        }
    }

    mutating func subscriptionResults(_ results: [SubscriptionResult]) {
        key("subscriptions")
        beginArray()
        for result in results {
            beginObject()
            switch result {
            case .subscription(let subscription):
                subscriptionMembers(subscription)
            case .deleted(let subscriptionID):
                member("subscriptionID", subscriptionID)
                member("deleted", true)
            case .failure(let subscriptionID, let error):
                member("subscriptionID", subscriptionID)
                errorMembers(error)
            }
            endObject()
        }
        endArray()
    }
}

extension SubscriptionResult {
    init(_ value: JSONValue) throws(ServerError) {
        if let error = ServerError(value) {
            self = .failure(subscriptionID: try Subscription.identifier(value) ?? "", error)
        } else if value.member("subscriptionType") == nil {
            // Apple does not say what a deletion answers with; whatever names no type is one.
            guard let subscriptionID = try Subscription.identifier(value) else { throw .missing("subscriptionID") }
            self = .deleted(subscriptionID: subscriptionID)
        } else {
            self = .subscription(try Subscription(value))
        }
    }
}

extension NotificationInfo {
    package func encode(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member(ifPresent: "alertBody", alertBody)
        writer.member(ifPresent: "alertLocalizationKey", alertLocalizationKey)
        writer.member(ifPresent: "alertLocalizationArgs", alertLocalizationArgs)
        writer.member(ifPresent: "alertActionLocalizationKey", alertActionLocalizationKey)
        writer.member(ifPresent: "alertLaunchImage", alertLaunchImage)
        writer.member(ifPresent: "title", title)
        writer.member(ifPresent: "titleLocalizationKey", titleLocalizationKey)
        writer.member(ifPresent: "titleLocalizationArgs", titleLocalizationArgs)
        writer.member(ifPresent: "subtitle", subtitle)
        writer.member(ifPresent: "subtitleLocalizationKey", subtitleLocalizationKey)
        writer.member(ifPresent: "subtitleLocalizationArgs", subtitleLocalizationArgs)
        writer.member(ifPresent: "soundName", soundName)
        writer.member(ifPresent: "category", category)
        writer.member(ifPresent: "collapseIDKey", collapseIDKey)
        writer.member(ifPresent: "additionalFields", additionalFields)
        writer.member("shouldBadge", shouldBadge)
        writer.member("shouldSendContentAvailable", shouldSendContentAvailable)
        writer.member(ifTrue: "shouldSendMutableContent", shouldSendMutableContent)
        writer.endObject()
    }

    package init(_ value: JSONValue) throws(ServerError) {
        guard value.object != nil else { throw .unexpectedInput }
        self.init()
        alertBody = try value.optionalString("alertBody")
        alertLocalizationKey = try value.optionalString("alertLocalizationKey")
        alertLocalizationArgs = try value.optionalStrings("alertLocalizationArgs")
        alertActionLocalizationKey = try value.optionalString("alertActionLocalizationKey")
        alertLaunchImage = try value.optionalString("alertLaunchImage")
        title = try value.optionalString("title")
        titleLocalizationKey = try value.optionalString("titleLocalizationKey")
        titleLocalizationArgs = try value.optionalStrings("titleLocalizationArgs")
        subtitle = try value.optionalString("subtitle")
        subtitleLocalizationKey = try value.optionalString("subtitleLocalizationKey")
        subtitleLocalizationArgs = try value.optionalStrings("subtitleLocalizationArgs")
        soundName = try value.optionalString("soundName")
        category = try value.optionalString("category")
        collapseIDKey = try value.optionalString("collapseIDKey")
        additionalFields = try value.optionalStrings("additionalFields")
        shouldBadge = try value.optionalBool("shouldBadge") ?? false
        shouldSendContentAvailable = try value.optionalBool("shouldSendContentAvailable") ?? false
        shouldSendMutableContent = try value.optionalBool("shouldSendMutableContent") ?? false
    }
}
