// How each type of field value is written and read. [Apple:Types]

extension JSONWriter {
    /// Writes the bare value, as it stands behind `"value":`.
    package mutating func fieldValue(_ value: FieldValue) {
        switch value {
        case .string(let text): string(text)
        case .int64(let number), .timestamp(let number): int64(number)
        case .double(let number): double(number)
        case .bytes(let bytes): base64(bytes)
        case .location(let location): self.location(location)
        case .reference(let reference): self.reference(reference)
        case .asset(let asset): self.asset(asset)
        case .list(let elements, _):
            beginArray()
            for element in elements { fieldValue(element) }
            endArray()
        }
    }

    package mutating func location(_ location: Location) {
        beginObject()
        member("latitude", location.latitude)
        member("longitude", location.longitude)
        if let value = location.horizontalAccuracy { member("horizontalAccuracy", value) }
        if let value = location.verticalAccuracy { member("verticalAccuracy", value) }
        if let value = location.altitude { member("altitude", value) }
        if let value = location.speed { member("speed", value) }
        if let value = location.course { member("course", value) }
        if let value = location.timestamp { member("timestamp", value) }
        endObject()
    }

    package mutating func reference(_ reference: Reference) {
        beginObject()
        member("recordName", reference.recordName)
        if let zoneID = reference.zoneID {
            key("zoneID")
            self.zoneID(zoneID)
        }
        if let action = reference.action { member("action", action.rawValue) }
        endObject()
    }

    package mutating func asset(_ asset: Asset) {
        beginObject()
        member("fileChecksum", asset.fileChecksum)
        member("size", asset.size)
        if let value = asset.receipt { member("receipt", value) }
        if let value = asset.referenceChecksum { member("referenceChecksum", value) }
        if let value = asset.wrappingKey { member("wrappingKey", value) }
        if let value = asset.downloadURL { member("downloadURL", value) }
        endObject()
    }

    package mutating func zoneID(_ zoneID: ZoneID) {
        beginObject()
        member("zoneName", zoneID.zoneName)
        if let owner = zoneID.ownerRecordName { member("ownerRecordName", owner) }
        member("zoneType", zoneID.zoneType)
        endObject()
    }
}

extension JSONWriter {
    /// Writes a parsed value in the canonical form of `type`, so that what is stored needs no second look.
    ///
    /// Throws `Invalid value, expected type X.` for a value of another kind; numbers are also read from strings, which is
    /// how `numbersAsStrings` gives them, and INT64 takes `true` and `false` as 1 and 0, since the wire has no Boolean.
    mutating func fieldValue(_ value: JSONValue, as type: FieldType) throws(ServerError) {
        switch (type, value.kind) {
        case (.string, .string), (.int64, .integer), (.timestamp, .integer):
            // Canonical already: most values need no `FieldValue` in between.
            writeCompact(value)
        default:
            fieldValue(try FieldValue(value, as: type))
        }
    }
}

extension FieldValue {
    package init(_ value: JSONValue, as type: FieldType) throws(ServerError) {
        if let element = type.element {
            guard let array = value.array else { throw .invalidValue(type) }
            var elements: [FieldValue] = []
            elements.reserveCapacity(array.count)
            for item in array {
                guard let decoded = FieldValue(scalar: item, as: element) else { throw .invalidValue(type) }
                elements.append(decoded)
            }
            self = .list(elements, of: element)
        } else {
            guard let decoded = FieldValue(scalar: value, as: type) else { throw .invalidValue(type) }
            self = decoded
        }
    }

    private init?(scalar value: JSONValue, as type: FieldType) {
        switch type {
        case .string:
            guard let text = value.string else { return nil }
            self = .string(text)
        case .int64:
            guard let number = value.int64 ?? value.string.flatMap(Int64.init) ?? value.bool.map({ $0 ? 1 : 0 })
            else { return nil }
            self = .int64(number)
        case .timestamp:
            guard let number = value.int64 ?? value.string.flatMap(Int64.init) else { return nil }
            self = .timestamp(number)
        case .double:
            guard let number = value.double ?? value.string.flatMap(Double.init), number.isFinite else { return nil }
            self = .double(number)
        case .bytes:
            guard let text = value.string, let bytes = Base64.decode(text) else { return nil }
            self = .bytes(bytes)
        case .location:
            guard let location = Location(value) else { return nil }
            self = .location(location)
        case .reference:
            guard let reference = Reference(value) else { return nil }
            self = .reference(reference)
        case .asset:
            guard let asset = Asset(value) else { return nil }
            self = .asset(asset)
        default:
            return nil
        }
    }
}

extension ServerError {
    package static func invalidValue(_ type: FieldType) -> ServerError {
        type.element == .asset || type == .asset
            ? ServerError(.badRequest, "could not decode asset object")
            : ServerError(.badRequest, "Invalid value, expected type \(type.name).")
    }
}

extension Location {
    init?(_ value: JSONValue) {
        guard let latitude = value["latitude"]?.double, let longitude = value["longitude"]?.double,
            abs(latitude) <= 90, abs(longitude) <= 180
        else { return nil }
        self.init(
            latitude: latitude, longitude: longitude, horizontalAccuracy: value["horizontalAccuracy"]?.double,
            verticalAccuracy: value["verticalAccuracy"]?.double, altitude: value["altitude"]?.double,
            speed: value["speed"]?.double, course: value["course"]?.double, timestamp: value["timestamp"]?.int64)
    }
}

extension Reference {
    init?(_ value: JSONValue) {
        guard let recordName = value["recordName"]?.string, !recordName.isEmpty else { return nil }
        var zoneID: ZoneID?
        if let zone = value["zoneID"], !zone.isNull {
            guard let decoded = ZoneID(zone) else { return nil }
            zoneID = decoded
        }
        var action: Action?
        if let text = value["action"]?.string {
            guard let known = Action(rawValue: text) else { return nil }
            action = known
        }
        self.init(recordName: recordName, zoneID: zoneID, action: action)
    }
}

extension Asset {
    init?(_ value: JSONValue) {
        guard let fileChecksum = value["fileChecksum"]?.string, let size = value["size"]?.int64, size >= 0
        else { return nil }
        self.init(
            fileChecksum: fileChecksum, size: size, receipt: value["receipt"]?.string,
            referenceChecksum: value["referenceChecksum"]?.string, wrappingKey: value["wrappingKey"]?.string,
            downloadURL: value["downloadURL"]?.string)
    }
}

extension ZoneID {
    /// Reads a zone ID; one client calls the owner `ownerName`.
    init?(_ value: JSONValue) {
        guard value.object != nil else { return nil }
        var name = Self.defaultZoneName
        if let zoneName = value["zoneName"], !zoneName.isNull {
            guard let text = zoneName.string else { return nil }
            name = text
        }
        self.init(zoneName: name, ownerRecordName: value["ownerRecordName"]?.string ?? value["ownerName"]?.string)
    }
}
