import CloudStore
import WebServices

/// `/stratus/sign-in`, where a 421 sends a person's browser.
///
/// Works without scripts. After the sign-in the web token goes where the API token's settings say: to the callback's
/// address in the query, or by a message to the page that opened this one, each time as `ckWebAuthToken` and as
/// `ckSession`, since clients read either. [Apple:SettingUpWebServices; CloudKit JS]
extension Router {
    /// `GET`: the form.
    func signInPage(_ request: HTTPRequest) -> HTTPResponse {
        var page = SignInPage(container: request.query["container"], app: request.query["app"])
        page.opener = request.headers["Referer"].flatMap(WebAddress.origin)
        return form(page, request)
    }

    /// `POST`: the form as a browser sends it.
    func signInByForm(_ request: HTTPRequest, _ respond: @escaping @Sendable (HTTPResponse) -> Void) {
        let fields = request.form
        var shown = SignInPage(container: fields?["container"], app: fields?["app"])
        shown.opener = fields?["opener"].flatMap(WebAddress.origin)
        let page = shown
        guard isFromHere(request, code: fields?["form"]) else {
            return respond(form(page, request, problem: Self.expiredForm, status: 403))
        }
        guard let sent = SignInForm(request) else {
            return respond(form(page, request, problem: "Name and password are needed.", status: 400))
        }
        inTurn(server.passwords, request) { [self] in
            let signedIn = try server.identity.signIn(
                account: sent.account, password: sent.password, keepSignedIn: sent.keepSignedIn, from: request.network)
            return handOver(signedIn.webAuthToken, page, request)
        } respond: { [self] result in
            switch result {
            case .success(let response): respond(response)
            case .failure(let error):
                var response = form(page, request, problem: Self.problem(error), status: error.code.status)
                response.headers += retryAfter(error)
                respond(response)
            }
        }
    }

    static func problem(_ error: ServerError) -> String {
        switch error.code {
        case .authenticationFailed: "Name or password is wrong."
        case .throttled: "Too many attempts. Try again in \(Int(error.retryAfter ?? 1)) seconds."
        case .tryAgainLater: "Too many people wait just now. Try again in a moment."
        case .badRequest: error.reason
        default: "Something went wrong here. Try again later."
        }
    }

    /// nil for a hash that is no API token's.
    private func settings(_ app: String?) -> APITokenRow? {
        guard let app, app.utf8.count == 64, let hash = Hex.decode(app) else { return nil }
        return try? server.store.control.apiToken(hash: hash)
    }

    // MARK: - After the sign-in

    private func handOver(_ token: String, _ page: SignInPage, _ request: HTTPRequest) -> HTTPResponse {
        let settings = settings(page.app)
        if let callback = settings?.callback, !callback.isEmpty {
            var response = HTTPResponse(status: 303)
            let escaped = Self.escaped(token)
            response.headers = [
                ("Location", WebAddress.adding("ckWebAuthToken=\(escaped)&ckSession=\(escaped)", to: callback)),
                ("Cache-Control", "no-store"), ("Referrer-Policy", "no-referrer"),
            ]
            return response
        }
        let targets = targets(settings, page, request)
        let list = targets.map { "\"\($0)\"" }.joined(separator: ",")
        let nonce = Base64.encode(server.random.bytes(16))
        // Base64 and origins hold nothing that could end a string or the script.
        let script = """
            <script nonce="\(nonce)">
            if (window.opener) {
              for (const origin of [\(list)]) {
                window.opener.postMessage({ckWebAuthToken: "\(token)", ckSession: "\(token)"}, origin);
              }
              window.close();
            }
            </script>
            """
        let content = """
            <p>You are signed in and can close this window.</p>
            <label>Web token, for an app that asks for it <textarea readonly rows="4">\(token)</textarea></label>
            \(targets.isEmpty ? "" : script)
            """
        return self.page("Signed in", content, policy: "script-src 'nonce-\(nonce)'")
    }

    /// The origins to which the browser may hand the message: never just any, since any page can open this one. Those of
    /// the API token, or else this server's own pages; an emulator also tells a page of this machine that opened it.
    private func targets(_ settings: APITokenRow?, _ page: SignInPage, _ request: HTTPRequest) -> [String] {
        if let settings {
            let origins = settings.origins.split(separator: " ").map(String.init)
            if !origins.isEmpty { return origins }
        } else {
            guard server.configuration.universalAPIToken != nil, page.app == nil else { return [] }
            if let opener = page.opener, WebAddress.isOfThisMachine(opener) { return [opener] }
        }
        return (server.configuration.publicURL.flatMap(WebAddress.origin) ?? request.root(isSecure: isSecure)).map {
            [$0]
        }
            ?? []
    }

    /// Base64 as it stands in a query.
    private static func escaped(_ token: String) -> String {
        token.utf8.reduce(into: "") { text, byte in
            switch byte {
            case UInt8(ascii: "+"): text += "%2B"
            case UInt8(ascii: "/"): text += "%2F"
            case UInt8(ascii: "="): text += "%3D"
            default: text.unicodeScalars.append(Unicode.Scalar(byte))
            }
        }
    }

    // MARK: - The form

    private func form(
        _ page: SignInPage, _ request: HTTPRequest, problem: String? = nil, status: Int = 200
    ) -> HTTPResponse {
        // None of the values holds anything that could end the attribute it is written into.
        let container = page.container ?? ""
        let settings = settings(page.app)
        let (code, headers) = formCode(request)
        let content = """
            \(container.isEmpty ? "" : "<p>An app wants to use your data in <b>\(container)</b>.</p>")
            \(problem.map { "<p role=\"alert\">\($0.escapedHTML)</p>" } ?? "")
            <form method="post" action="\(Identity.signInPath)">
            <input type="hidden" name="form" value="\(code)">
            <input type="hidden" name="container" value="\(container)">
            <input type="hidden" name="app" value="\(settings == nil ? "" : page.app ?? "")">
            <input type="hidden" name="opener" value="\(page.opener?.escapedHTML ?? "")">
            \(Self.credentialFields)
            <label><input type="checkbox" name="keepSignedIn" value="true"> Keep me signed in</label>
            <button>Sign in</button>
            </form>
            """
        // Browsers hold a form's policy against the redirect that answers it as well.
        let callback = settings.flatMap { WebAddress.origin(of: $0.callback) }.map { " \($0)" } ?? ""
        return self.page(
            "Sign in", content, policy: "form-action 'self'\(callback)", status: status, headers: headers)
    }

    static let credentialFields = """
        <label>Account <input name="account" autocomplete="username" required autofocus></label>
        <label>Password <input name="password" type="password" autocomplete="current-password"></label>
        """
}

/// What a sign-in page is for.
private struct SignInPage: Sendable {
    var container: String?
    /// The hash of the app's API token.
    var app: String?
    /// The origin of the page that opened it, as the browser says.
    var opener: String?

    init(container: String?, app: String?) {
        self.container = container.flatMap { CloudServer.isContainerIdentifier($0) ? $0 : nil }
        self.app = app.flatMap { $0.isEmpty ? nil : $0 }
    }
}
