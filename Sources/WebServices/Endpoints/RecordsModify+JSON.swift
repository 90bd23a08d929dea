extension RecordsModify.Request {
    func encode(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("operations")
        writer.beginArray()
        for operation in operations {
            writer.beginObject()
            writer.member("operationType", operation.type.rawValue)
            writer.key("record")
            writer.requestRecord(operation.record, withFields: !operation.type.isDeletion)
            writer.member(ifPresent: "desiredKeys", operation.desiredKeys)
            writer.endObject()
        }
        writer.endArray()
        if let zoneID {
            writer.key("zoneID")
            writer.zoneID(zoneID)
        }
        if let atomic { writer.member("atomic", atomic) }
        writer.member(ifPresent: "desiredKeys", desiredKeys)
        writer.member(ifTrue: "numbersAsStrings", numbersAsStrings)
        writer.endObject()
    }

    init(_ value: JSONValue) throws(ServerError) {
        self.init(
            operations: try value.requiredArray("operations").mapMembers(RecordsModify.Operation.init),
            zoneID: try value.optionalZoneID(), atomic: try value.optionalBool("atomic"),
            desiredKeys: try value.optionalStrings("desiredKeys"),
            numbersAsStrings: try value.numbersAsStrings() ?? false)
    }
}

extension RecordsModify.OperationType {
    package var isDeletion: Bool { self == .delete || self == .forceDelete }
}

extension RecordsModify.Operation {
    init(_ value: JSONValue) throws(ServerError) {
        guard let type = RecordsModify.OperationType(rawValue: try value.requiredString("operationType")) else {
            throw .unexpectedInput
        }
        let record = try value.required("record")
        self.init(type, try Record(record), desiredKeys: try value.optionalStrings("desiredKeys"))
        // Apple's asset example has the keys inside the record.
        if desiredKeys == nil { desiredKeys = try record.optionalStrings("desiredKeys") }
    }
}

extension RecordsModify.Response {
    func encode(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.recordResults(records, numbersAsStrings: numbersAsStrings)
        writer.member(ifPresent: "syncToken", syncToken)
        writer.endObject()
    }

    init(_ value: JSONValue) throws(ServerError) {
        self.init(
            records: try value.requiredArray("records").mapMembers(RecordResult.init),
            syncToken: try value.optionalString("syncToken"))
    }
}
