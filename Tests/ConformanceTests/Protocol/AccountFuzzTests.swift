import Behaviours
import CloudKitTesting
import CloudServer
import Foundation
import Testing
import WebServices

/// The forms of `/stratus/account` with one of their proofs changed (the code of the page, its cookie, the cookie of who is
/// signed in), and with everything else in any state: nothing happens to the account.
@Suite("Nothing happens to an account without all proofs")
struct AccountFuzzTests {
    private static let rounds = ProcessInfo.processInfo.environment["STRATUS_FUZZ_ROUNDS"].flatMap { Int($0) } ?? 250
    private static let actions = ["erase", "password", "sign-out", "sign-out-everywhere", "discoverability", "sign-in"]

    /// A browser in which somebody is signed in.
    private struct Browser {
        let http: HTTPClient
        var formCookie = ""
        var code = ""
        var accountCookie = ""

        mutating func open() throws {
            let page = try http.send("GET", "/stratus/account")
            formCookie = String(try #require(page.headers["set-cookie"]).prefix { $0 != ";" })
            let text = String(decoding: page.body, as: UTF8.self)
            code = String(try #require(text.firstMatch(of: /name="form" value="([^"]+)"/)?.1))
            let answer = try send("sign-in", "account=ben&password=secret")
            accountCookie = String(try #require(answer.headers["set-cookie"]).prefix { $0 != ";" })
            #expect(try overview().contains("ben"))
        }

        func send(_ action: String, _ fields: String, headers: [(String, String)] = []) throws -> WireAnswer {
            let cookies = [formCookie, accountCookie].filter { !$0.isEmpty }.joined(separator: "; ")
            return try http.send(
                "POST", "/stratus/account/\(action)", headers: [("Cookie", cookies)] + headers,
                body: Array("form=\(code)&\(fields)".utf8))
        }

        func overview() throws -> String {
            let answer = try http.send(
                "GET", "/stratus/account", headers: [("Cookie", "\(formCookie); \(accountCookie)")])
            return String(decoding: answer.body, as: UTF8.self)
        }

        /// One of the three proofs, changed.
        mutating func spoil(_ mutator: RequestMutator, _ random: inout SeededGenerator) {
            func changed(_ text: String, _ random: inout SeededGenerator) -> String {
                guard Bool.random(using: &random) else { return "" }
                let plain = mutator.damaged(text, &random).filter { $0.isASCII && ($0.isLetter || $0.isNumber) }
                return plain == text ? "" : plain
            }
            switch Int.random(in: 0..<3, using: &random) {
            case 0: code = changed(code, &random)
            case 1: formCookie = "stratus-form=" + changed(String(formCookie.dropFirst(13)), &random)
            default:
                // Without its punctuation a token is another.
                accountCookie = "stratus-account=" + mutator.token(&random).filter { $0.isASCII && $0.isLetter }
            }
        }
    }

    @Test(
        "A form of the account's pages without one of its proofs does nothing", .behaviour("auth.fuzz"),
        arguments: [1, 2, 3] as [UInt64])
    func forms(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let service = try Service(.http) { $0.createsAccountsOnFirstUse = false }
        _ = try service.administration.createAccount(name: "ben", password: "secret")
        let session = try service.server.identity.signIn(account: "ben", password: "secret", keepSignedIn: true)
        let device = service.visitor().with { $0.credentials.webAuthToken = session.webAuthToken }
        try device.create("a", ["title": "kept"])
        var browser = Browser(http: HTTPClient(port: service.port))
        try browser.open()
        let container = "container=\(Service.container)&environment=development"
        let fields = [
            "erase": "\(container)&what=all&confirmed=true", "password": "password=secret&new=other&again=other",
            "discoverability": "\(container)&found=true",
        ]
        let mutator = RequestMutator(tokens: [String(browser.accountCookie.dropFirst(16)), browser.code])
        for _ in 0..<max(Self.rounds / 2, 50) {
            var spoilt = browser
            spoilt.spoil(mutator, &random)
            let action = Self.actions.randomElement(using: &random) ?? "erase"
            // Whoever has no cookie of an account but the page's code may still sign in, with the password.
            let valid = action == "sign-in" ? "account=ben&password=wrong" : fields[action] ?? ""
            let sent = Bool.random(using: &random) ? valid : mutator.damaged(valid, &random)
            service.clock.advance(by: .milliseconds(1))
            let answer = try spoilt.send(action, sent, headers: mutator.headers(&random))
            #expect(
                [400, 401, 403, 404, 405, 413, 429, 503].contains(answer.status),
                "\(answer.status) for \(action) \(sent) of \(spoilt)")
        }
        #expect(try device.record("a")?.fields["title"] == "kept")
        #expect(try browser.overview().contains("ben"))
        service.clock.advance(by: .seconds(3600))
        _ = try service.server.identity.signIn(account: "ben", password: "secret", keepSignedIn: false)
        // With all of them it does what it says.
        var fresh = Browser(http: browser.http)
        try fresh.open()
        #expect(try fresh.send("erase", fields["erase"] ?? "").status == 303)
        #expect(try device.record("a") == nil)
    }
}
