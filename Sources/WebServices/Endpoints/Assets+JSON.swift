extension AssetsUpload.Request {
    func encode(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("tokens")
        writer.beginArray()
        for token in tokens {
            writer.beginObject()
            writer.member(ifPresent: "recordName", token.recordName)
            writer.member("recordType", token.recordType)
            writer.member("fieldName", token.fieldName)
            writer.endObject()
        }
        writer.endArray()
        writer.member(ifPresent: "zoneID", zoneID)
        writer.endObject()
    }

    init(_ value: JSONValue) throws(ServerError) {
        self.init(
            tokens: try value.requiredArray("tokens").mapMembers(AssetsUpload.Token.init),
            zoneID: try value.optionalZoneID())
    }
}

extension AssetsUpload.Token {
    init(_ value: JSONValue) throws(ServerError) {
        let name = try value.optionalString("recordName")
        self.init(
            recordName: name?.isEmpty == true ? nil : name, recordType: try value.requiredString("recordType"),
            fieldName: try value.requiredString("fieldName"))
    }
}

extension AssetsUpload.Response {
    func encode(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("tokens")
        writer.beginArray()
        for token in tokens {
            writer.beginObject()
            writer.member("recordName", token.recordName)
            writer.member("fieldName", token.fieldName)
            writer.member("url", token.url)
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
    }

    init(_ value: JSONValue) throws(ServerError) {
        let tokens = try value.requiredArray("tokens").mapMembers { (value: JSONValue) throws(ServerError) in
            AssetsUpload.Address(
                recordName: try value.requiredString("recordName"), fieldName: try value.requiredString("fieldName"),
                url: try value.requiredString("url"))
        }
        self.init(tokens: tokens)
    }
}

extension AssetsUpload.Receipt {
    package func encode() -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("singleFile")
        writer.asset(singleFile)
        writer.endObject()
        return writer.finish()
    }

    /// Reads the answer to an upload.
    ///
    /// - Throws: the error that the answer consists of, or BAD_REQUEST if the body is no such answer.
    package init(body: [UInt8]) throws(ServerError) {
        guard let value = try? JSONDocument(parsing: body).root else { throw .unexpectedInput }
        if let error = ServerError(value) { throw error }
        guard let asset = Asset(try value.required("singleFile")) else { throw .unexpectedInput }
        self.init(singleFile: asset)
    }
}

extension AssetsRereference.Request {
    func encode(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("assets")
        writer.beginArray()
        for asset in assets {
            writer.beginObject()
            writer.member("recordName", asset.recordName)
            writer.member("fieldName", asset.fieldName)
            writer.endObject()
        }
        writer.endArray()
        writer.member(ifPresent: "zoneID", zoneID)
        writer.member(ifPresent: "targetZoneID", targetZoneID)
        writer.endObject()
    }

    init(_ value: JSONValue) throws(ServerError) {
        let assets = try value.requiredArray("assets").mapMembers { (value: JSONValue) throws(ServerError) in
            AssetsRereference.Source(
                recordName: try value.requiredString("recordName"), fieldName: try value.requiredString("fieldName"))
        }
        self.init(
            assets: assets, zoneID: try value.optionalZoneID(), targetZoneID: try value.optionalZoneID("targetZoneID"))
    }
}

extension AssetsRereference.Response {
    func encode(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("assets")
        writer.beginArray()
        for asset in assets { writer.asset(asset) }
        writer.endArray()
        writer.endObject()
    }

    init(_ value: JSONValue) throws(ServerError) {
        let assets = try value.requiredArray("assets").mapMembers { (value: JSONValue) throws(ServerError) in
            guard let asset = Asset(value) else { throw .unexpectedInput }
            return asset
        }
        self.init(assets: assets)
    }
}

extension JSONWriter {
    fileprivate mutating func member(ifPresent name: String, _ zoneID: ZoneID?) {
        guard let zoneID else { return }
        key(name)
        self.zoneID(zoneID)
    }
}
