import Foundation

/// Kinto, whose change tokens are the nearest to ours, with its memory backend: it keeps nothing when it ends.
final class Kinto: Sendable {
    static let name = "kinto"
    let process: ServerProcess
    private let headers: [(String, String)]
    private static let records = "/v1/buckets/default/collections/items/records"

    init(executable: URL, directory: URL) throws {
        let configuration = directory.appendingPathComponent("kinto.ini")
        let port = ServerProcess.freePort()
        try """
        [server:main]
        use = egg:waitress#main
        host = 127.0.0.1
        port = \(port)
        threads = 4
        [app:main]
        use = egg:kinto
        kinto.includes = kinto.plugins.default_bucket
                         kinto.plugins.accounts
        kinto.storage_backend = kinto.core.storage.memory
        kinto.cache_backend = kinto.core.cache.memory
        kinto.permission_backend = kinto.core.permission.memory
        kinto.userid_hmac_secret = \(String(repeating: "ab", count: 32))
        kinto.default_bucket_hmac_secret = \(String(repeating: "cd", count: 32))
        multiauth.policies = account
        multiauth.policy.account.use = kinto.plugins.accounts.AccountsPolicy
        kinto.account_create_principals = system.Everyone
        kinto.bucket_create_principals = system.Authenticated
        kinto.paginate_by = 200
        """.write(to: configuration, atomically: true, encoding: .utf8)
        let begin = Load.now()
        process = try ServerProcess(
            executable, ["start", "--ini", configuration.path], port: port, directory: directory)
        _ = try process.waitUntilAnswering(HTTPQuestion("GET", "/v1/__heartbeat__"), since: begin)
        let json = ("Content-Type", "application/json")
        _ = try HTTPConnection(port: port).ask(
            HTTPQuestion("PUT", "/v1/accounts/bench", headers: [json], body: #"{"data":{"password":"correct-horse"}}"#))
        headers = [json, ("Authorization", "Basic " + Data("bench:correct-horse".utf8).base64EncodedString())]
    }

    func save(_ number: Int) -> HTTPQuestion {
        HTTPQuestion(
            "PUT", "\(Self.records)/item-\(number)", headers: headers,
            body: #"{"data":\#(SmallRecord(number).flatJSON)}"#)
    }

    func lookup(_ number: Int) -> HTTPQuestion {
        HTTPQuestion("GET", "\(Self.records)/item-\(number)", headers: headers)
    }

    func changes() -> HTTPQuestion {
        HTTPQuestion("GET", "\(Self.records)?_since=0&_limit=200&_sort=last_modified", headers: headers)
    }
}
