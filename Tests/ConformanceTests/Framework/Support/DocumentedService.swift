import CloudKit
import CloudKitTesting
import CloudServer
import CloudStore
import Foundation
import Synchronization
import WebServices

/// CloudKit Web Services as Apple documents them and nothing else, at an address of this machine: a server behind a front
/// that refuses every path, header and key that is Stratus's own, and notes what it was.
final class DocumentedService: Sendable {
    static let container = World.container

    let cloud: Cloud
    let apiToken: String
    private let http: MicroHTTPServer
    private let log: Log

    /// What the front has seen.
    private final class Log: Sendable {
        let violations = Mutex<[String]>([])
        let requests = Mutex<[String]>([])
        let headers = Mutex<[Set<String>]>([])
    }

    init(configure: (inout ServerConfiguration) -> Void = { _ in }) throws {
        cloud = try Cloud {
            $0.universalAPIToken = nil
            $0.createsContainersOnFirstUse = false
            configure(&$0)
        }
        let administration = Administration(store: cloud.server.store, clock: cloud.server.clock)
        try administration.createContainer(Self.container)
        apiToken = try administration.createToken(container: Self.container, environment: .development).token
        let router = Router(server: cloud.server)
        var configuration = HTTPServerConfiguration()
        configuration.threadCount = 2
        router.configure(&configuration)
        let log = Log()
        self.log = log
        http = MicroHTTPServer(configuration) { request, respond in
            log.requests.withLock { $0.append(request.path) }
            let found = Self.violations(request)
            guard found.isEmpty else {
                log.violations.withLock { $0 += found }
                let error = ServerError(.badRequest, "not documented: \(found.joined(separator: ", "))")
                let (status, body) = Reply(.failure(error)).encode()
                return respond(.json(body, status: status))
            }
            router.handle(request, respond: respond)
        }
        try http.start()
    }

    deinit {
        cloud.server.push.stop()
        http.stop(grace: .seconds(5))
    }

    /// What was asked that Apple's service does not know.
    var violations: [String] { log.violations.withLock { $0 } }
    /// The paths of all requests.
    var requests: [String] { log.requests.withLock { $0 } }

    var administration: Administration { Administration(store: cloud.server.store, clock: cloud.server.clock) }

    /// - Returns: What names the key.
    func addServerKey(_ pem: String) throws -> String {
        try administration.addServerKey(pem: pem, container: Self.container, environment: .development).id
    }

    func address() throws -> URL {
        guard let url = URL(string: "http://127.0.0.1:\(http.port ?? 0)") else { throw CKError(.internalError) }
        return url
    }

    /// A container of a device that nobody else's account lies on.
    func container(_ account: StratusCloud.Account = .none, apiToken: String? = nil) throws -> CKContainer {
        let cloud = StratusCloud(
            url: try address(), apiToken: apiToken ?? self.apiToken, account: account, service: .cloudKit)
        return CKContainer(identifier: Self.container, connection: try CloudConnection(cloud))
    }

    /// What a person's browser brings back from the sign-in.
    func webAuthToken(_ account: String) throws -> String {
        try cloud.server.identity.signIn(account: account, password: "", keepSignedIn: true).webAuthToken
    }

    /// Sets the service's clock to the day's time, which signatures carry.
    func setClock() {
        let ahead = Int64(Date().timeIntervalSince1970 * 1000) - cloud.server.clock.now()
        cloud.clock.advance(by: .milliseconds(ahead))
    }

    // MARK: - What is documented

    private static let endpoints: Set<String> = [
        "records/query", "records/modify", "records/lookup", "records/changes", "changes/database", "changes/zone",
        "zones/list", "zones/lookup", "zones/modify", "zones/changes", "subscriptions/list", "subscriptions/lookup",
        "subscriptions/modify", "users/caller", "users/current", "users/discover", "users/lookup/email",
        "users/lookup/id", "users/lookup/contacts", "assets/upload", "assets/rereference",
    ]

    private static func isDocumented(_ path: [String]) -> Bool {
        guard path.count >= 5, path[1] == "1", ["development", "production"].contains(path[3]) else { return false }
        switch path[0] {
        case "device": return ["tokens/create", "tokens/register"].contains(path[4...].joined(separator: "/"))
        case "database":
            return ["public", "private", "shared"].contains(path[4])
                && endpoints.contains(path[5...].joined(separator: "/"))
        default: return false
        }
    }

    private static let keys: Set<String> = [
        // Records
        "operations", "operationType", "record", "records", "recordName", "recordType", "recordChangeTag", "fields",
        "desiredKeys", "zoneID", "zoneName", "ownerRecordName", "zoneType", "atomic", "numbersAsStrings", "parent",
        "createShortGUID", "value", "type", "isEncrypted", "action",
        // Values
        "latitude", "longitude", "horizontalAccuracy", "verticalAccuracy", "altitude", "speed", "course", "timestamp",
        "fileChecksum", "size", "receipt", "referenceChecksum", "wrappingKey", "downloadURL",
        // Queries and changes
        "query", "filterBy", "sortBy", "comparator", "fieldName", "systemFieldName", "fieldValue", "distance",
        "ascending", "relativeLocation", "zoneWide", "resultsLimit", "continuationMarker", "syncToken", "zones", "zone",
        "desiredRecordTypes", "reverse", "metaSyncToken",
        // Subscriptions, tokens, people, files
        "subscriptions", "subscription", "subscriptionID", "subscriptionType", "firesOn", "firesOnce",
        "notificationInfo", "alertBody", "alertLocalizationKey", "alertLocalizationArgs", "alertActionLocalizationKey",
        "alertLaunchImage", "soundName", "shouldBadge", "shouldSendContentAvailable", "additionalFields", "category",
        "apnsEnvironment", "apnsToken", "clientId", "lookupInfos", "emailAddress", "phoneNumber", "userRecordName",
        "users", "tokens", "assets",
    ]

    private static func violations(_ request: HTTPRequest) -> [String] {
        var found: [String] = []
        for name in ["X-Stratus-Client"] where request.headers[name] != nil { found.append("header \(name)") }
        // Addresses that the service itself gave are its own affair.
        if request.path.hasPrefix("/stratus/courier/") || request.path.hasPrefix("/stratus/assets/") { return found }
        if !isDocumented(request.pathComponents) { found.append("path \(request.path)") }
        for (name, _) in request.query.items
        where !["ckAPIToken", "ckWebAuthToken", "getCurrentSyncToken"].contains(name) {
            found.append("parameter \(name)")
        }
        if !request.body.isEmpty {
            guard let body = try? JSONSerialization.jsonObject(with: Data(request.body)) else { return ["no JSON"] }
            walk(body, &found)
        }
        return found
    }

    private static func walk(_ value: Any, isFields: Bool = false, _ found: inout [String]) {
        if let array = value as? [Any] { for element in array { walk(element, &found) } }
        guard let object = value as? [String: Any] else { return }
        for (key, member) in object {
            if !isFields, !keys.contains(key) { found.append("key \(key)") }
            walk(member, isFields: key == "fields" && !isFields, &found)
        }
    }
}
