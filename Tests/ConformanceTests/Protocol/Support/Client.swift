import CloudServer
import Dispatch
import Synchronization
import Testing
import WebServices

/// Makes calls with one set of credentials. What goes wrong with a request as a whole is thrown as the `ServerError` that
/// the server sent.
struct Client: Sendable {
    let service: Service
    var credentials: Credentials
    var container: String
    var environment = CloudEnvironment.development
    var kind = ClientKind.webServices
    /// The query parameter `getCurrentSyncToken=true`.
    var wantsSyncToken = false

    /// The same client as our own framework, which has other limits.
    var native: Client {
        var client = self
        client.kind = .native(deviceID: "phone")
        return client
    }

    func with(_ change: (inout Client) -> Void) -> Client {
        var client = self
        change(&client)
        return client
    }

    // MARK: - Calls

    /// Makes a call and takes whatever comes back.
    func reply(_ operation: ServerOperation, in database: DatabaseScope = .private) throws -> Reply {
        switch service.wire {
        case .inProcess:
            return handle(operation, database)
        case .http:
            let method = operation.encodeBody() == nil ? "GET" : "POST"
            let answer = try http(method, operation.path, operation.encodeBody() ?? [], in: database)
            do throws(ServerError) {
                return Reply(
                    .success(try Answer(to: operation, body: answer.body)), webAuthToken: answer.webAuthToken)
            } catch {
                #expect(answer.status == error.code.status, "the status of \(error)")
                return Reply(.failure(error), webAuthToken: answer.webAuthToken)
            }
        }
    }

    func answer(_ operation: ServerOperation, in database: DatabaseScope = .private) throws -> Answer {
        try reply(operation, in: database).result.get()
    }

    /// The error of a whole request, which has to fail.
    func refusal(
        _ operation: ServerOperation, in database: DatabaseScope = .private,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> ServerError {
        switch try reply(operation, in: database).result {
        case .success(let answer):
            Issue.record("answered with \(answer)", sourceLocation: sourceLocation)
            throw UnexpectedAnswer()
        case .failure(let error): return error
        }
    }

    /// Sends a body as it is written; what typed values cannot say.
    func send(_ path: String, _ json: String, in database: DatabaseScope = .private) throws -> WireAnswer {
        switch service.wire {
        case .inProcess:
            let reply: Reply
            do throws(ServerError) {
                guard let operation = try ServerOperation(path: path, body: Array(json.utf8)) else {
                    throw ServerError(.notFound, "could not find handler for endpoint")
                }
                reply = handle(operation, database)
            } catch {
                reply = Reply(.failure(error))
            }
            let (status, body) = reply.encode()
            return WireAnswer(status: status, headers: [:], body: body)
        case .http:
            return try http("POST", path, Array(json.utf8), in: database)
        }
    }

    private func handle(_ operation: ServerOperation, _ database: DatabaseScope) -> Reply {
        let box = Mutex(Reply(.failure(ServerError(.internalError, "not answered"))))
        let answered = DispatchSemaphore(value: 0)
        let call = Call(
            container: container, environment: environment, database: database, credentials: credentials, client: kind,
            operation: operation, wantsSyncToken: wantsSyncToken)
        service.server.handle(call) { reply in
            box.withLock { $0 = reply }
            answered.signal()
        }
        answered.wait()
        return box.withLock { $0 }
    }

    // MARK: - HTTP

    /// The path of an endpoint with this client's credentials in the query.
    func target(_ path: String, in database: DatabaseScope = .private, container: String? = nil) -> String {
        var query: [String] = []
        if let token = credentials.apiToken { query.append("ckAPIToken=\(token.percentEncoded)") }
        if let token = credentials.webAuthToken { query.append("ckWebAuthToken=\(token.percentEncoded)") }
        if wantsSyncToken { query.append("getCurrentSyncToken=true") }
        return "/database/1/\(container ?? self.container)/\(environment.rawValue)/\(database.rawValue)/\(path)?"
            + query.joined(separator: "&")
    }

    func http(
        _ method: String, _ path: String, _ body: [UInt8] = [], in database: DatabaseScope = .private,
        headers: [(String, String)] = []
    ) throws -> WireAnswer {
        var headers = headers
        if case .native(let device) = kind { headers.append(("X-Stratus-Client", "native/\(device)")) }
        return try HTTPClient(port: service.port).send(
            method, target(path, in: database), headers: headers, body: body)
    }
}

struct UnexpectedAnswer: Error {}

extension String {
    /// As a part of a path or a query: all but letters and digits of ASCII escaped.
    var percentEncoded: String {
        utf8.map { byte in
            let character = Character(UnicodeScalar(byte))
            return character.isASCII && (character.isLetter || character.isNumber)
                ? String(character) : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }.joined()
    }
}
