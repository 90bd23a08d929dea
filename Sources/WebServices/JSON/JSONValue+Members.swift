// Reading the members of a message. A member that is there but of the wrong kind is refused as Apple's service refuses it.

extension ServerError {
    /// Malformed JSON, or a member of the wrong kind.
    package static let unexpectedInput = ServerError(.badRequest, "BadRequestException: Unexpected input")

    package static func missing(_ field: String) -> ServerError {
        ServerError(.badRequest, "BadRequestException: missing required field '\(field)'")
    }
}

extension JSONValue {
    /// The member, unless it is absent or null.
    func member(_ key: String) -> JSONValue? {
        guard let value = self[key], !value.isNull else { return nil }
        return value
    }

    func required(_ key: String) throws(ServerError) -> JSONValue {
        guard let value = member(key) else { throw object == nil ? .unexpectedInput : .missing(key) }
        return value
    }

    func requiredString(_ key: String) throws(ServerError) -> String {
        guard let text = try required(key).string else { throw .unexpectedInput }
        return text
    }

    func requiredArray(_ key: String) throws(ServerError) -> JSONArray {
        guard let array = try required(key).array else { throw .unexpectedInput }
        return array
    }

    func optionalString(_ key: String) throws(ServerError) -> String? {
        guard let value = member(key) else { return nil }
        guard let text = value.string else { throw .unexpectedInput }
        return text
    }

    func optionalInt(_ key: String) throws(ServerError) -> Int? {
        guard let value = member(key) else { return nil }
        guard let number = value.int else { throw .unexpectedInput }
        return number
    }

    func optionalDouble(_ key: String) throws(ServerError) -> Double? {
        guard let value = member(key) else { return nil }
        guard let number = value.double else { throw .unexpectedInput }
        return number
    }

    func optionalBool(_ key: String) throws(ServerError) -> Bool? {
        guard let value = member(key) else { return nil }
        guard let flag = value.bool else { throw .unexpectedInput }
        return flag
    }

    /// Names of fields or types, mostly, which are looked for in every record of an answer: no more than a record can have
    /// fields.
    func optionalStrings(_ key: String) throws(ServerError) -> [String]? {
        guard let value = member(key) else { return nil }
        guard let array = value.array else { throw .unexpectedInput }
        guard array.count <= Fields.maximumCount else {
            throw ServerError(
                .badRequest, "'\(key)' has more than \(Fields.maximumCount) names", extensionCode: .limitExceeded)
        }
        var texts: [String] = []
        texts.reserveCapacity(array.count)
        for element in array {
            guard let text = element.string else { throw .unexpectedInput }
            texts.append(text)
        }
        return texts
    }

    func optionalZoneID(_ key: String = "zoneID") throws(ServerError) -> ZoneID? {
        guard let value = member(key) else { return nil }
        guard let zoneID = ZoneID(value) else { throw .unexpectedInput }
        return zoneID
    }

    func requiredZoneID(_ key: String = "zoneID") throws(ServerError) -> ZoneID {
        guard let zoneID = try optionalZoneID(key) else { throw .missing(key) }
        return zoneID
    }

    /// The page of `changes/zone` spells it without the first "s"; clients send either.
    func numbersAsStrings() throws(ServerError) -> Bool? {
        if let flag = try optionalBool("numbersAsStrings") { return flag }
        return try optionalBool("numberAsStrings")
    }
}

extension JSONArray {
    func mapMembers<Element>(_ transform: (JSONValue) throws(ServerError) -> Element) throws(ServerError) -> [Element] {
        var elements: [Element] = []
        elements.reserveCapacity(count)
        for value in self { elements.append(try transform(value)) }
        return elements
    }
}
