import WebServices

/// Finds what a request over HTTP is meant for, and gives its answer the form that HTTP wants.
///
/// `/database/1/{container}/{environment}/{database}/{entity}/{action}` is CloudKit Web Services (Router+Database.swift);
/// what the protocol lacks lies under `/stratus/`. The request's Content-Type is ignored, as are parameters that nobody
/// knows. [Apple:SettingUpWebServices]
package struct Router: Sendable {
    let server: CloudServer
    /// Whether people come by HTTPS: the scheme of the addresses in answers when none is configured.
    let isSecure: Bool

    package init(server: CloudServer, isSecure: Bool = false) {
        self.server = server
        self.isSecure = isSecure
    }

    /// An `HTTPHandler`.
    package func handle(_ request: HTTPRequest, respond: @escaping @Sendable (HTTPResponse) -> Void) {
        switch request.pathComponents.first {
        case "database", "device":
            database(request, respond)
        case "stratus":
            stratus(request, respond)
        default:
            respond(noHandler())
        }
    }

    /// The answer to a request that is no HTTP, or too large a one.
    package func refuse(_ refusal: HTTPRefusal, _ request: HTTPRequest) -> HTTPResponse {
        var error = ServerError(.badRequest, refusal.description)
        switch refusal {
        case .bodyTooLarge: error.extensionCode = .limitExceeded
        case .crowded, .stopping: error = ServerError(.tryAgainLater, refusal.description, retryAfter: 1)
        case .invalidAnswer: error = ServerError(.internalError, refusal.description)
        case .malformed: break
        }
        return failure(error, status: refusal.status, headers: crossOrigin(request))
    }

    /// Has a server's long bodies go where they belong, and its refusals said as the protocol says them.
    package func configure(_ configuration: inout HTTPServerConfiguration) {
        configuration.refusal = { refuse($0, $1) }
        configuration.uploadPath = AssetAddress.prefix
        configuration.bodyDestination = { bodyDestination($0) }
    }

    private func stratus(_ request: HTTPRequest, _ respond: @escaping @Sendable (HTTPResponse) -> Void) {
        switch request.pathComponents.dropFirst().first {
        case "courier": return courier(request, respond)
        case "assets": return asset(request, respond)
        case "account": return account(request, respond)
        default: break
        }
        let path = request.pathComponents.dropFirst().joined(separator: "/")
        switch (path, request.method) {
        case ("health", "GET"), ("health", "HEAD"): respond(health())
        case ("metrics", "GET"): respond(metrics())
        case ("session", "POST"): signIn(request, respond)
        case ("session", "DELETE"): respond(signOut(request))
        case ("sign-in", "GET"): respond(signInPage(request))
        case ("sign-in", "POST"): signInByForm(request, respond)
        case ("sign-in", _): respond(wrongMethod(["GET", "POST"]))
        case ("health", _), ("metrics", _): respond(wrongMethod(["GET"]))
        case ("session", _): respond(wrongMethod(["POST", "DELETE"]))
        default: respond(noHandler())
        }
    }
}

// MARK: - Answers that are the same everywhere

extension Router {
    func noHandler(_ headers: [(String, String)] = []) -> HTTPResponse {
        failure(ServerError(.notFound, "could not find handler for endpoint"), headers: headers)
    }

    func wrongMethod(_ allowed: [String], _ headers: [(String, String)] = []) -> HTTPResponse {
        failure(
            .badRequest("the endpoint does not take this method"), status: 405,
            headers: headers + [("Allow", allowed.joined(separator: ", "))])
    }

    /// An error dictionary, with a uuid.
    func failure(_ error: ServerError, status: Int? = nil, headers: [(String, String)] = []) -> HTTPResponse {
        var error = error
        error.uuid = error.uuid ?? server.random.uuid()
        let (ownStatus, body) = Reply(.failure(error)).encode()
        return .json(body, status: status ?? ownStatus, headers: headers + retryAfter(error))
    }

    /// Some clients read the waiting time from HTTP's own header.
    func retryAfter(_ error: ServerError) -> [(String, String)] {
        guard let seconds = error.retryAfter, seconds.isFinite else { return [] }
        return [("Retry-After", String(Int(max(0, min(seconds.rounded(.up), 86_400)))))]
    }
}
