extension LookupInfo {
    func members(to writer: inout JSONWriter) {
        switch self {
        case .emailAddress(let address): writer.member("emailAddress", address)
        case .phoneNumber(let number): writer.member("phoneNumber", number)
        case .userRecordName(let name): writer.member("userRecordName", name)
        }
    }

    init(_ value: JSONValue) throws(ServerError) {
        if let address = try value.optionalString("emailAddress") {
            self = .emailAddress(address)
        } else if let number = try value.optionalString("phoneNumber") {
            self = .phoneNumber(number)
        } else {
            self = .userRecordName(try value.requiredString("userRecordName"))
        }
    }
}

extension UserIdentity {
    func encode(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("userRecordName", userRecordName)
        for (key, value) in [("firstName" as StaticString, firstName), ("lastName", lastName)] {
            writer.key(key)
            if let value { writer.string(value) } else { writer.null() }
        }
        if case .emailAddress(let address) = lookupInfo { writer.member("emailAddress", address) }
        writer.key("nameComponents")
        writer.beginObject()
        writer.member(ifPresent: "givenName", firstName)
        writer.member(ifPresent: "familyName", lastName)
        writer.endObject()
        writer.key("lookupInfo")
        writer.beginObject()
        (lookupInfo ?? .userRecordName(userRecordName)).members(to: &writer)
        writer.endObject()
        writer.endObject()
    }

    init(_ value: JSONValue) throws(ServerError) {
        let names = value.member("nameComponents")
        self.init(
            userRecordName: try value.requiredString("userRecordName"),
            firstName: value["firstName"]?.string ?? names?["givenName"]?.string,
            lastName: value["lastName"]?.string ?? names?["familyName"]?.string,
            lookupInfo: try value.member("lookupInfo").map { (info) throws(ServerError) in try LookupInfo(info) })
    }
}

extension UsersDiscover.Request {
    /// - Parameter list: `lookupInfos` of `users/discover`, `users` of `users/lookup/…`.
    func encode(to writer: inout JSONWriter, list: StaticString) {
        writer.beginObject()
        writer.key(list)
        writer.beginArray()
        for info in lookupInfos {
            writer.beginObject()
            info.members(to: &writer)
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
    }

    init(_ value: JSONValue, list: String) throws(ServerError) {
        self.init(lookupInfos: try value.requiredArray(list).mapMembers(LookupInfo.init))
    }
}

extension UsersDiscover.Response {
    func encode(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("users")
        writer.beginArray()
        for user in users { user.encode(to: &writer) }
        writer.endArray()
        writer.endObject()
    }

    init(_ value: JSONValue) throws(ServerError) {
        self.init(users: try value.requiredArray("users").mapMembers(UserIdentity.init))
    }
}

extension UsersPermission.Request {
    func encode(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("request", requests)
        writer.endObject()
    }

    init(_ value: JSONValue) throws(ServerError) {
        self.init(requests: try value.optionalBool("request") ?? false)
    }
}

extension UsersPermission.Status {
    func encode(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("status", rawValue)
        writer.endObject()
    }

    init(_ value: JSONValue) throws(ServerError) {
        guard let status = Self(rawValue: try value.requiredString("status")) else { throw .unexpectedInput }
        self = status
    }
}
