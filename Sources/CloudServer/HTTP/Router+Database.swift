import WebServices

extension Router {
    /// A call of CloudKit Web Services, module `database` or `device`.
    func database(_ request: HTTPRequest, _ respond: @escaping @Sendable (HTTPResponse) -> Void) {
        let origin = crossOrigin(request)
        guard let target = Target(request.pathComponents) else { return respond(noHandler(origin)) }
        if let claimed = request.headers["Origin"], !admits(claimed, request) {
            return respond(failure(ServerError(.accessDenied, "The API token does not admit this origin")))
        }
        let methods = target.hasBody ? ["POST"] : ["GET", "POST"]
        if request.method == "OPTIONS" { return respond(options(methods, origin)) }
        guard methods.contains(request.method) else {
            return respond(wrongMethod(methods + ["OPTIONS"], origin))
        }
        let call: Call
        do throws(ServerError) {
            guard let operation = try Operation(path: target.path, body: request.body) else {
                return respond(noHandler(origin))
            }
            call = target.call(operation, request, isSecure: isSecure)
        } catch {
            return respond(failure(error, headers: origin))
        }
        server.answer(call) { [self] inProgress, reply in
            let reply = withWholeAddress(reply, request)
            let (status, body) = reply.encode()
            server.note(inProgress, reply, requestBytes: request.body.count, responseBytes: body.count)
            var headers = origin
            if let token = reply.webAuthToken { headers.append((Self.tokenHeader, token)) }
            if case .failure(let error) = reply.result { headers += retryAfter(error) }
            respond(.json(body, status: status, headers: headers))
        }
    }

    static let tokenHeader = "X-Apple-CloudKit-Web-Auth-Token"

    /// What a path names.
    private struct Target {
        var container: String
        var environment: CloudEnvironment
        var database: DatabaseScope
        /// `entity/action`.
        var path: String
        var hasBody: Bool

        init?(_ components: [String]) {
            guard components.count >= 6, components.count <= 8, components[1] == "1",
                let environment = CloudEnvironment(rawValue: components[3])
            else { return nil }
            let hasDatabase = components.count >= 7
            let action = components.dropFirst(hasDatabase ? 5 : 4).joined(separator: "/")
            // Those of module `device` have no database; Apple's pages have them under `/database/`, clients use either,
            // and some write a database nevertheless. [Apple:CreateTokens]
            let isOfDevice = Operation.devicePaths.contains(action)
            guard isOfDevice || (hasDatabase && components[0] == "database"),
                let database = hasDatabase ? DatabaseScope(rawValue: components[4]) : .private,
                let known = Operation.paths.first(where: { $0.path == action })
            else { return nil }
            container = components[2]
            self.environment = environment
            self.database = database
            path = known.path
            hasBody = known.hasBody
        }

        func call(_ operation: Operation, _ request: HTTPRequest, isSecure: Bool) -> Call {
            Call(
                container: container, environment: environment, database: database,
                credentials: Credentials(
                    apiToken: request.query["ckAPIToken"], webAuthToken: request.webAuthToken,
                    signature: RequestSignature(request)),
                client: ClientKind(header: request.headers["X-Stratus-Client"]), operation: operation,
                wantsSyncToken: request.query["getCurrentSyncToken"] == "true", root: request.root(isSecure: isSecure))
        }
    }

    /// Without a configured address, those in answers (the sign-in page's, a courier's) begin with the one that the
    /// request was sent to.
    private func withWholeAddress(_ reply: Reply, _ request: HTTPRequest) -> Reply {
        guard let root = request.root(isSecure: isSecure) else { return reply }
        var reply = reply
        switch reply.result {
        case .failure(var error):
            guard let url = error.redirectURL, url.hasPrefix("/") else { return reply }
            error.redirectURL = root + url
            reply.result = .failure(error)
        case .success(.tokensCreate(var response)):
            guard response.webcourierURL.hasPrefix("/") else { return reply }
            response.webcourierURL = root + response.webcourierURL
            reply.result = .success(.tokensCreate(response))
        case .success: break
        }
        return reply
    }
}

// MARK: - Browsers

extension Router {
    /// What lets a page of another origin read the answer: the credentials are in the query, so any origin may that the
    /// API token admits.
    func crossOrigin(_ request: HTTPRequest) -> [(String, String)] {
        // It goes back as it came: what no header may hold would cost the whole answer.
        guard let origin = request.headers["Origin"], (1...512).contains(origin.utf8.count),
            origin.utf8.allSatisfy({ (0x21...0x7E).contains($0) }), admits(origin, request)
        else { return [] }
        return [
            ("Access-Control-Allow-Origin", origin), ("Vary", "Origin"),
            ("Access-Control-Expose-Headers", Self.tokenHeader),
        ]
    }

    private func admits(_ origin: String, _ request: HTTPRequest) -> Bool {
        let admitted = try? server.identity.admits(
            origin: origin, apiToken: request.query["ckAPIToken"], now: server.clock.now())
        return admitted == true
    }

    func options(_ methods: [String], _ origin: [(String, String)]) -> HTTPResponse {
        let allowed = (methods + ["OPTIONS"]).joined(separator: ", ")
        var headers = origin + [("Allow", allowed)]
        if !origin.isEmpty {
            headers += [
                ("Access-Control-Allow-Methods", allowed),
                (
                    "Access-Control-Allow-Headers",
                    "Content-Type, X-Stratus-Client, X-Apple-CloudKit-Request-KeyID, "
                        + "X-Apple-CloudKit-Request-ISO8601Date, X-Apple-CloudKit-Request-SignatureV1"
                ), ("Access-Control-Max-Age", "86400"),
            ]
        }
        return HTTPResponse(headers: headers)
    }
}

extension HTTPRequest {
    /// Scheme and host that the request was addressed to.
    func root(isSecure: Bool) -> String? {
        guard let host = headers["Host"], host.utf8.allSatisfy(\.isHostCharacter) else { return nil }
        return "\(isSecure ? "https" : "http")://\(host)"
    }

    /// The web token's base64. A `+` that a client forgot to escape arrives as a space, which base64 does not have.
    var webAuthToken: String? {
        guard let text = query["ckWebAuthToken"] ?? query["ckSession"] else { return nil }
        return String(decoding: text.utf8.map { $0 == UInt8(ascii: " ") ? UInt8(ascii: "+") : $0 }, as: UTF8.self)
    }

}

extension ClientKind {
    /// `native/{device}` is our own framework; anything else, or nothing, speaks the plain protocol.
    fileprivate init(header: String?) {
        guard let header, header.hasPrefix("native/"),
            let device = PercentEncoding.decode(header.utf8.dropFirst("native/".utf8.count)), !device.isEmpty,
            device.utf8.count <= Limits.nameLength
        else {
            self = .webServices
            return
        }
        self = .native(deviceID: device)
    }
}

extension UInt8 {
    /// Of names, addresses and ports, and nothing that could end a header or a JSON string.
    fileprivate var isHostCharacter: Bool {
        isASCIILetter || isASCIIDigit
            || [UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: ":"), UInt8(ascii: "["), UInt8(ascii: "]")].contains(
                self)
    }
}
