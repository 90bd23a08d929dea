extension RecordsLookup.Request {
    func encode(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("records")
        writer.beginArray()
        for item in records {
            writer.beginObject()
            writer.member("recordName", item.recordName)
            if let zoneID = item.zoneID {
                writer.key("zoneID")
                writer.zoneID(zoneID)
            }
            writer.member(ifPresent: "desiredKeys", item.desiredKeys)
            writer.endObject()
        }
        writer.endArray()
        if let zoneID {
            writer.key("zoneID")
            writer.zoneID(zoneID)
        }
        writer.member(ifPresent: "desiredKeys", desiredKeys)
        writer.member(ifTrue: "numbersAsStrings", numbersAsStrings)
        writer.endObject()
    }

    init(_ value: JSONValue) throws(ServerError) {
        let records = try value.required("records")
        // Apple's service has been seen to take one object where an array is documented.
        let items =
            records.object != nil
            ? [try RecordsLookup.Item(records)]
            : try value.requiredArray("records").mapMembers(RecordsLookup.Item.init)
        self.init(
            records: items, zoneID: try value.optionalZoneID(), desiredKeys: try value.optionalStrings("desiredKeys"),
            numbersAsStrings: try value.numbersAsStrings() ?? false)
    }
}

extension RecordsLookup.Item {
    init(_ value: JSONValue) throws(ServerError) {
        self.init(
            recordName: try value.requiredString("recordName"), zoneID: try value.optionalZoneID(),
            desiredKeys: try value.optionalStrings("desiredKeys"))
    }
}
