extension CloudEnvironment {
    fileprivate init(memberOf value: JSONValue) throws(ServerError) {
        guard let environment = Self(rawValue: try value.requiredString("apnsEnvironment")) else {
            throw .unexpectedInput
        }
        self = environment
    }
}

extension TokensCreate.Request {
    func encode(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("apnsEnvironment", apnsEnvironment.rawValue)
        writer.member(ifPresent: "clientId", clientID)
        writer.endObject()
    }

    init(_ value: JSONValue) throws(ServerError) {
        self.init(
            apnsEnvironment: try CloudEnvironment(memberOf: value), clientID: try value.optionalString("clientId"))
    }
}

extension TokensCreate.Response {
    func encode(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("apnsEnvironment", apnsEnvironment.rawValue)
        writer.member("apnsToken", apnsToken)
        writer.member("webcourierURL", webcourierURL)
        writer.endObject()
    }

    init(_ value: JSONValue) throws(ServerError) {
        self.init(
            apnsEnvironment: try CloudEnvironment(memberOf: value), apnsToken: try value.requiredString("apnsToken"),
            webcourierURL: try value.requiredString("webcourierURL"))
    }
}

extension TokensRegister.Request {
    func encode(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("apnsEnvironment", apnsEnvironment.rawValue)
        writer.member("apnsToken", apnsToken)
        writer.member(ifPresent: "clientId", clientID)
        writer.endObject()
    }

    init(_ value: JSONValue) throws(ServerError) {
        self.init(
            apnsEnvironment: try CloudEnvironment(memberOf: value), apnsToken: try value.requiredString("apnsToken"),
            clientID: try value.optionalString("clientId"))
    }
}
