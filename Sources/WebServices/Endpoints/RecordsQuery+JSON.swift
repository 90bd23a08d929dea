extension RecordsQuery.Request {
    func encode(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("query")
        query.encode(to: &writer)
        if let zoneID {
            writer.key("zoneID")
            writer.zoneID(zoneID)
        }
        writer.member(ifTrue: "zoneWide", zoneWide)
        writer.member(ifPresent: "resultsLimit", resultsLimit)
        writer.member(ifPresent: "continuationMarker", continuationMarker)
        writer.member(ifPresent: "desiredKeys", desiredKeys)
        writer.member(ifTrue: "numbersAsStrings", numbersAsStrings)
        writer.endObject()
    }

    init(_ value: JSONValue) throws(ServerError) {
        self.init(
            query: try RecordsQuery.Query(try value.required("query")), zoneID: try value.optionalZoneID(),
            zoneWide: try value.optionalBool("zoneWide") ?? false, resultsLimit: try value.optionalInt("resultsLimit"),
            continuationMarker: try value.optionalString("continuationMarker"),
            desiredKeys: try value.optionalStrings("desiredKeys"),
            numbersAsStrings: try value.numbersAsStrings() ?? false)
    }
}

extension RecordsQuery.Query {
    package func encode(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("recordType", recordType)
        if !filterBy.isEmpty {
            writer.key("filterBy")
            writer.beginArray()
            for filter in filterBy { filter.encode(to: &writer) }
            writer.endArray()
        }
        if !sortBy.isEmpty {
            writer.key("sortBy")
            writer.beginArray()
            for sort in sortBy { sort.encode(to: &writer) }
            writer.endArray()
        }
        writer.endObject()
    }

    package init(_ value: JSONValue) throws(ServerError) {
        guard value.object != nil else { throw .unexpectedInput }
        self.init(recordType: try value.requiredString("recordType"))
        if value.member("filterBy") != nil {
            filterBy = try value.requiredArray("filterBy").mapMembers(RecordsQuery.Filter.init)
        }
        if value.member("sortBy") != nil {
            sortBy = try value.requiredArray("sortBy").mapMembers(RecordsQuery.Sort.init)
        }
    }
}

extension RecordsQuery.Filter {
    func encode(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("comparator", comparator.rawValue)
        field?.encode(to: &writer)
        writer.key("fieldValue")
        writer.beginObject()
        writer.key("value")
        value.encode(to: &writer)
        if case .typed(let typed) = value { writer.member("type", typed.type.name) }
        writer.endObject()
        if let distance { writer.member("distance", distance) }
        writer.endObject()
    }

    init(_ value: JSONValue) throws(ServerError) {
        guard let comparator = RecordsQuery.Comparator(rawValue: try value.requiredString("comparator")) else {
            throw .unexpectedInput
        }
        let field = try RecordsQuery.FieldName(memberOf: value)
        let isTokenSearch = comparator == .containsAllTokens || comparator == .containsAnyTokens
        if field == nil, !isTokenSearch { throw .missing("fieldName") }
        let fieldValue = try value.required("fieldValue")
        guard fieldValue.object != nil else { throw .unexpectedInput }
        var operand = RecordsQuery.Operand.null
        if let bare = fieldValue.member("value") {
            if let typeName = fieldValue.member("type") {
                guard let text = typeName.string, let type = FieldType(name: text) else { throw .unexpectedInput }
                operand = try RecordsQuery.Operand(bare, as: type)
            } else if let untyped = RecordsQuery.Operand(bare) {
                operand = untyped
            } else {
                throw .unexpectedInput
            }
        }
        self.init(comparator, field, operand, distance: try value.optionalDouble("distance"))
    }
}

extension RecordsQuery.Operand {
    /// A typed operand; a bare record name where a reference is due is a harmless leniency.
    init(_ value: JSONValue, as type: FieldType) throws(ServerError) {
        if type == .reference, let recordName = value.string {
            self = .typed(.reference(Reference(recordName: recordName)))
        } else {
            self = .typed(try FieldValue(value, as: type))
        }
    }

    init?(_ value: JSONValue) {
        switch value.kind {
        case .null: self = .null
        case .bool: self = .untypedInteger(value.bool == true ? 1 : 0)
        case .integer: self = .untypedInteger(value.int64 ?? 0)
        case .unsigned, .double: self = .untypedNumber(value.double ?? 0)
        case .string: self = .untypedString(value.string ?? "")
        case .array:
            var operands: [Self] = []
            // A list of lists means nothing, so one level is enough and depth is bounded.
            for element in value.array.map({ Array($0) }) ?? [] {
                guard element.array == nil, let operand = Self(element) else { return nil }
                operands.append(operand)
            }
            self = .untypedList(operands)
        case .object:
            if let location = Location(value) {
                self = .typed(.location(location))
            } else if let reference = Reference(value) {
                self = .untypedReference(reference)
            } else {
                return nil
            }
        }
    }

    func encode(to writer: inout JSONWriter) {
        switch self {
        case .typed(let value): writer.fieldValue(value)
        case .untypedString(let text): writer.string(text)
        case .untypedNumber(let number): writer.double(number)
        case .untypedInteger(let number): writer.int64(number)
        case .untypedReference(let reference): writer.reference(reference)
        case .untypedList(let operands):
            writer.beginArray()
            for operand in operands { operand.encode(to: &writer) }
            writer.endArray()
        case .null: writer.null()
        }
    }
}

extension RecordsQuery.Sort {
    func encode(to writer: inout JSONWriter) {
        writer.beginObject()
        field.encode(to: &writer)
        writer.member("ascending", ascending)
        if let relativeLocation {
            writer.key("relativeLocation")
            writer.beginObject()
            writer.key("value")
            writer.location(relativeLocation)
            writer.member("type", FieldType.location.name)
            writer.endObject()
        }
        writer.endObject()
    }

    init(_ value: JSONValue) throws(ServerError) {
        guard let field = try RecordsQuery.FieldName(memberOf: value) else { throw .missing("fieldName") }
        self.init(field, ascending: try value.optionalBool("ascending") ?? true)
        if let relative = value.member("relativeLocation") {
            guard let location = Location(relative.member("value") ?? relative) else { throw .unexpectedInput }
            relativeLocation = location
        }
    }
}

extension RecordsQuery.FieldName {
    func encode(to writer: inout JSONWriter) {
        switch self {
        case .user(let name): writer.member("fieldName", name)
        case .system(let field): writer.member("systemFieldName", field.systemFieldName)
        }
    }

    /// Reads `fieldName` or `systemFieldName`; a schema name such as `___createTime` is taken in `fieldName` as well.
    init?(memberOf value: JSONValue) throws(ServerError) {
        if let name = try value.optionalString("systemFieldName") {
            guard
                let field = RecordsQuery.SystemField.allCases.first(where: {
                    $0.systemFieldName == name || $0.rawValue == name
                })
            else { throw ServerError(.badRequest, "Unknown system field '\(name.prefix(64))'") }
            self = .system(field)
        } else if let name = try value.optionalString("fieldName") {
            let schemaName = name == "___recordId" ? "___recordID" : name
            self = RecordsQuery.SystemField(rawValue: schemaName).map { .system($0) } ?? .user(name)
        } else {
            return nil
        }
    }
}

extension RecordsQuery.Response {
    func encode(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.recordResults(records, numbersAsStrings: numbersAsStrings)
        writer.member(ifPresent: "continuationMarker", continuationMarker)
        writer.member(ifPresent: "syncToken", syncToken)
        writer.endObject()
    }

    init(_ value: JSONValue) throws(ServerError) {
        self.init(
            records: try value.requiredArray("records").mapMembers(RecordResult.init),
            continuationMarker: try value.optionalString("continuationMarker"),
            syncToken: try value.optionalString("syncToken"))
    }
}
