import CloudServer
import Foundation

extension Option {
    static let host = Option.value(
        "host", "ADDRESS", "The address to listen on; 0.0.0.0 or :: for all of the machine's.", fallback: "127.0.0.1")
    static let log = Option.flag("log", "Print a line for each request on standard error.")
    static let encryptionKeys = Option.value(
        "encryption-keys", "FILE", "The keys of encrypted fields; made when neither it nor such fields are there.",
        fallback: "encryption.keys in the data folder")
    static let portFile = Option.value(
        "port-file", "FILE", "Write the port's number there as soon as the cloud answers, for a script to wait for.")
}

/// The options of `stratus serve`, which are its environment variables and the keys of its configuration file as well.
enum ServeOptions {
    static let all: [Option] = [
        .value("config", "FILE", "Read lines of `key = value`; the keys are the names of these options."),
        .data,
        .host,
        .value("port", "N", "The port to listen on; 0 for a free one.", fallback: "8484"),
        .value(
            "public-url", "URL",
            "The address under which people and apps reach this cloud, where it differs: behind a proxy, say."),
        .value("certificate", "FILE", "Serve HTTPS with this certificate chain (PEM), leaf first."),
        .value("key", "FILE", "The certificate's private key (PEM)."),
        .encryptionKeys,
        .log, .portFile,
        .value("threads", "N", "Threads that answer requests.", fallback: "one for each processor, at least 2"),
        .value("connections", "N", "Connections that may be open at once.", fallback: "10000"),
        .value("request-limit", "BYTES", "The largest request that is read.", fallback: "16MiB"),
        .value("asset-limit", "BYTES", "The largest file of a record.", fallback: "50MiB"),
        .value("account-quota", "BYTES", "What an account may store in one container.", fallback: "none"),
        .value("public-quota", "BYTES", "What a container's public database may hold.", fallback: "none"),
        .value(
            "deletion-memory", "DAYS",
            "How long devices that were away are told of deletions; older change tokens expire.", fallback: "30"),
        .value("request-log", "DAYS", "How long the outcome of each request is kept.", fallback: "7"),
        .flag("open-containers", "Containers come into being when an app first names them, in development."),
        .value("stop-grace", "SECONDS", "How long a stop waits for requests under way.", fallback: "10"),
    ]
}

/// What `serve` and `dev` start a cloud with.
struct ServeSettings: Sendable {
    var server: ServerConfiguration
    var http: HTTPServerConfiguration
    /// nil: everything in memory.
    var data: DataFolder?
    /// nil: in the data folder.
    var encryptionKeys: URL?
    var publicURL: String?
    var logsRequests: Bool
    var portFile: String?
    var grace: Duration
}

extension ServeSettings {
    private static let day: Int64 = 24 * 3600 * 1000

    /// - Throws: `Failure` with exit code 2, naming where the wrong value came from.
    init(serve arguments: Arguments) throws {
        try self.init(common: arguments, data: DataFolder(arguments))
        publicURL = arguments.value("public-url")
        encryptionKeys = EncryptionKeysFile.said(arguments)
        http.tls = try Self.certificate(arguments)
        if let threads = try arguments.said("threads").flatMap({ _ in try arguments.integer("threads", in: 1...1024) })
        {
            http.threadCount = threads
        }
        http.connectionLimit = try arguments.integer("connections", in: 16...1_000_000) ?? http.connectionLimit
        http.maximumBodySize = try arguments.bytes("request-limit", in: 1 << 20...1 << 30) ?? http.maximumBodySize
        server.assets.maximumSize =
            try arguments.bytes("asset-limit", in: 1...1 << 40).map { Int64($0) } ?? server.assets.maximumSize
        server.accountQuota = try Self.quota("account-quota", arguments)
        server.publicQuota = try Self.quota("public-quota", arguments)
        if let days = try arguments.integer("deletion-memory", in: 1...3650) {
            server.tombstoneLife = Int64(days) * Self.day
        }
        if let days = try arguments.integer("request-log", in: 0...3650) {
            server.requestLogLife = Int64(days) * Self.day
        }
        server.createsContainersOnFirstUse = try arguments.flag("open-containers")
        if let seconds = try arguments.integer("stop-grace", in: 0...600) { grace = .seconds(seconds) }
    }

    /// What both commands have.
    init(common arguments: Arguments, data: DataFolder?) throws {
        server = ServerConfiguration()
        http = HTTPServerConfiguration()
        http.host = arguments.value("host") ?? "127.0.0.1"
        http.port = UInt16(try arguments.integer("port", in: 0...65535) ?? 0)
        self.data = data
        logsRequests = try arguments.flag("log")
        portFile = arguments.value("port-file")
        grace = .seconds(10)
    }

    private static func quota(_ name: String, _ arguments: Arguments) throws -> Int64? {
        guard let said = arguments.said(name), said.lowercased() != "none" else { return nil }
        return Int64(try arguments.bytes(name, in: 0...Int.max) ?? 0)
    }

    private static func certificate(_ arguments: Arguments) throws -> HTTPServerConfiguration.TLS? {
        let certificate = arguments.value("certificate")
        let key = arguments.value("key")
        guard certificate != nil || key != nil else { return nil }
        guard let certificate, let key else {
            let (here, missing) = certificate == nil ? ("key", "certificate") : ("certificate", "key")
            throw Failure(.usage, "\(arguments.origin(here)) is set without --\(missing).", remedy: "HTTPS needs both.")
        }
        let inspection = CertificateInspection(certificate: certificate, key: key)
        if let problem = inspection.problem { throw Failure(.usage, problem.message, remedy: problem.remedy) }
        func text(_ path: String) throws -> String {
            guard let data = FileManager.default.contents(atPath: path) else {
                throw Failure(.usage, "\(path) cannot be read.")
            }
            return String(decoding: data, as: UTF8.self)
        }
        return try HTTPServerConfiguration.TLS(certificate: text(certificate), privateKey: text(key))
    }
}
