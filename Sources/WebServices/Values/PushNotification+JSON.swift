extension PushNotification {
    /// `{aps: {…}, ck: {…}}`.
    package func encode(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("aps")
        alert.encode(to: &writer)
        writer.key("ck")
        writer.beginObject()
        // 2 is what real pushes have here.
        writer.member("ce", 2)
        writer.member("cid", container)
        writer.member("nid", notificationID)
        writer.member(ifPresent: "ckuserid", subscriptionOwner)
        content.encode(to: &writer)
        writer.endObject()
        writer.endObject()
    }

    package init(_ value: JSONValue) throws(ServerError) {
        let cloud = try value.required("ck")
        self.init(
            notificationID: try cloud.requiredString("nid"), container: try cloud.requiredString("cid"),
            subscriptionOwner: try cloud.optionalString("ckuserid"),
            alert: try value.member("aps").map { aps throws(ServerError) in try Alert(aps) } ?? Alert(),
            content: try Content(cloud))
    }
}

extension PushNotification.Content {
    fileprivate func encode(to writer: inout JSONWriter) {
        switch self {
        case .zone(let zone, let subscriptionID, let database):
            writer.key("fet")
            writer.beginObject()
            writer.zoneMembers(zone)
            writer.member("sid", subscriptionID)
            writer.member("dbs", database.pushNumber)
        case .database(let subscriptionID, let database, let zones):
            writer.key("met")
            writer.beginObject()
            writer.member("sid", subscriptionID)
            writer.member("dbs", database.pushNumber)
            if !zones.isEmpty {
                writer.key("zones")
                writer.beginArray()
                for zone in zones {
                    writer.beginObject()
                    writer.zoneMembers(zone)
                    writer.endObject()
                }
                writer.endArray()
            }
        case .query(let recordName, let zone, let subscriptionID, let database, let event):
            writer.key("qry")
            writer.beginObject()
            writer.member("rid", recordName)
            writer.zoneMembers(zone)
            writer.member("sid", subscriptionID)
            writer.member("dbs", database.pushNumber)
            writer.member("fo", event.pushNumber)
        }
        writer.endObject()
    }

    fileprivate init(_ cloud: JSONValue) throws(ServerError) {
        if let part = cloud.member("fet") {
            self = .zone(
                try ZoneID(pushed: part), subscriptionID: try part.requiredString("sid"),
                // Apple's do without: zones are watched in private databases above all.
                database: try part.optionalScope() ?? .private)
        } else if let part = cloud.member("met") {
            var zones: [ZoneID] = []
            if part.member("zones") != nil {
                zones = try part.requiredArray("zones").mapMembers { zone throws(ServerError) in
                    try ZoneID(pushed: zone)
                }
            }
            self = .database(
                subscriptionID: try part.requiredString("sid"), database: try part.optionalScope() ?? .private,
                zones: zones)
        } else {
            let part = try cloud.required("qry")
            guard let number = try part.optionalInt("fo"), let event = Subscription.Event(pushNumber: number) else {
                throw .unexpectedInput
            }
            self = .query(
                recordName: try part.requiredString("rid"), try ZoneID(pushed: part),
                subscriptionID: try part.requiredString("sid"), database: try part.optionalScope() ?? .public,
                event: event)
        }
    }
}

extension JSONWriter {
    fileprivate mutating func zoneMembers(_ zone: ZoneID) {
        member("zid", zone.zoneName)
        member(ifPresent: "zoid", zone.ownerRecordName)
    }
}

extension ZoneID {
    fileprivate init(pushed value: JSONValue) throws(ServerError) {
        self.init(zoneName: try value.requiredString("zid"), ownerRecordName: try value.optionalString("zoid"))
    }
}

extension JSONValue {
    fileprivate func optionalScope() throws(ServerError) -> DatabaseScope? {
        guard let number = try optionalInt("dbs") else { return nil }
        guard let scope = DatabaseScope(pushNumber: number) else { throw .unexpectedInput }
        return scope
    }
}

extension PushNotification.Alert {
    private var hasAlert: Bool {
        body != nil || locKey != nil || actionLocKey != nil || launchImage != nil || title != nil || titleLocKey != nil
            || subtitle != nil || subtitleLocKey != nil
    }

    fileprivate func encode(to writer: inout JSONWriter) {
        writer.beginObject()
        if hasAlert {
            writer.key("alert")
            writer.beginObject()
            writer.member(ifPresent: "body", body)
            writer.member(ifPresent: "loc-key", locKey)
            writer.member(ifPresent: "loc-args", locArgs)
            writer.member(ifPresent: "action-loc-key", actionLocKey)
            writer.member(ifPresent: "launch-image", launchImage)
            writer.member(ifPresent: "title", title)
            writer.member(ifPresent: "title-loc-key", titleLocKey)
            writer.member(ifPresent: "title-loc-args", titleLocArgs)
            writer.member(ifPresent: "subtitle", subtitle)
            writer.member(ifPresent: "subtitle-loc-key", subtitleLocKey)
            writer.member(ifPresent: "subtitle-loc-args", subtitleLocArgs)
            writer.endObject()
        }
        writer.member(ifPresent: "sound", sound)
        writer.member(ifPresent: "badge", badge)
        writer.member(ifPresent: "category", category)
        if contentAvailable { writer.member("content-available", 1) }
        if mutableContent { writer.member("mutable-content", 1) }
        writer.endObject()
    }

    fileprivate init(_ aps: JSONValue) throws(ServerError) {
        self.init()
        if let text = aps["alert"]?.string {
            body = text
        } else if let alert = aps.member("alert") {
            body = try alert.optionalString("body")
            locKey = try alert.optionalString("loc-key")
            locArgs = try alert.optionalStrings("loc-args")
            actionLocKey = try alert.optionalString("action-loc-key")
            launchImage = try alert.optionalString("launch-image")
            title = try alert.optionalString("title")
            titleLocKey = try alert.optionalString("title-loc-key")
            titleLocArgs = try alert.optionalStrings("title-loc-args")
            subtitle = try alert.optionalString("subtitle")
            subtitleLocKey = try alert.optionalString("subtitle-loc-key")
            subtitleLocArgs = try alert.optionalStrings("subtitle-loc-args")
        }
        sound = try aps.optionalString("sound")
        badge = try aps.optionalInt("badge")
        category = try aps.optionalString("category")
        contentAvailable = try aps.optionalInt("content-available") == 1
        mutableContent = try aps.optionalInt("mutable-content") == 1
    }
}
