import Foundation

/// Stratus as a client meets it: the release build of `stratus serve`, an account with a password, a web token.
final class Stratus: Sendable {
    static let container = "iCloud.bench"
    let process: ServerProcess
    /// Seconds from the start of the process to its first answer.
    let start: Double
    static let password = "correct horse battery"
    let apiToken: String
    /// The query that proves who calls, by account.
    private let tokens: [String: String]

    /// - Parameter accounts: All of them are signed in; the first does whatever does not name another.
    init(executable: URL, directory: URL, accounts: [String] = ["bench"]) throws {
        let data = directory.appendingPathComponent("stratus-data")
        apiToken = try Self.prepare(executable, data: data, accounts: accounts)
        let port = ServerProcess.freePort()
        let begin = Load.now()
        process = try ServerProcess(
            executable, ["serve", "--data", data.path, "--host", "127.0.0.1", "--port", String(port)], port: port,
            directory: directory)
        start = try process.waitUntilAnswering(HTTPQuestion("GET", "/stratus/health"), since: begin)
        var tokens: [String: String] = [:]
        for account in accounts { tokens[account] = try Self.signIn(account, port: port, apiToken: apiToken) }
        self.tokens = tokens
        if accounts.first == "bench" { try ask(createZone("Bench")) }
    }

    private static func signIn(_ account: String, port: Int, apiToken: String) throws -> String {
        let session = try HTTPConnection(port: port).ask(
            HTTPQuestion(
                "POST", "/stratus/session",
                body: #"{"account":"\#(account)","password":"\#(password)","keepSignedIn":true}"#))
        let answer = try JSONSerialization.jsonObject(with: Data(session.body)) as? [String: Any]
        guard let webToken = answer?["webAuthToken"] as? String else {
            throw HTTPConnection.Failure(description: "no session: \(String(decoding: session.body, as: UTF8.self))")
        }
        var allowed = CharacterSet.alphanumerics
        allowed.insert(charactersIn: "-._~")
        let escaped = webToken.addingPercentEncoding(withAllowedCharacters: allowed) ?? webToken
        return "ckAPIToken=\(apiToken)&ckWebAuthToken=\(escaped)"
    }

    /// Makes accounts, container and API token in the data folder.
    private static func prepare(_ executable: URL, data: URL, accounts: [String]) throws -> String {
        let environment = ["STRATUS_PASSWORD": password]
        for account in accounts {
            _ = try run(executable, ["account", "create", account, "--data", data.path], environment)
        }
        _ = try run(executable, ["container", "create", container, "--data", data.path], environment)
        let created = try run(
            executable, ["token", "create", container, "--data", data.path, "--environment", "development", "--json"],
            environment)
        guard let object = try JSONSerialization.jsonObject(with: created) as? [String: Any],
            let token = object["token"] as? String
        else { throw HTTPConnection.Failure(description: "no API token: \(String(decoding: created, as: UTF8.self))") }
        return token
    }

    private static func run(_ executable: URL, _ arguments: [String], _ environment: [String: String]) throws -> Data {
        let process = Process()
        let output = Pipe()
        process.executableURL = executable
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardOutput = output
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw HTTPConnection.Failure(description: "stratus \(arguments.joined(separator: " ")) failed")
        }
        return data
    }

    @discardableResult
    func ask(_ question: HTTPQuestion) throws -> [String: Any] {
        let answer = try HTTPConnection(port: process.port).ask(question)
        guard answer.status == 200,
            let object = try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any]
        else {
            throw HTTPConnection.Failure(
                description:
                    "\(question.path) answered \(answer.status): \(String(decoding: answer.body.prefix(500), as: UTF8.self))"
            )
        }
        return object
    }

    func post(_ action: String, _ body: String, account: String = "bench") -> HTTPQuestion {
        HTTPQuestion(
            "POST", "/database/1/\(Self.container)/development/private/\(action)?\(tokens[account] ?? "")", body: body)
    }

    func createZone(_ zone: String, account: String = "bench") -> HTTPQuestion {
        post(
            "zones/modify", #"{"operations":[{"operationType":"create","zone":{"zoneID":{"zoneName":"\#(zone)"}}}]}"#,
            account: account)
    }

    func save(
        _ names: [String], _ records: [SmallRecord], zone: String = "Bench", account: String = "bench"
    ) -> HTTPQuestion {
        var operations: [String] = []
        for (name, record) in zip(names, records) {
            operations.append(
                #"{"operationType":"create","record":{"recordName":"\#(name)","recordType":"Item","fields":\#(record.cloudKitFields)}}"#
            )
        }
        return post(
            "records/modify",
            #"{"operations":[\#(operations.joined(separator: ","))],"zoneID":{"zoneName":"\#(zone)"},"desiredKeys":[]}"#,
            account: account)
    }

    func lookup(_ names: [String], zone: String = "Bench") -> HTTPQuestion {
        let records = names.map { #"{"recordName":"\#($0)"}"# }.joined(separator: ",")
        return post("records/lookup", #"{"records":[\#(records)],"zoneID":{"zoneName":"\#(zone)"}}"#)
    }

    func changes(zone: String = "Bench", since token: String?) -> HTTPQuestion {
        let since = token.map { #","syncToken":"\#($0)""# } ?? ""
        return post("changes/zone", #"{"zones":[{"zoneID":{"zoneName":"\#(zone)"}\#(since)}],"resultsLimit":200}"#)
    }

    /// Walks the feed and returns every page's token, with nil for the beginning.
    func pageTokens(zone: String, pages: Int) throws -> [String?] {
        var tokens: [String?] = [nil]
        while tokens.count < pages {
            let zones = try ask(changes(zone: zone, since: tokens.last ?? nil))["zones"] as? [[String: Any]]
            guard let page = zones?.first, let token = page["syncToken"] as? String, page["moreComing"] as? Bool == true
            else { break }
            tokens.append(token)
        }
        return tokens
    }
}
