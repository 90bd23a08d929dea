import Behaviours
import Foundation
import Testing
import WebServices

/// Sends what no client should: valid requests with bytes and structure changed, tokens and markers made up, paths at
/// random. The server has to answer each with JSON and a status of the protocol's table, and to serve as before afterwards.
///
/// A failing seed is in the name of the test case; `STRATUS_FUZZ_ROUNDS` makes runs longer.
@Suite("Anything may be sent")
struct FuzzTests {
    private static let rounds = ProcessInfo.processInfo.environment["STRATUS_FUZZ_ROUNDS"].flatMap { Int($0) } ?? 250
    private static let seeds: [UInt64] = [1, 2, 3]
    /// [Apple:ErrorCodes], and 405 for a method that an endpoint does not take.
    private static let statuses: Set<Int> = [200, 400, 401, 403, 404, 405, 409, 412, 413, 421, 429, 503]

    /// A person who agreed to nothing.
    private static let secret = "clara@example.com"

    /// A service with something in it, and tokens of every kind.
    private func prepared(_ wire: Wire) throws -> (client: Client, mutator: RequestMutator) {
        let service = try Service(wire)
        let client = try service.signIn()
        try client.zone(.create)
        for number in 0..<Int64(10) {
            try client.create(
                "n\(number)",
                [
                    "title": "x", "n": .int64(number), "l": .strings("a", "b"), "r": .reference(to: "n0"), "d": 0.5,
                    "t": .timestamp(number), "b": .bytes([1, 2]), "nl": .list([.int64(number)], of: .int64),
                    "p": .location(Location(latitude: 1, longitude: Double(number))),
                ], in: .notes)
            try client.create("n\(number)", ["title": "x", "n": .int64(number)])
        }
        let page = try client.page(sort: [.init(.user("n"))], limit: 2)
        let tokens = [
            try service.signIn(Self.secret).user().userRecordName, try client.changes(limit: 2).syncToken,
            try client.databaseChanges().syncToken,
            page.continuationMarker ?? "",
        ]
        return (client, RequestMutator(tokens: tokens))
    }

    private func check(_ answer: WireAnswer, _ what: @autoclosure () -> String) {
        #expect(Self.statuses.contains(answer.status), "\(answer.status) for \(what())")
        guard let json = answer.json, json.object != nil else {
            Issue.record("no JSON for \(what())")
            return
        }
        if answer.status != 200 { #expect(answer.error != nil, "\(what())") }
        if answer.error?.code == .internalError { Issue.record("an internal error for \(what())") }
        for list in ["records", "zones"] {
            for item in json[list]?.array.map({ Array($0) }) ?? [] {
                #expect(item["serverErrorCode"]?.string != "INTERNAL_ERROR", "\(what())")
            }
        }
    }

    /// The service still does what it should, for the same client and for another.
    private func checkServes(_ client: Client) throws {
        for client in [client, try client.service.signIn("somebody else")] {
            let zone = ZoneID(zoneName: "Afterwards")
            try client.zone(.create, zone)
            try client.create("a", ["n": 5], type: "Afterwards", in: zone)
            #expect(try client.find(.filter("n", .equals, 5), type: "Afterwards", in: zone) == ["a"])
            #expect(try client.allChanges(in: zone).records.map(\.recordName) == ["a"])
        }
    }

    @Test(
        "Changed bytes and changed structure of valid requests are answered in the protocol's terms",
        .behaviour("error.fuzz"), arguments: Wire.allCases, seeds)
    func requests(_ wire: Wire, _ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let (client, mutator) = try prepared(wire)
        for _ in 0..<Self.rounds {
            let (path, valid) = mutator.request(&random)
            let isStructural = Bool.random(using: &random)
            let body = isStructural ? mutator.restructured(valid, &random) : mutator.damaged(valid, &random)
            let database = DatabaseScope.allCases.randomElement(using: &random) ?? .private
            let sender = Bool.random(using: &random) ? client : client.native
            let answer = try sender.send(path, body, in: database)
            check(answer, "\(database.rawValue)/\(path) \(body.prefix(2000))")
            // Nobody finds who does not let themselves be found.
            if path.hasPrefix("users/"), answer.status == 200, let users = answer["users"]?.array {
                #expect(!users.contains { $0["userRecordName"]?.string == mutator.tokens[0] }, "\(path) \(body)")
            }
        }
        try checkServes(client)
    }

    @Test(
        "Tokens and markers made up or mixed up are refused, never believed", .behaviour("error.fuzz"),
        arguments: Wire.allCases, seeds)
    func tokens(_ wire: Wire, _ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let (client, mutator) = try prepared(wire)
        for _ in 0..<Self.rounds {
            let token = mutator.token(&random)
            let (path, body) = mutator.request(token: token, &random)
            check(try client.send(path, body), "\(path) \(body)")
            var stranger = client
            if Bool.random(using: &random) {
                stranger.credentials.webAuthToken = mutator.damaged(client.credentials.webAuthToken ?? "", &random)
            } else {
                stranger.credentials.apiToken = mutator.token(&random)
            }
            let isChanged = stranger.credentials != client.credentials
            let answer = try stranger.reply(.zonesList)
            if isChanged, case .success = answer.result {
                #expect(
                    stranger.credentials.apiToken == client.credentials.apiToken, "a made-up API token was believed")
            }
        }
        try checkServes(client)
    }

    @Test("Paths, methods and headers at random", .behaviour("error.fuzz"), arguments: seeds)
    func paths(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let (client, mutator) = try prepared(.http)
        let http = HTTPClient(port: client.service.port)
        for _ in 0..<Self.rounds {
            let target = mutator.target(client.target("records/query"), &random)
            let method =
                ["GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "FETCH"].randomElement(using: &random) ?? "GET"
            let headers = mutator.headers(&random)
            let answer: WireAnswer
            do {
                answer = try http.send(method, target, headers: headers, body: Array("{}".utf8))
            } catch {
                Issue.record("\(error) for \(method) \(target) \(headers)")
                continue
            }
            // OPTIONS has no body to check.
            if answer.status == 200, answer.body.isEmpty { continue }
            if answer.headers["content-type"]?.hasPrefix("application/json") != true { continue }
            check(answer, "\(method) \(target) \(headers)")
        }
        try checkServes(client)
    }

    @Test("Bytes that are no HTTP", .behaviour("error.fuzz"), arguments: seeds)
    func bytes(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let (client, mutator) = try prepared(.http)
        let http = HTTPClient(port: client.service.port)
        let valid =
            "POST \(client.target("records/lookup")) HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 14\r\n\r\n{\"records\":[]}"
        for _ in 0..<Self.rounds / 5 {
            var bytes = mutator.damagedBytes(Array(valid.utf8), &random)
            // Cut short it would wait for the rest, rightly; the server's time limits have tests of their own.
            bytes += Array("\r\n\r\n".utf8)
            guard let received = try? http.exchange(bytes, patience: 1), !received.isEmpty else { continue }
            if let answer = try? http.parse(received) { #expect(answer.status < 500, "\(bytes)") }
        }
        try checkServes(client)
    }
}
