import CloudKit
import CloudServer
import CloudStore
import Dispatch
import Foundation
import Synchronization
import WebServices

/// Keeps the server as long as the cloud or one of its devices' containers lives.
package final class ServerHost: Sendable {
    package let server: CloudServer
    let queue = DispatchQueue(label: "CloudKitTesting.server", attributes: .concurrent)

    let stirring = Stirring()

    private struct Watched {
        weak var connection: CloudConnection?
        weak var faults: FaultInjection?
        var observation: Observation
    }

    private let watched = Mutex<[Watched]>([])
    private let http = Mutex<(server: MicroHTTPServer, url: URL)?>(nil)

    init(_ server: CloudServer) {
        self.server = server
        server.push.observe { [stirring] in stirring.stir() }
    }

    /// Lets `settle` wait for what a device does by itself, as long as it is there.
    func watch(_ connection: CloudConnection, _ faults: FaultInjection) {
        let observation = connection.activities.observe { [stirring] in stirring.stir() }
        watched.withLock { watched in
            watched.removeAll { $0.connection == nil }
            watched.append(Watched(connection: connection, faults: faults, observation: observation))
        }
    }

    /// What goes on; nothing in a quiet world.
    ///
    /// One thing is looked at after the other: what is found is true of one moment only if nothing stirred meanwhile.
    var activities: [String] {
        let devices = watched.withLock { $0.map { ($0.connection, $0.faults) } }
        return devices.flatMap { connection, faults -> [String] in
            guard let connection else { return [] }
            var going = connection.activities.descriptions
            if faults?.isUnderway == true { going.append("a request has no answer yet") }
            for (container, phase) in connection.pushChannels.phases where !isQuiet(phase, container, connection) {
                going.append("pushes of \(container) are on their way: \(phase)")
            }
            return going.map { "\(connection.deviceID): \($0)" }
        }
    }

    private func isQuiet(_ phase: PushChannel.Phase, _ container: String, _ connection: CloudConnection) -> Bool {
        switch phase {
        case .working: false
        case .polling(let courierToken):
            server.isPollWaiting(courierToken, container: container, environment: connection.environment)
        case .waiting(let cause):
            [.networkUnavailable, .notAuthenticated, .accountTemporarilyUnavailable].contains(cause.code)
        }
    }

    func serve() throws -> URL {
        let router = Router(server: server)
        return try http.withLock { running in
            if let running { return running.url }
            var configuration = HTTPServerConfiguration()
            configuration.threadCount = 2
            router.configure(&configuration)
            let listening = MicroHTTPServer(configuration) { request, respond in
                router.handle(request, respond: respond)
            }
            try listening.start()
            guard let port = listening.port, let url = URL(string: "http://127.0.0.1:\(port)") else {
                throw HTTPServerError.cannotStart(reason: "it has no port")
            }
            running = (listening, url)
            return url
        }
    }

    deinit {
        server.push.stop()
        http.withLock { $0 }?.server.stop(grace: .seconds(1))
        server.store.close()
    }
}
