import CloudStore
import Testing
import WebServices

@testable import CloudServer

@Suite("The sign-in page, and which pages may call")
struct SignInPageTests {
    let cloud: TestCloud
    let router: Router

    init() throws {
        cloud = try TestCloud { $0.publicURL = nil }
        router = Router(server: cloud.server)
        try Administration(store: cloud.server.store).createContainer(TestCloud.container)
        _ = try cloud.server.identity.createAccount(name: "ben", password: "secret")
    }

    private func apiToken(_ origins: [String] = [], callback: String? = nil) throws -> String {
        try Administration(store: cloud.server.store).createToken(
            container: TestCloud.container, environment: .development, origins: origins, callback: callback
        ).token
    }

    private func send(
        _ method: String, _ target: String, _ body: String = "", headers: [(String, String)] = []
    ) throws -> HTTPResponse {
        try router.send(method, target, body, headers: headers)
    }

    private func text(_ response: HTTPResponse) -> String { response.text }

    /// Follows a 421 to the page, and sends its form.
    private func signIn(
        _ token: String, _ fields: String = "account=ben&password=secret", referer: String? = nil
    ) throws -> HTTPResponse {
        let refused = try send(
            "GET", "/database/1/\(TestCloud.container)/development/private/users/caller?ckAPIToken=\(token)")
        #expect(refused.status == 421)
        let url = try #require(refused.json["redirectURL"]?.string)
        let prefix = "http://cloud.example"
        #expect(url.hasPrefix(prefix))
        let page = try send(
            "GET", String(url.dropFirst(prefix.count)), headers: referer.map { [("Referer", $0)] } ?? [])
        let form = page.hiddenFields
        #expect(form.map(\.name) == ["form", "container", "app", "opener"])
        return try send(
            "POST", "/stratus/sign-in", page.hiddenForm + "&" + fields,
            headers: [("Origin", "http://cloud.example"), ("Cookie", try page.newCookie("stratus-form"))])
    }

    private func isGood(_ webAuthToken: String, _ token: String) throws -> Bool {
        try send(
            "GET",
            "/database/1/\(TestCloud.container)/development/private/users/caller?ckAPIToken=\(token)&ckWebAuthToken=\(webAuthToken)"
        ).status == 200
    }

    @Test("A browser goes on to the callback with the web token under both names", arguments: ["", "?from=here"])
    func redirect(query: String) throws {
        let token = try apiToken(callback: "https://notes.example.com/in\(query)")
        let answer = try signIn(token)
        #expect(answer.status == 303)
        let location = try #require(answer.header("Location"))
        let match = try #require(
            location.wholeMatch(
                of: /https:\/\/notes\.example\.com\/in\?(from=here&)?ckWebAuthToken=([^&]+)&ckSession=([^&]+)/))
        #expect(match.2 == match.3)
        #expect(try isGood(String(match.2), token))
    }

    @Test("Without a callback the page that opened it is told, where its origin is admitted")
    func message() throws {
        for (origins, targets) in [
            (
                ["https://notes.example.com", "http://localhost:8000"],
                #"["https://notes.example.com","http://localhost:8000"]"#
            ),
            // Any page can open this one: where none is named, none but our own is told.
            ([], #"["http://cloud.example"]"#),
        ] {
            let token = try apiToken(origins)
            let answer = try signIn(token, referer: "https://evil.example/")
            #expect(answer.status == 200)
            let match = try #require(
                text(answer).firstMatch(
                    of: /postMessage\(\{ckWebAuthToken: "([^"]+)", ckSession: "([^"]+)"\}, origin\)/))
            #expect(match.1 == match.2)
            #expect(text(answer).contains("of \(targets)"))
            // Without scripts it can be copied.
            #expect(text(answer).contains(">\(match.1)</textarea>"))
            let escaped = match.1.replacing("+", with: "%2B").replacing("/", with: "%2F").replacing("=", with: "%3D")
            #expect(try isGood(String(escaped), token))
            let nonce = try #require(text(answer).firstMatch(of: /nonce="([^"]+)"/))
            #expect(answer.header("Content-Security-Policy")?.contains("script-src 'nonce-\(nonce.1)'") == true)
        }
    }

    @Test(
        "An emulator tells the page that opened the sign-in if it is one of this machine",
        arguments: [
            ("http://localhost:3000/app?x=1", "http://localhost:3000"), ("http://127.0.0.1/", "http://127.0.0.1"),
            ("http://[::1]:81/", "http://[::1]:81"), ("http://notes.localhost:81/", "http://notes.localhost:81"),
            ("https://evil.example/", "http://cloud.example"),
            ("http://localhost.evil.example/", "http://cloud.example"),
            ("http://localhost@evil.example/", "http://cloud.example"), (nil, "http://cloud.example"),
        ])
    func emulator(referer: String?, target: String) throws {
        let answer = try signIn(TestCloud.apiToken, referer: referer)
        #expect(answer.status == 200)
        #expect(text(answer).contains("of [\"\(target)\"])"))
    }

    @Test(
        "The web token goes into the callback's query, not behind its fragment",
        arguments: [
            ("https://a.example/#/in", "https://a.example/?T#/in"),
            ("https://a.example/?b=c#d?e", "https://a.example/?b=c&T#d?e"),
            ("https://a.example#", "https://a.example?T#"), ("https://a.example/?", "https://a.example/?T"),
        ])
    func fragment(callback: String, expected: String) throws {
        let location = try #require(try signIn(try apiToken(callback: callback)).header("Location"))
        #expect(location.replacing(/ckWebAuthToken=[^&]+&ckSession=[^&#]+/, with: "T") == expected)
    }

    @Test("A wrong password shows the form again, with the app it was for; too many are told to wait")
    func failures() throws {
        let token = try apiToken(callback: "https://notes.example.com/in")
        for _ in 0..<3 {
            let answer = try signIn(token, "account=ben&password=guess")
            #expect(answer.status == 401)
            #expect(text(answer).contains("Name or password is wrong."))
            #expect(text(answer).contains(Hex.encode(Identity.hash(apiToken: token))))
        }
        let answer = try signIn(token)
        #expect(answer.status == 429)
        #expect(answer.header("Retry-After") == "1")
    }

    @Test("Another site's form signs nobody in, and what a stranger writes into the address is not in the page")
    func strangers() throws {
        let shown = try send("GET", "/stratus/sign-in")
        let cookie = ("Cookie", try shown.newCookie("stratus-form"))
        let fields = "account=ben&password=secret&"
        let other = try send("GET", "/stratus/sign-in").hiddenForm
        let refused: [(String, [(String, String)])] = [
            // Another site's form: whether the browser says so, or sends no cookie, or the form has no code of it.
            (shown.hiddenForm, [cookie, ("Origin", "https://evil.example")]),
            (shown.hiddenForm, [cookie, ("Origin", "null")]),
            (shown.hiddenForm, [cookie, ("Sec-Fetch-Site", "cross-site")]), (shown.hiddenForm, []), ("", [cookie]),
            (other, [cookie]), (shown.hiddenForm, [("Cookie", "stratus-form=x")]),
        ]
        for (form, headers) in refused {
            let answer = try send("POST", "/stratus/sign-in", fields + form, headers: headers)
            #expect(answer.status == 403)
            #expect(!text(answer).contains("</textarea>"))
        }
        #expect(try send("POST", "/stratus/sign-in", fields + shown.hiddenForm, headers: [cookie]).status == 200)
        let page = try send("GET", "/stratus/sign-in?container=x%22%3E%3Cscript%3E&app=%22%3E%3Cscript%3E")
        #expect(!text(page).contains("script"))
        // A token of nobody knows hands nothing over.
        let unknown = try send(
            "POST", "/stratus/sign-in", "\(fields)app=\(String(repeating: "0", count: 64))&\(shown.hiddenForm)",
            headers: [cookie])
        #expect(unknown.status == 200 && !text(unknown).contains("postMessage"))
    }

    @Test("A page may call with an API token that admits its origin, and no other may")
    func origins() throws {
        let token = try apiToken(["https://notes.example.com"])
        let path = "/database/1/\(TestCloud.container)/development/public/zones/list?ckAPIToken=\(token)"
        for method in ["GET", "OPTIONS"] {
            let mine = try send(method, path, headers: [("Origin", "https://notes.example.com")])
            #expect(mine.status == 200)
            #expect(mine.header("Access-Control-Allow-Origin") == "https://notes.example.com")
            let other = try send(method, path, headers: [("Origin", "https://evil.example")])
            #expect(other.status == 403)
            #expect(other.header("Access-Control-Allow-Origin") == nil)
        }
        #expect(try send("GET", path).status == 200, "what is no browser names no origin")
        let open = path.replacing(token, with: try apiToken())
        #expect(
            try send("GET", open, headers: [("Origin", "https://any.example")]).header("Access-Control-Allow-Origin")
                == "https://any.example")
    }

    @Test(
        "What is no origin or no web address is refused where a token is made",
        arguments: ["notes.example.com", "https://a.example/path", "https://a\"b", "javascript:x", "https://", ""])
    func settings(text: String) {
        #expect(throws: AdministrationError.self) { try apiToken([text]) }
        if !text.hasSuffix("path") {
            #expect(throws: AdministrationError.self) { try apiToken(callback: text) }
        }
    }
}
