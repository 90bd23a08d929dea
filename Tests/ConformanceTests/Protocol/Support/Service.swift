import CloudKitTesting
import CloudServer
import Foundation
import WebServices

/// Foundation has an `Operation` as well.
typealias ServerOperation = WebServices.Operation

/// A server of one test's own, with a store in memory and a clock that the test turns.
final class Service: Sendable {
    static let container = "iCloud.com.example.protocol"

    let wire: Wire
    let cloud: Cloud
    private let httpServer: MicroHTTPServer?

    init(
        _ wire: Wire, seed: UInt64 = 0, configure: (inout ServerConfiguration) -> Void = { _ in }
    ) throws {
        self.wire = wire
        cloud = try Cloud(seed: seed, configure: configure)
        httpServer = wire == .http ? try Self.serve(cloud.server) : nil
    }

    deinit {
        server.push.stop()
        httpServer?.stop(grace: .seconds(5))
    }

    private static func serve(_ server: CloudServer) throws -> MicroHTTPServer {
        let router = Router(server: server)
        var configuration = HTTPServerConfiguration()
        configuration.threadCount = 2
        configuration.maximumBodySize = 4 << 20
        router.configure(&configuration)
        let httpServer = MicroHTTPServer(configuration, handler: router.handle)
        try httpServer.start()
        return httpServer
    }

    var server: CloudServer { cloud.server }
    var clock: TestClock { cloud.clock }
    var apiToken: String { cloud.apiToken }

    var administration: Administration { Administration(store: server.store, clock: server.clock) }

    /// The clean-up that a server does in the background, to its end.
    func forgetOldDeletions() throws {
        while try server.maintenanceStep() {}
    }

    /// The port; 0 in process.
    var port: UInt16 { httpServer?.port ?? 0 }

    /// A client of a person who signs in.
    func signIn(_ account: String = "anna", keepSignedIn: Bool = true) throws -> Client {
        let signedIn = try server.identity.signIn(account: account, password: "", keepSignedIn: keepSignedIn)
        return client(webAuthToken: signedIn.webAuthToken)
    }

    /// A client with an API token and nobody signed in.
    func visitor() -> Client { client(webAuthToken: nil) }

    private func client(webAuthToken: String?) -> Client {
        Client(
            service: self, credentials: Credentials(apiToken: apiToken, webAuthToken: webAuthToken),
            container: Self.container)
    }
}
