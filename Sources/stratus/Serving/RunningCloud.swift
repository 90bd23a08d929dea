import CloudServer
import CloudStore
import Foundation

/// A cloud that answers over HTTP until it is stopped.
final class RunningCloud {
    /// Where it is reached.
    let url: String
    let port: UInt16
    private let store: CloudStore
    private let server: CloudServer
    private let http: MicroHTTPServer
    private let grace: Duration

    /// Opens the data, listens and answers.
    ///
    /// - Throws: `Failure`, saying what to do about a port that is taken, a folder that cannot be written and the like.
    init(_ settings: ServeSettings) throws {
        grace = settings.grace
        store = try Self.openStore(settings)
        do {
            var configuration = settings.server
            configuration.publicURL = settings.publicURL.map(Self.withoutSlash)
            server = try CloudServer(
                store: store, configuration: configuration, encryptionKeys: Self.encryptionKeys(settings, store))
            let router = Router(server: server, isSecure: settings.http.tls != nil)
            var http = settings.http
            router.configure(&http)
            http.log = { line in Terminal.error("stratus: \(line)") }
            let handler: HTTPHandler = { request, respond in router.handle(request, respond: respond) }
            self.http = MicroHTTPServer(http, handler: settings.logsRequests ? AccessLog.wrap(handler) : handler)
            try self.http.start()
        } catch {
            store.close()
            throw (error as? HTTPServerError).map { Self.failure($0, settings) } ?? Failure(error)
        }
        port = http.port ?? settings.http.port
        url = settings.publicURL.map(Self.withoutSlash) ?? Self.address(settings, port: port)
        server.start()
    }

    /// Takes no more requests, finishes those it has, and closes the data.
    func stop() {
        // A poll waits for the better part of a minute: it is told before the waiting for requests under way begins.
        server.push.stop()
        http.stop(grace: grace)
        server.stop()
        store.close()
    }

    private static func encryptionKeys(_ settings: ServeSettings, _ store: CloudStore) throws -> EncryptionKeys {
        guard let data = settings.data else { return try EncryptionKeys(inMemory: .system) }
        return try EncryptionKeysFile.open(settings.encryptionKeys ?? data.encryptionKeys, store)
    }

    private static func openStore(_ settings: ServeSettings) throws -> CloudStore {
        if let data = settings.data { return try data.open() }
        do {
            return try CloudStore.inMemory()
        } catch {
            throw Failure(.failure, error.message)
        }
    }

    private static func failure(_ error: HTTPServerError, _ settings: ServeSettings) -> Failure {
        switch error {
        case .cannotListen(let host, let port, let reason) where reason.contains("in use"):
            Failure(
                .failure, "Port \(port) of \(host) is taken by another program.",
                remedy:
                    "Choose another with --port, or a free one with --port 0. (Who has it: ss -ltnp 'sport = :\(port)')"
            )
        case .cannotListen(_, let port, let reason) where port < 1024 && port > 0 && reason.contains("ermission"):
            Failure(
                .failure, "Port \(port) is not for this user: ports below 1024 are the system's.",
                remedy: "Choose a higher one, or: sudo setcap cap_net_bind_service=+ep $(command -v stratus)")
        default:
            Failure(.failure, error.description)
        }
    }

    private static func address(_ settings: ServeSettings, port: UInt16) -> String {
        let host = settings.http.host
        // What listens everywhere is told by the address that always works from here.
        let named = host == "0.0.0.0" || host == "::" ? "127.0.0.1" : host.contains(":") ? "[\(host)]" : host
        return "\(settings.http.tls == nil ? "http" : "https")://\(named):\(port)"
    }

    private static func withoutSlash(_ url: String) -> String {
        url.hasSuffix("/") ? String(url.dropLast()) : url
    }
}
