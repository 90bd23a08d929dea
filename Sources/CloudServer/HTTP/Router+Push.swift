import WebServices

extension Router {
    /// `GET /stratus/courier/{container}/{environment}/{token}[?after=…]`: the long poll at a `webcourierURL`.
    func courier(_ request: HTTPRequest, _ respond: @escaping @Sendable (HTTPResponse) -> Void) {
        let origin = crossOrigin(request)
        let parts = request.pathComponents
        guard parts.count == 5, let environment = CloudEnvironment(rawValue: parts[3]) else {
            return respond(noHandler(origin))
        }
        if request.method == "OPTIONS" { return respond(options(["GET"], origin)) }
        guard request.method == "GET" else { return respond(wrongMethod(["GET", "OPTIONS"], origin)) }
        let poll = CourierPoll.Request(courierToken: parts[4], after: request.query["after"])
        let call = Call(
            container: parts[2], environment: environment, database: .private, operation: .courierPoll(poll))
        server.answer(call) { [self] inProgress, reply in
            let (status, body) = reply.encode()
            server.note(inProgress, reply, responseBytes: body.count)
            var headers = origin + [("Cache-Control", "no-store")]
            if case .failure(let error) = reply.result { headers += retryAfter(error) }
            respond(.json(body, status: status, headers: headers))
        }
    }
}
