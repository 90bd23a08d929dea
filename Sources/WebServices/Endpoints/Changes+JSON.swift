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
        if !zonePages.isEmpty {
            writer.key("zonePages")
            writer.beginArray()
            for zone in zonePages { zone.encode(to: &writer) }
            writer.endArray()
        }
        writer.endObject()
    }

    /// - Parameter tokenNames: under which names the token may come, the first that is there wins.
    init(_ value: JSONValue, tokenNames: [String] = ["syncToken"]) throws(ServerError) {
        var token: String?
        for name in tokenNames where token == nil { token = try value.optionalString(name) }
        self.init(
            syncToken: token, resultsLimit: try value.optionalInt("resultsLimit"),
            zonePages: value.member("zonePages") == nil
                ? [] : try value.requiredArray("zonePages").mapMembers(ChangesZone.ZoneRequest.init))
    }
}

extension ChangesDatabase.Response {
    func encode(to writer: inout JSONWriter, alsoMetaSyncToken: Bool = false) {
        writer.beginObject()
        writer.zoneResults(zones)
        writer.member("syncToken", syncToken)
        if alsoMetaSyncToken { writer.member("metaSyncToken", syncToken) }
        writer.member("moreComing", moreComing)
        if !zonePages.isEmpty {
            writer.key("zonePages")
            writer.zonePages(zonePages)
        }
        writer.endObject()
    }

    init(_ value: JSONValue, tokenNames: [String] = ["syncToken"]) throws(ServerError) {
        var token: String?
        for name in tokenNames where token == nil { token = try value.optionalString(name) }
        guard let token else { throw .missing("syncToken") }
        self.init(
            zones: try value.requiredArray("zones").mapMembers { value throws(ServerError) in try ZoneResult(value) },
            syncToken: token, moreComing: try value.optionalBool("moreComing") ?? false,
            zonePages: value.member("zonePages") == nil
                ? [] : try value.requiredArray("zonePages").mapMembers(ChangesZone.ZoneResult.init))
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
        writer.zonePages(zones)
        writer.endObject()
    }

    init(_ value: JSONValue) throws(ServerError) {
        self.init(zones: try value.requiredArray("zones").mapMembers(ChangesZone.ZoneResult.init))
    }
}

extension JSONWriter {
    fileprivate mutating func zonePages(_ zones: [ChangesZone.ZoneResult]) {
        beginArray()
        for zone in zones {
            beginObject()
            key("zoneID")
            switch zone {
            case .page(let page):
                zoneID(page.zoneID)
                key("records")
                beginArray()
                for record in page.records { self.record(record, numbersAsStrings: page.numbersAsStrings) }
                endArray()
                member("syncToken", page.syncToken)
                member("moreComing", page.moreComing)
            case .failure(let failed, let error):
                zoneID(failed)
                errorMembers(error)
            }
            endObject()
        }
        endArray()
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
