import CloudStore
import Testing
import WebServices

@testable import CloudServer

@Suite("The account page")
struct AccountPageTests {
    let cloud: TestCloud
    let router: Router
    fileprivate static let path = "/stratus/account"

    init() throws {
        cloud = try TestCloud { $0.publicURL = nil }
        router = Router(server: cloud.server)
        _ = try cloud.server.identity.createAccount(name: "anna", password: "secret")
    }

    /// A browser: what it is told to keep, it sends back.
    private final class Browser {
        let router: Router
        var cookies: [String: String] = [:]

        init(_ router: Router) { self.router = router }

        func send(_ method: String, _ target: String, _ body: String = "") throws -> HTTPResponse {
            let cookie = cookies.map { "\($0.key)=\($0.value)" }.joined(separator: "; ")
            let answer = try router.send(
                method, target, body, headers: [("Cookie", cookie), ("Origin", "http://cloud.example")])
            for (name, value) in answer.headers where name == "Set-Cookie" {
                #expect(value.contains("; HttpOnly; SameSite=Lax"))
                let pair = value.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1).map(String.init)
                cookies[pair[0]] = value.contains("Max-Age=0") ? nil : pair.count == 2 ? pair[1] : ""
            }
            return answer
        }

        /// Opens the page, sends one of its forms, and follows to where that leads.
        func submit(_ action: String, _ fields: String = "", on page: String = "") throws -> HTTPResponse {
            let code = try #require(
                try send("GET", AccountPageTests.path + page).hiddenFields.first { $0.name == "form" }
            ).value
            let answer = try send("POST", "\(AccountPageTests.path)/\(action)", "form=\(code)&\(fields)")
            guard answer.status == 303 else { return answer }
            return try send("GET", try #require(answer.header("Location")))
        }

        func signIn(_ password: String = "secret") throws -> HTTPResponse {
            try submit("sign-in", "account=anna&password=\(password)")
        }
    }

    private func device() throws -> TestDevice {
        let signedIn = try cloud.server.identity.signIn(account: "anna", password: "secret", keepSignedIn: true)
        var device = cloud.visitor()
        device.credentials.webAuthToken = signedIn.webAuthToken
        return device
    }

    private func reasonOfDeletedNotes(_ device: TestDevice) throws -> ServerError.ExtensionCode? {
        #expect(throws: ServerError.self) { try device.page("Notes") }?.extensionCode
    }

    @Test("A person sees their containers and what lies in them")
    func overview() throws {
        let browser = Browser(router)
        #expect(try browser.signIn("guess").text.contains("Name or password is wrong."))
        #expect(try browser.signIn().text.contains("No app has stored anything"))
        let device = try device()
        try device.save(.create, .note("a"))
        try device.save(.create, .note("b"))
        let text = try browser.send("GET", Self.path).text
        #expect(text.contains("<td>\(TestCloud.container) (development)</td><td>1</td><td>2</td>"))
        #expect(text.contains("Signed in as <b>anna</b>"))
    }

    @Test("Data is erased once that is confirmed, and the devices hear that its user purged it")
    func erase() throws {
        let (browser, device) = (Browser(router), try device())
        try device.save(.create, .note("a"))
        try device.makeZone()
        _ = try browser.signIn()
        let fields = "container=\(TestCloud.container)&environment=development&what=all"
        let page = "/erase?\(fields)"
        let unconfirmed = try browser.submit("erase", fields, on: page)
        #expect(unconfirmed.status == 400 && unconfirmed.text.contains("Tick the box"))
        #expect(try device.record("a") != nil)
        #expect(try browser.submit("erase", "\(fields)&confirmed=true", on: page).text.contains("is erased"))
        #expect(try device.record("a") == nil)
        #expect(try reasonOfDeletedNotes(device) == .userDeletedZone)
        #expect(try browser.send("GET", Self.path).text.contains("No app has stored anything"))
    }

    @Test(
        "Of what cannot be erased the page says so",
        arguments: [
            ("container=iCloud.none&environment=development&what=all", "no such container"),
            ("container=\(TestCloud.container)&environment=staging&what=all", "no such environment"),
            ("container=\(TestCloud.container)&environment=development&what=some", "Say what is to be erased"),
            ("container=\(TestCloud.container)&environment=development", "Say what is to be erased"),
        ])
    func eraseNothing(fields: String, answer: String) throws {
        let (browser, device) = (Browser(router), try device())
        try device.save(.create, .note("a"))
        _ = try browser.signIn()
        let refused = try browser.submit("erase", "\(fields)&confirmed=true")
        #expect(refused.status == 400 && refused.text.contains(answer))
        #expect(try device.record("a") != nil)
    }

    @Test("Encrypted data is reset without the rest, and other people keep theirs")
    func resetEncrypted() throws {
        let (browser, device) = (Browser(router), try device())
        try device.save(.create, .note("plain"))
        try device.makeZone()
        var secret = Record.note("secret")
        var fields = FieldsBuilder()
        fields.append("pin", .string("1234"), isEncrypted: true)
        secret.fields = fields.finish()
        try device.save(.create, secret, in: TestDevice.notes)
        let other = try cloud.device(of: "ben")
        try other.save(.create, .note("theirs"))
        _ = try browser.signIn()
        let form = "container=\(TestCloud.container)&environment=development&what=encrypted&confirmed=true"
        #expect(try browser.submit("erase", form).text.contains("is erased"))
        #expect(try device.record("plain") != nil)
        #expect(try reasonOfDeletedNotes(device) == .userDidResetEncryptedData)
        #expect(try other.record("theirs") != nil)
    }

    @Test("Another password needs the present one, and signs out everywhere else")
    func password() throws {
        let (browser, device) = (Browser(router), try device())
        _ = try browser.signIn()
        let wrong = try browser.submit("password", "password=guess&new=other&again=other")
        #expect(wrong.status == 401 && wrong.text.contains("present password is wrong"))
        let typo = try browser.submit("password", "password=secret&new=other&again=othr")
        #expect(typo.status == 400 && typo.text.contains("not the same"))
        #expect(try browser.submit("password", "password=secret&new=&again=").status == 400)
        #expect(try device.error(.usersCaller, in: .public) == nil)
        let changed = try browser.submit("password", "password=secret&new=other&again=other")
        #expect(changed.text.contains("The password is changed") && changed.text.contains("Signed in as"))
        #expect(try device.error(.usersCaller, in: .public)?.code == .authenticationRequired)
        #expect(try Browser(router).signIn("secret").text.contains("is wrong"))
        #expect(try Browser(router).signIn("other").text.contains("Signed in as"))
    }

    @Test("Signing out ends this session, signing out everywhere all of them")
    func signOut() throws {
        let (first, second, device) = (Browser(router), Browser(router), try device())
        _ = try first.signIn()
        _ = try second.signIn()
        let kept = first.cookies
        #expect(!(try first.submit("sign-out").text.contains("Signed in as")))
        first.cookies = kept
        #expect(
            try first.send("GET", Self.path).text.contains("sign in again"), "the session has ended, not the cookie")
        #expect(try second.submit("sign-out-everywhere").text.contains("signed out everywhere"))
        #expect(try device.error(.usersCaller, in: .public)?.code == .authenticationRequired)
    }

    @Test("A person lets others find them or not, whatever an app asks")
    func discoverability() throws {
        let (browser, device) = (Browser(router), try device())
        _ = try browser.signIn()
        _ = try device.answer(.usersPermission(.init(requests: true)), in: .public)
        #expect(try browser.send("GET", Self.path).text.contains("can find you"))
        _ = try browser.submit("discoverability", "container=\(TestCloud.container)&found=false")
        guard
            case .usersPermission(let status) = try device.answer(.usersPermission(.init(requests: true)), in: .public)
        else { throw UnexpectedAnswer() }
        #expect(status == .denied)
    }

    @Test(
        "Without the code of a page that this browser was shown nothing is done",
        arguments: ["sign-in", "password", "sign-out", "sign-out-everywhere", "erase", "discoverability"])
    func foreignForm(action: String) throws {
        let browser = Browser(router)
        _ = try browser.signIn()
        let stolen = try Browser(router).send("GET", Self.path).hiddenForm
        for form in ["", stolen] {
            let answer = try browser.send(
                "POST", "\(Self.path)/\(action)", "\(form)&container=\(TestCloud.container)&confirmed=true")
            #expect(answer.status == 403)
        }
        #expect(try browser.send("GET", Self.path).text.contains("Signed in as"))
    }

    @Test("What a person is named is text in the page, and a cookie is for HTTPS where people come by it")
    func escaping() throws {
        _ = try cloud.server.identity.createAccount(name: "<b>\"&'", password: "x")
        let browser = Browser(router)
        let answer = try browser.submit("sign-in", "account=%3Cb%3E%22%26%27&password=x")
        #expect(answer.text.contains("&lt;b&gt;&quot;&amp;&#39;"))
        let secure = try Router(server: cloud.server, isSecure: true).send("GET", Self.path)
        #expect(secure.header("Set-Cookie")?.contains("; Secure") == true)
        #expect(try Browser(router).send("GET", "\(Self.path)/erase?container=%22%3E").text.contains("Your account"))
    }
}
