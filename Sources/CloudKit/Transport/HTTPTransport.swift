import Foundation
import Synchronization
import WebServices

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Speaks CloudKit Web Services over HTTP. [Apple:SettingUpWebServices]
package final class HTTPTransport: Transport {
    private let root: URL
    private let signer: RequestSigner?
    private let session: URLSession
    /// Long polls have a session of their own: they must not take the connections of requests.
    private let pollSession = Mutex<URLSession?>(nil)
    /// Files too, and theirs tells a delegate.
    private let fileSession = Mutex<Files?>(nil)

    struct Files: Sendable {
        var session: URLSession
        var transfers: FileTransfers
    }

    var files: Files {
        fileSession.withLock { known in
            if let known { return known }
            let transfers = FileTransfers()
            let made = Files(
                session: Self.session(connections: 8, timeout: 7 * 24 * 3600, transfers), transfers: transfers)
            known = made
            return made
        }
    }

    /// - Parameters:
    ///   - root: The server, without `/database/1`.
    ///   - connections: How many requests run at once; more wait.
    ///   - signer: Proves a server, in place of tokens.
    package init(root: URL, connections: Int = 32, signer: RequestSigner? = nil) {
        self.root = root
        self.signer = signer
        // Six connections by default, which would have a sync engine's requests wait for a few slow ones. Requests have
        // their own limits, see RequestDeadlines.
        session = Self.session(connections: connections, timeout: 7 * 24 * 3600)
    }

    private static func session(
        connections: Int, timeout: Double, _ delegate: FileTransfers? = nil
    ) -> URLSession {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpMaximumConnectionsPerHost = connections
        configuration.timeoutIntervalForRequest = timeout
        configuration.urlCache = nil
        configuration.httpCookieStorage = nil
        configuration.httpShouldSetCookies = false
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        return URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
    }

    deinit {
        session.finishTasksAndInvalidate()
        pollSession.withLock { $0 }?.finishTasksAndInvalidate()
        fileSession.withLock { $0 }?.session.finishTasksAndInvalidate()
    }

    package func send(_ call: Call, limits: RequestLimits) async throws(TransportError) -> Reply {
        try reply(to: call, try await load(try request(for: call, limits: limits)))
    }

    /// Polls a server of ours under the root that this client knows it by, and another one where it says.
    package func poll(_ call: Call, at webcourierURL: String) async throws(TransportError) -> Reply {
        var address = webcourierURL
        if case .courierPoll(let request) = call.operation, webcourierURL.contains(Self.ownCourier) {
            let path = CourierPoll.path(
                container: Self.escaped(call.container), environment: call.environment,
                courierToken: Self.escaped(request.courierToken))
            address = "\(Self.path(of: root))\(path)"
            if let after = request.after { address += "?after=" + Self.escaped(after) }
        }
        guard let url = URL(string: address) else { throw .unreachable("Not an address: \(address)") }
        let session = pollSession.withLock { session in
            let known = session ?? Self.session(connections: 1024, timeout: CourierPoll.longestWait)
            session = known
            return known
        }
        // The session's own limit is enough here, where it is that of every request.
        return try reply(to: call, try await load(URLRequest(url: url), on: session))
    }

    private static let ownCourier = "/stratus/courier/"

    private func reply(to call: Call, _ answer: Loaded) throws(TransportError) -> Reply {
        let result: Result<Answer, ServerError>
        do throws(ServerError) {
            result = .success(try Answer(to: call.operation, body: answer.body))
        } catch {
            // What is no error dictionary and no answer either did not come from such a server.
            guard error != .unexpectedInput || answer.isErrorDictionary else {
                throw .notUnderstood(
                    status: answer.status,
                    "The server at \(root.absoluteString) answered \(answer.status) with something that is not CloudKit Web Services"
                )
            }
            result = .failure(error)
        }
        return Reply(result, webAuthToken: answer.webAuthToken)
    }

    package func signIn(
        account: String, password: String, limits: RequestLimits
    ) async throws(TransportError) -> SignInReply {
        guard let url = URL(string: Self.path(of: root) + "/stratus/session") else {
            throw .unreachable("Not an address: \(root.absoluteString)")
        }
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("account", account)
        writer.member("password", password)
        writer.member("keepSignedIn", true)
        writer.endObject()
        let answer = try await load(Self.request(url, body: writer.finish(), limits: limits))
        guard let value = try? JSONDocument(parsing: answer.body).root else {
            throw .notUnderstood(status: answer.status, "The server has no sign-in at /stratus/session")
        }
        if let token = value["webAuthToken"]?.string { return SignInReply(.success(token)) }
        return SignInReply(.failure(ServerError(value) ?? ServerError(.authenticationFailed, "Authentication failed")))
    }

    // MARK: Requests

    private func request(for call: Call, limits: RequestLimits) throws(TransportError) -> URLRequest {
        let isOfDevice = call.operation.isOfDevice
        let path =
            ([isOfDevice ? "device" : "database", "1", call.container, call.environment.rawValue]
            + (isOfDevice ? [] : [call.database.rawValue]))
            .map(Self.escaped).joined(separator: "/")
        var query: [String] = []
        if let token = call.credentials.apiToken { query.append("ckAPIToken=" + Self.escaped(token)) }
        if let token = call.credentials.webAuthToken { query.append("ckWebAuthToken=" + Self.escaped(token)) }
        if call.wantsSyncToken { query.append("getCurrentSyncToken=true") }
        let subpath =
            "/\(path)/\(call.operation.path)" + (query.isEmpty ? "" : "?" + query.joined(separator: "&"))
        guard let url = URL(string: Self.path(of: root) + subpath) else {
            throw .unreachable("Not an address: \(root.absoluteString)")
        }
        let body = call.operation.encodeBody()
        var request = Self.request(url, body: body, limits: limits)
        if let signer {
            for (name, value) in signer.headers(signing: body ?? [], subpath) {
                request.setValue(value, forHTTPHeaderField: name)
            }
        }
        if case .native(let deviceID) = call.client {
            request.setValue("native/\(Self.escaped(deviceID))", forHTTPHeaderField: "X-Stratus-Client")
        }
        return request
    }

    private static func request(_ url: URL, body: [UInt8]?, limits: RequestLimits) -> URLRequest {
        var request = URLRequest(url: url, timeoutInterval: limits.timeout)
        request.allowsCellularAccess = limits.allowsCellularAccess
        if let body {
            request.httpMethod = "POST"
            request.httpBody = Data(body)
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        }
        return request
    }

    var rootPath: String { Self.path(of: root) }

    private static func path(of root: URL) -> String {
        let text = root.absoluteString
        return text.hasSuffix("/") ? String(text.dropLast()) : text
    }

    /// Everything but letters, digits and `-._~` is escaped: tokens contain `+`, `/` and `=`.
    private static func escaped(_ text: String) -> String {
        let kept = CharacterSet(charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
        return text.addingPercentEncoding(withAllowedCharacters: kept) ?? ""
    }

    // MARK: Loading

    private struct Loaded: Sendable {
        var status: Int
        var body: [UInt8]
        var webAuthToken: String?

        var isErrorDictionary: Bool {
            (try? JSONDocument(parsing: body).root).flatMap { ServerError($0) } != nil
        }
    }

    private func load(_ request: URLRequest) async throws(TransportError) -> Loaded {
        try await load(request, on: session, timeout: request.timeoutInterval)
    }

    /// - Parameter timeout: Seconds; nil leaves it to the session.
    private func load(
        _ request: URLRequest, on session: URLSession, timeout: Double? = nil
    ) async throws(TransportError) -> Loaded {
        let running = RunningTask()
        let result: Result<Loaded, TransportError> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let task = session.dataTask(with: request) { data, response, error in
                    running.finish()
                    continuation.resume(returning: Self.outcome(data, response, error, timedOut: running.isOverdue))
                }
                running.start(task, timeout: timeout)
            }
        } onCancel: {
            running.cancel()
        }
        return try result.get()
    }

    private static func outcome(
        _ data: Data?, _ response: URLResponse?, _ error: (any Error)?, timedOut: Bool
    ) -> Result<Loaded, TransportError> {
        if let error {
            return .failure(timedOut ? .timedOut : transportError(error))
        }
        guard let response = response as? HTTPURLResponse else {
            return .failure(.notUnderstood(status: nil, "The answer is not HTTP"))
        }
        return .success(
            Loaded(
                status: response.statusCode, body: data.map { [UInt8]($0) } ?? [],
                webAuthToken: response.value(forHTTPHeaderField: "X-Apple-CloudKit-Web-Auth-Token")))
    }

    static func transportError(_ error: any Error) -> TransportError {
        let text = error.localizedDescription
        guard let error = error as? URLError else { return .answerLost(text) }
        switch error.code {
        case .cancelled:
            return .cancelled
        case .timedOut:
            return .timedOut
        case .cannotConnectToHost, .cannotFindHost, .dnsLookupFailed, .notConnectedToInternet,
            .internationalRoamingOff, .callIsActive, .dataNotAllowed, .unsupportedURL, .badURL:
            return .unreachable(text)
        case .secureConnectionFailed, .serverCertificateUntrusted, .serverCertificateHasBadDate,
            .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid, .clientCertificateRejected,
            .clientCertificateRequired:
            // Before the first byte of the request.
            return .interrupted(text)
        default:
            // The connection stood. Foundation does not tell here how much went out (its count of bytes sent stays
            // zero), so nobody knows what the server made of it.
            return .answerLost(text)
        }
    }
}

/// A task that a cancellation may meet before it has begun, and that has only so much time.
private final class RunningTask: Sendable {
    private struct State {
        var task: URLSessionDataTask?
        var isCancelled = false
        var isOverdue = false
        var deadline: RequestDeadlines.Entry?
    }
    private let state = Mutex(State())

    /// Whether it was cancelled because its time was up.
    var isOverdue: Bool { state.withLock { $0.isOverdue } }

    func start(_ task: URLSessionDataTask, timeout: TimeInterval?) {
        let deadline = timeout.map { RequestDeadlines.shared.add(after: $0) { [weak self] in self?.expire() } }
        let isCancelled = state.withLock { state in
            state.task = task
            state.deadline = deadline
            return state.isCancelled
        }
        task.resume()
        if isCancelled { task.cancel() }
    }

    func finish() {
        if let deadline = state.withLock({ $0.deadline }) { RequestDeadlines.shared.remove(deadline) }
    }

    func cancel() {
        let task = state.withLock { state in
            state.isCancelled = true
            return state.task
        }
        task?.cancel()
    }

    private func expire() {
        let task = state.withLock { state in
            state.isOverdue = !state.isCancelled
            return state.task
        }
        task?.cancel()
    }
}
