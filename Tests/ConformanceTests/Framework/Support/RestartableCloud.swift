import CloudKit
import CloudServer
import CloudStore
import Foundation
import Synchronization
import WebServices

/// A server on a folder of its own, which a test ends and starts again: in process, or over HTTP at the same port.
final class RestartableCloud: Sendable {
    private struct Running {
        var server: CloudServer
        var http: MicroHTTPServer?
    }

    private static let apiToken = String(repeating: "5e", count: 32)

    private let wire: Wire
    private let directory: URL
    private let running = Mutex<Running?>(nil)
    private let port = Mutex<UInt16>(0)
    private let queue = DispatchQueue(label: "RestartableCloud", attributes: .concurrent)

    init(_ wire: Wire) throws {
        self.wire = wire
        directory = FileManager.default.temporaryDirectory.appendingPathComponent(
            "stratus-restart-\(UUID().uuidString)")
        try start()
    }

    deinit {
        stop()
        try? FileManager.default.removeItem(at: directory)
    }

    func start() throws {
        let server = try CloudServer(
            store: CloudStore(directory: directory), configuration: .emulator(apiToken: Self.apiToken), log: .silent)
        var http: MicroHTTPServer?
        if wire == .http {
            let router = Router(server: server)
            var configuration = HTTPServerConfiguration(port: port.withLock { $0 })
            configuration.threadCount = 2
            router.configure(&configuration)
            let listening = MicroHTTPServer(configuration) { router.handle($0, respond: $1) }
            try listening.start()
            port.withLock { $0 = listening.port ?? 0 }
            http = listening
        }
        running.withLock { $0 = Running(server: server, http: http) }
    }

    func stop() {
        let stopped = running.withLock { running in
            defer { running = nil }
            return running
        }
        stopped?.server.push.stop()
        stopped?.http?.stop(grace: .seconds(1))
        stopped?.server.store.close()
    }

    /// A device, known to the server by its name. Its connection is made anew each time, as by a program that is started
    /// again. After a failure it does not wait as long as a real one.
    func device(_ name: String, account: String = "alice") throws -> CKContainer {
        let account = AccountSession(.password(account: account, password: ""))
        let connection = CloudConnection(
            transport: try transport(), account: account, apiToken: Self.apiToken, deviceID: name,
            retryPolicy: RetryPolicy(
                delay: { _, _, _ in nil }, sleep: { try await Task.sleep(for: .seconds(min($0, 0.05))) }))
        return CKContainer(identifier: World.container, connection: connection)
    }

    private func transport() throws -> any Transport {
        guard wire == .inProcess else {
            guard let url = URL(string: "http://127.0.0.1:\(port.withLock { $0 })") else {
                throw CKError(.internalError)
            }
            return HTTPTransport(root: url)
        }
        return InProcessTransport(
            handler: { call, respond in
                guard let server = self.running.withLock({ $0?.server }) else {
                    return respond(Reply(.failure(ServerError(.tryAgainLater, "The server is down"))))
                }
                self.queue.async { server.handle(call, respond: respond) }
            },
            signIn: { account, password in
                guard let server = self.running.withLock({ $0?.server }) else {
                    return .failure(ServerError(.tryAgainLater, "The server is down"))
                }
                do {
                    return .success(
                        try server.identity.signIn(account: account, password: password, keepSignedIn: true)
                            .webAuthToken)
                } catch {
                    return .failure(error as? ServerError ?? ServerError(.internalError, String(describing: error)))
                }
            })
    }
}
