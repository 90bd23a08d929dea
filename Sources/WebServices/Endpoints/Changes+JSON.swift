// The JSON of records/changes, changes/database, zones/changes and changes/zone.

extension RecordsChanges.Request {
    func encode(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("zoneID")
        writer.zoneID(zoneID)
        writer.member(ifPresent: "syncToken", syncToken)
        writer.member(ifPresent: "resultsLimit", resultsLimit)
        writer.member(ifPresent: "desiredKeys", desiredKeys)
        writer.member(ifPresent: "desiredRecordTypes", desiredRecordTypes)
        writer.member(ifTrue: "numbersAsStrings", numbersAsStrings)
        writer.endObject()
    }

    init(_ value: JSONValue) throws(ServerError) {
        self.init(
            zoneID: try value.requiredZoneID(), syncToken: try value.optionalString("syncToken"),
            resultsLimit: try value.optionalInt("resultsLimit"), desiredKeys: try value.optionalStrings("desiredKeys"),
            desiredRecordTypes: try value.optionalStrings("desiredRecordTypes"),
            numbersAsStrings: try value.numbersAsStrings() ?? false)
    }
}

extension RecordsChanges.Response {
    func encode(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("records")
        writer.beginArray()
        for record in records { writer.record(record, numbersAsStrings: numbersAsStrings) }
        writer.endArray()
        writer.member("syncToken", syncToken)
        writer.member("moreComing", moreComing)
        writer.member("reverse", reverse)
        writer.endObject()
    }

    init(_ value: JSONValue) throws(ServerError) {
        self.init(
            records: try value.requiredArray("records").mapMembers(Record.init),
            syncToken: try value.requiredString("syncToken"), moreComing: try value.optionalBool("moreComing") ?? false,
            reverse: try value.optionalBool("reverse") ?? false)
    }
}

extension ChangesDatabase.Request {
    func encode(to writer: inout JSONWriter, tokenName: StaticString = "syncToken") {
        writer.beginObject()
        if let syncToken { writer.member(tokenName, syncToken) }
        writer.member(ifPresent: "resultsLimit", resultsLimit)
        writer.endObject()
    }

    /// - Parameter tokenNames: under which names the token may come, the first that is there wins.
    init(_ value: JSONValue, tokenNames: [String] = ["syncToken"]) throws(ServerError) {
        var token: String?
        for name in tokenNames where token == nil { token = try value.optionalString(name) }
        self.init(syncToken: token, resultsLimit: try value.optionalInt("resultsLimit"))
    }
}

extension ChangesDatabase.Response {
    func encode(to writer: inout JSONWriter, alsoMetaSyncToken: Bool = false) {
        writer.beginObject()
        writer.zoneResults(zones)
        writer.member("syncToken", syncToken)
        if alsoMetaSyncToken { writer.member("metaSyncToken", syncToken) }
        writer.member("moreComing", moreComing)
        writer.endObject()
    }

    init(_ value: JSONValue, tokenNames: [String] = ["syncToken"]) throws(ServerError) {
        var token: String?
        for name in tokenNames where token == nil { token = try value.optionalString(name) }
        guard let token else { throw .missing("syncToken") }
        self.init(
            zones: try value.requiredArray("zones").mapMembers { value throws(ServerError) in try ZoneResult(value) },
            syncToken: token, moreComing: try value.optionalBool("moreComing") ?? false)
    }
}

extension ChangesZone.Request {
    func encode(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("zones")
        writer.beginArray()
        for zone in zones { zone.encode(to: &writer) }
        writer.endArray()
        if let reverse { writer.member("reverse", reverse) }
        writer.member(ifPresent: "desiredKeys", desiredKeys)
        writer.member(ifPresent: "desiredRecordTypes", desiredRecordTypes)
        writer.member(ifPresent: "resultsLimit", resultsLimit)
        writer.member(ifTrue: "numbersAsStrings", numbersAsStrings)
        writer.endObject()
    }

    init(_ value: JSONValue) throws(ServerError) {
        self.init(
            zones: try value.requiredArray("zones").mapMembers(ChangesZone.ZoneRequest.init),
            reverse: try value.optionalBool("reverse"), desiredKeys: try value.optionalStrings("desiredKeys"),
            desiredRecordTypes: try value.optionalStrings("desiredRecordTypes"),
            resultsLimit: try value.optionalInt("resultsLimit"), numbersAsStrings: try value.numbersAsStrings() ?? false
        )
    }
}

extension ChangesZone.ZoneRequest {
    func encode(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("zoneID")
        writer.zoneID(zoneID)
        writer.member(ifPresent: "syncToken", syncToken)
        if let reverse { writer.member("reverse", reverse) }
        writer.member(ifPresent: "desiredKeys", desiredKeys)
        writer.member(ifPresent: "desiredRecordTypes", desiredRecordTypes)
        writer.member(ifPresent: "resultsLimit", resultsLimit)
        if let numbersAsStrings { writer.member("numbersAsStrings", numbersAsStrings) }
        writer.endObject()
    }

    init(_ value: JSONValue) throws(ServerError) {
        self.init(
            zoneID: try value.requiredZoneID(), syncToken: try value.optionalString("syncToken"),
            reverse: try value.optionalBool("reverse"), desiredKeys: try value.optionalStrings("desiredKeys"),
            desiredRecordTypes: try value.optionalStrings("desiredRecordTypes"),
            resultsLimit: try value.optionalInt("resultsLimit"), numbersAsStrings: try value.numbersAsStrings())
    }
}

extension ChangesZone.Response {
    func encode(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("zones")
        writer.beginArray()
        for zone in zones {
            writer.beginObject()
            writer.key("zoneID")
            switch zone {
            case .page(let page):
                writer.zoneID(page.zoneID)
                writer.key("records")
                writer.beginArray()
                for record in page.records { writer.record(record, numbersAsStrings: page.numbersAsStrings) }
                writer.endArray()
                writer.member("syncToken", page.syncToken)
                writer.member("moreComing", page.moreComing)
            case .failure(let zoneID, let error):
                writer.zoneID(zoneID)
                writer.errorMembers(error)
            }
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
    }

    init(_ value: JSONValue) throws(ServerError) {
        self.init(zones: try value.requiredArray("zones").mapMembers(ChangesZone.ZoneResult.init))
    }
}

extension ChangesZone.ZoneResult {
    init(_ value: JSONValue) throws(ServerError) {
        let zoneID = try value.requiredZoneID()
        if let error = ServerError(value) {
            self = .failure(zoneID, error)
            return
        }
        self = .page(
            ChangesZone.Page(
                zoneID: zoneID, records: try value.requiredArray("records").mapMembers(Record.init),
                syncToken: try value.requiredString("syncToken"),
                moreComing: try value.optionalBool("moreComing") ?? false))
    }
}
