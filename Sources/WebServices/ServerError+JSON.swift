extension JSONWriter {
    /// The members of an error dictionary, inside an object that the caller began.
    mutating func errorMembers(_ error: ServerError) {
        if let uuid = error.uuid { member("uuid", uuid) }
        member("serverErrorCode", error.code.name)
        member("reason", error.reason)
        if let retryAfter = error.retryAfter {
            if let seconds = Int64(exactly: retryAfter) {
                member("retryAfter", seconds)
            } else {
                member("retryAfter", retryAfter)
            }
        }
        if let redirectURL = error.redirectURL { member("redirectURL", redirectURL) }
        if let extensionCode = error.extensionCode { member("extensionErrorCode", extensionCode.rawValue) }
    }

    /// The error as the whole answer.
    package mutating func error(_ error: ServerError) {
        beginObject()
        errorMembers(error)
        endObject()
    }
}

extension ServerError {
    /// Reads an error dictionary; nil if the value is none.
    package init?(_ value: JSONValue) {
        guard let code = value["serverErrorCode"]?.string else { return nil }
        self.init(
            Code(name: code), value["reason"]?.string ?? "", retryAfter: value["retryAfter"]?.double,
            redirectURL: value["redirectURL"]?.string ?? value["redirectUrl"]?.string,
            extensionCode: value["extensionErrorCode"]?.string.flatMap(ExtensionCode.init), uuid: value["uuid"]?.string)
    }
}
