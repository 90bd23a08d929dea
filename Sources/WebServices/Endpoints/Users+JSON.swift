extension UserResponse {
    func encode(to writer: inout JSONWriter) {
        writer.beginObject()
        identityMembers(to: &writer)
        writer.key("users")
        writer.beginArray()
        writer.beginObject()
        identityMembers(to: &writer)
        writer.endObject()
        writer.endArray()
        writer.endObject()
    }

    private func identityMembers(to writer: inout JSONWriter) {
        writer.member("userRecordName", userRecordName)
        for (key, value) in [("firstName" as StaticString, firstName), ("lastName", lastName)] {
            writer.key(key)
            if let value { writer.string(value) } else { writer.null() }
        }
        writer.member(ifPresent: "emailAddress", emailAddress)
        writer.key("nameComponents")
        writer.beginObject()
        writer.member(ifPresent: "givenName", firstName)
        writer.member(ifPresent: "familyName", lastName)
        writer.endObject()
        writer.key("lookupInfo")
        writer.beginObject()
        writer.member("userRecordName", userRecordName)
        writer.endObject()
    }

    /// Reads the flat form, or the first of `users`.
    init(_ value: JSONValue) throws(ServerError) {
        let first = value["users"]?.array.flatMap { $0.first { _ in true } }
        let identity = value.member("userRecordName") == nil ? first ?? value : value
        self.init(
            userRecordName: try identity.requiredString("userRecordName"), firstName: identity["firstName"]?.string,
            lastName: identity["lastName"]?.string, emailAddress: identity["emailAddress"]?.string)
    }
}
