extension ZonesLookup.Request {
    func encode(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("zones")
        writer.beginArray()
        for zone in zones { writer.zoneID(zone) }
        writer.endArray()
        writer.endObject()
    }

    /// Reads bare zone IDs, and those wrapped as `{zoneID: {…}}`, which the page can be read to ask for.
    init(_ value: JSONValue) throws(ServerError) {
        self.init(
            zones: try value.requiredArray("zones").mapMembers { zone throws(ServerError) in
                guard let zoneID = try zone.optionalZoneID() ?? ZoneID(zone) else { throw .unexpectedInput }
                return zoneID
            })
    }
}

extension ZonesModify.Request {
    func encode(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("operations")
        writer.beginArray()
        for operation in operations {
            writer.beginObject()
            writer.member("operationType", operation.type.rawValue)
            writer.key("zone")
            writer.beginObject()
            writer.key("zoneID")
            writer.zoneID(operation.zoneID)
            writer.endObject()
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
    }

    init(_ value: JSONValue) throws(ServerError) {
        self.init(
            operations: try value.requiredArray("operations").mapMembers { operation throws(ServerError) in
                guard let type = ZonesModify.OperationType(rawValue: try operation.requiredString("operationType"))
                else {
                    throw .unexpectedInput
                }
                return ZonesModify.Operation(type, try operation.required("zone").requiredZoneID())
            })
    }
}

extension ZonesResponse {
    func encode(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.zoneResults(zones)
        writer.endObject()
    }

    init(_ value: JSONValue) throws(ServerError) {
        self.init(
            zones: try value.requiredArray("zones").mapMembers { zone throws(ServerError) in try ZoneResult(zone) })
    }
}
