extension JSONWriter {
    /// Writes a record of an answer: `deleted: false` and all that is known, or the short form of a deleted one.
    package mutating func record(_ record: Record, numbersAsStrings: Bool = false) {
        beginObject()
        member("recordName", record.recordName)
        if record.deleted {
            key("recordType")
            if let type = record.recordType { string(type) } else { null() }
            member("deleted", true)
        } else {
            if let type = record.recordType { member("recordType", type) }
            key("fields")
            fields(record.fields, numbersAsStrings: numbersAsStrings)
            key("pluginFields")
            beginObject()
            endObject()
        }
        if let tag = record.recordChangeTag { member("recordChangeTag", tag) }
        if !record.deleted {
            if let created = record.created { stamp("created", created) }
            if let modified = record.modified { stamp("modified", modified) }
            if case .reference(let parent) = record.parent {
                key("parent")
                reference(parent)
            }
            member("deleted", false)
        }
        if let zoneID = record.zoneID {
            key("zoneID")
            self.zoneID(zoneID)
        }
        endObject()
    }

    /// Writes a record of a request: only what was set.
    mutating func requestRecord(_ record: Record, withFields: Bool) {
        beginObject()
        if !record.recordName.isEmpty { member("recordName", record.recordName) }
        member(ifPresent: "recordType", record.recordType)
        member(ifPresent: "recordChangeTag", record.recordChangeTag)
        if withFields {
            key("fields")
            fields(record.fields, numbersAsStrings: false)
        }
        if let zoneID = record.zoneID {
            key("zoneID")
            self.zoneID(zoneID)
        }
        switch record.parent {
        case .unchanged: break
        case .none:
            key("parent")
            null()
        case .reference(let parent):
            key("parent")
            reference(parent)
        }
        endObject()
    }

    /// The `fields` object: the stored bytes between braces.
    mutating func fields(_ fields: Fields, numbersAsStrings: Bool) {
        beginObject()
        if !fields.isEmpty {
            if numbersAsStrings {
                for entry in fields { member(entry, of: fields) }
            } else {
                fields.withJSON { raw($0) }
            }
        }
        endObject()
    }

    /// One field with its numbers in quotes.
    private mutating func member(_ entry: Fields.Entry, of fields: Fields) {
        guard let type = entry.kind.type, [.int64, .double, .timestamp].contains(type.element ?? type) else {
            return raw(fields.member(entry))
        }
        key(fields.name(of: entry))
        beginObject()
        key("value")
        let value = fields.json(of: entry)
        if type.isList {
            beginArray()
            // Numbers hold neither commas nor brackets.
            for number in value.dropFirst().dropLast().split(separator: UInt8(ascii: ",")) { quoted(number) }
            endArray()
        } else {
            quoted(value)
        }
        member("type", type.name)
        if entry.kind.isEncrypted { member("isEncrypted", true) }
        endObject()
    }

    private mutating func quoted(_ number: ArraySlice<UInt8>) {
        number.withUnsafeBufferPointer { string(utf8: $0) }
    }

    private mutating func stamp(_ name: StaticString, _ stamp: Stamp) {
        key(name)
        beginObject()
        member("timestamp", stamp.timestamp)
        member("userRecordName", stamp.userRecordName)
        member("deviceID", stamp.deviceID)
        endObject()
    }
}

extension JSONWriter {
    /// One entry of an answer's `records`.
    mutating func recordResult(_ result: RecordResult, numbersAsStrings: Bool) {
        switch result {
        case .record(let record):
            self.record(record, numbersAsStrings: numbersAsStrings)
        case .failure(let recordName, let error, let conflict):
            beginObject()
            member("recordName", recordName)
            errorMembers(error)
            if case .record(let server) = conflict {
                key("serverRecord")
                record(server)
            }
            endObject()
        }
    }

    mutating func recordResults(_ results: [RecordResult], numbersAsStrings: Bool) {
        key("records")
        beginArray()
        for result in results { recordResult(result, numbersAsStrings: numbersAsStrings) }
        endArray()
    }
}

extension Record {
    /// Reads a record of a request or of an answer.
    ///
    /// A field whose value does not fit its type becomes the `problem` of the fields, since it is that record's error alone.
    package init(_ value: JSONValue) throws(ServerError) {
        guard let object = value.object else { throw .unexpectedInput }
        self.init(recordName: "")
        for member in object {
            let value = member.value
            switch member.key {
            case "parent":
                if value.isNull {
                    parent = .none
                } else if let reference = Reference(value) {
                    parent = .reference(reference)
                } else {
                    throw .unexpectedInput
                }
            case _ where value.isNull: break
            case "recordName": recordName = try value.requireString()
            case "recordType": recordType = try value.requireString()
            case "recordChangeTag": recordChangeTag = try value.requireString()
            case "fields": fields = try Fields(value)
            case "created": created = Stamp(value)
            case "modified": modified = Stamp(value)
            case "deleted": deleted = value.bool ?? false
            case "zoneID":
                guard let zone = ZoneID(value) else { throw .unexpectedInput }
                zoneID = zone
            default: break
            }
        }
    }
}

extension RecordResult {
    /// Reads one entry of an answer's `records`.
    init(_ value: JSONValue) throws(ServerError) {
        if let error = ServerError(value) {
            var conflict = ConflictRecord.absent
            if let server = value.member("serverRecord") { conflict = .record(try Record(server)) }
            self = .failure(recordName: value["recordName"]?.string ?? "", error, conflict: conflict)
        } else {
            self = .record(try Record(value))
        }
    }
}

extension Fields {
    /// Reads the `fields` object: name → `{value, type?}`, or null for a field to be cleared.
    package init(_ value: JSONValue) throws(ServerError) {
        guard let object = value.object else { throw .unexpectedInput }
        var builder = FieldsBuilder(capacity: 1024)
        for member in object {
            let name = member.key
            guard name.utf8.count <= 255, name.utf8.allSatisfy(\.isFieldNameCharacter), !name.isEmpty else {
                builder.note(
                    ServerError(
                        .badRequest,
                        "Invalid field name '\(name.prefix(64))': letters, digits, '_' and '$' only, up to 255"))
                continue
            }
            if member.value.isNull {
                builder.append(name, nil)
                continue
            }
            guard member.value.object != nil else { throw .unexpectedInput }
            guard let fieldValue = member.value.member("value") else {
                builder.append(name, nil)
                continue
            }
            let (type, isEncrypted) = try Self.declaredType(of: member.value)
            builder.append(
                name, parsed: fieldValue, type: type, isEncrypted: isEncrypted,
                exactValue: member.value.member("exactValue"))
        }
        self = builder.finish()
    }

    /// What a member says of its value. The schema's names for encrypted types (`ENCRYPTED_STRING`) are understood too.
    private static func declaredType(
        of member: JSONValue
    ) throws(ServerError) -> (type: FieldType?, isEncrypted: Bool) {
        var isEncrypted = false
        if let flag = member.member("isEncrypted") {
            guard let known = flag.bool else { throw .unexpectedInput }
            isEncrypted = known
        }
        guard let typeName = member.member("type") else { return (nil, isEncrypted) }
        guard var text = typeName.string else { throw .unexpectedInput }
        if text.hasPrefix(FieldType.encryptedPrefix) {
            text.removeFirst(FieldType.encryptedPrefix.count)
            isEncrypted = true
        }
        guard let type = FieldType(name: text) else { throw .unexpectedInput }
        return (type, isEncrypted)
    }
}

extension UInt8 {
    fileprivate var isFieldNameCharacter: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"), UInt8(ascii: "."):
            true
        default: false
        }
    }
}

extension Stamp {
    init?(_ value: JSONValue) {
        guard let timestamp = value["timestamp"]?.int64 else { return nil }
        self.init(
            timestamp: timestamp, userRecordName: value["userRecordName"]?.string ?? "",
            deviceID: value["deviceID"]?.string ?? "")
    }
}

extension JSONValue {
    fileprivate func requireString() throws(ServerError) -> String {
        guard let text = string else { throw .unexpectedInput }
        return text
    }
}
