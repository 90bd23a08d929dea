import CloudStore
import WebServices

extension CloudServer {
    /// A long poll: answered at once when there is something to say, otherwise when there is or when time is up. The
    /// courier token proves the caller.
    func poll(
        _ request: CourierPoll.Request, _ arriving: RequestInProgress,
        _ respond: @escaping @Sendable (RequestInProgress, Reply) -> Void
    ) {
        let call = arriving.call
        let realm = PushRealm(container: call.container, environment: call.environment)
        let answer: @Sendable (Result<PushNotification?, any Error>) -> Void = { [weak self] result in
            let answer = result.map { Answer.courierPoll($0) }
            // The server is gone: whoever polls here has to look for another.
            guard let self else { return respond(arriving, Reply(.failure(PushHub.stopping))) }
            respond(arriving, self.reply(to: arriving, answer))
        }
        guard (request.after ?? "").utf8.count <= Limits.nameLength,
            let token = CourierToken(request.courierToken, realm, secret)
        else { return answer(.failure(ServerError.unknownPushAddress)) }
        do {
            let container = try openContainer(call)
            let key = PushAddressKey(realm: realm, token: token.address)
            try push.open(key, container)
            push.poll(key, after: request.after) { answer($0.mapError { $0 }) }
        } catch {
            answer(.failure(error))
        }
    }

    /// Whether a poll with this token waits for news, so that none is on its way to it.
    package func isPollWaiting(_ courierToken: String, container: String, environment: CloudEnvironment) -> Bool {
        let realm = PushRealm(container: container, environment: environment)
        guard let token = CourierToken(courierToken, realm, secret) else { return false }
        return push.isWaiting(PushAddressKey(realm: realm, token: token.address))
    }
}

/// A poll is answered by `CloudServer.poll`; reaching this is a mistake of the server's.
struct MisplacedPollEndpoint: StatelessEndpoint {
    func run(_ context: RequestContext) throws(ServerError) -> Answer {
        throw ServerError(.internalError, "An internal error occurred.")
    }
}

extension ServerError {
    /// Never made here, or given up since; `tokens/create` makes another.
    static let unknownPushAddress = ServerError(.notFound, "There is no such address for pushes: create a token")
}
