import Foundation

/// PocketBase with the same collection: three indexed fields, an index on the time of change, an access rule, a signed-in
/// user. It syncs less often than Stratus (`synchronous=NORMAL` against FULL); that is its default and stays.
final class PocketBase: Sendable {
    static let name = "pocketbase"
    let process: ServerProcess
    let start: Double
    let headers: [(String, String)]
    private let admin: String
    /// Whoever is signed in.
    static let rule = #""@request.auth.id != \"\"""#

    init(executable: URL, directory: URL) throws {
        let data = directory.appendingPathComponent("pocketbase-data")
        let setUp = Process()
        setUp.executableURL = executable
        setUp.arguments = ["superuser", "upsert", "admin@example.com", "correct-horse", "--dir", data.path]
        setUp.standardOutput = FileHandle.nullDevice
        try setUp.run()
        setUp.waitUntilExit()
        let port = ServerProcess.freePort()
        let begin = Load.now()
        process = try ServerProcess(
            executable, ["serve", "--dir", data.path, "--http", "127.0.0.1:\(port)"], port: port, directory: directory)
        start = try process.waitUntilAnswering(HTTPQuestion("GET", "/api/health"), since: begin)

        let json = ("Content-Type", "application/json")
        func ask(_ method: String, _ path: String, _ token: String?, _ body: String) throws -> [String: Any] {
            try Self.ask(port, method, path, token, body)
        }
        let admin =
            try ask(
                "POST", "/api/collections/_superusers/auth-with-password", nil,
                #"{"identity":"admin@example.com","password":"correct-horse"}"#)["token"] as? String
        self.admin = admin ?? ""
        let rule = Self.rule
        _ = try ask(
            "POST", "/api/collections", admin,
            """
            {"name":"items","type":"base","fields":[{"name":"text","type":"text","max":5000},{"name":"count","type":"number"},\
            {"name":"at","type":"date"},{"name":"created","type":"autodate","onCreate":true},\
            {"name":"updated","type":"autodate","onCreate":true,"onUpdate":true}],\
            "indexes":["CREATE INDEX items_text ON items (text)","CREATE INDEX items_count ON items (count)",\
            "CREATE INDEX items_at ON items (at)","CREATE INDEX items_created ON items (created)",\
            "CREATE INDEX items_updated ON items (updated)"],"listRule":\(rule),"viewRule":\(rule),"createRule":\(rule)}
            """)
        _ = try ask(
            "PATCH", "/api/settings", admin,
            #"{"batch":{"enabled":true,"maxRequests":200,"timeout":30,"maxBodySize":0}}"#)
        _ = try ask(
            "POST", "/api/collections/users/records", admin,
            #"{"email":"user@example.com","password":"correct-horse","passwordConfirm":"correct-horse"}"#)
        let user =
            try ask(
                "POST", "/api/collections/users/auth-with-password", nil,
                #"{"identity":"user@example.com","password":"correct-horse"}"#)["token"] as? String
        headers = [json, ("Authorization", user ?? "")]
    }

    /// Makes a collection.
    func make(_ collection: String) throws {
        _ = try Self.ask(process.port, "POST", "/api/collections", admin, collection)
    }

    private static func ask(
        _ port: Int, _ method: String, _ path: String, _ token: String?, _ body: String
    ) throws -> [String: Any] {
        let headers = [("Content-Type", "application/json")] + (token.map { [("Authorization", $0)] } ?? [])
        let answer = try HTTPConnection(port: port).ask(HTTPQuestion(method, path, headers: headers, body: body))
        guard answer.status == 200 else {
            throw HTTPConnection.Failure(
                description: "PocketBase \(path): \(String(decoding: answer.body, as: UTF8.self))")
        }
        return try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any] ?? [:]
    }

    /// PocketBase wants identifiers of 15 characters.
    static func identifier(_ number: Int) -> String {
        let digits = String(number, radix: 36)
        return String(repeating: "0", count: 15 - digits.count) + digits
    }

    func save(_ number: Int) -> HTTPQuestion {
        HTTPQuestion("POST", "/api/collections/items/records", headers: headers, body: item(number))
    }

    func saveBatch(_ numbers: Range<Int>) -> HTTPQuestion {
        let requests = numbers.map { #"{"method":"POST","url":"/api/collections/items/records","body":\#(item($0))}"# }
        return HTTPQuestion(
            "POST", "/api/batch", headers: headers, body: #"{"requests":[\#(requests.joined(separator: ","))]}"#)
    }

    private func item(_ number: Int) -> String {
        #"{"id":"\#(Self.identifier(number))","# + SmallRecord(number).flatJSON.dropFirst()
    }

    func lookup(_ number: Int) -> HTTPQuestion {
        HTTPQuestion("GET", "/api/collections/items/records/\(Self.identifier(number))", headers: headers)
    }

    /// A page of 200 in the order of change, without the total, which PocketBase counts otherwise.
    func page(_ number: Int) -> HTTPQuestion {
        HTTPQuestion(
            "GET", "/api/collections/items/records?page=\(number)&perPage=200&skipTotal=1&sort=updated,id",
            headers: headers)
    }
}
