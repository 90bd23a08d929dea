import CloudStore
import Dispatch
import WebServices

/// `/stratus/sign-in`, where a 421 sends a person's browser.
///
/// Works without scripts. After the sign-in the web token goes where the API token's settings say: to the callback's
/// address in the query, or by a message to the page that opened this one, each time as `ckWebAuthToken` and as
/// `ckSession`, since clients read either. [Apple:SettingUpWebServices; CloudKit JS]
extension Router {
    /// `GET`: the form.
    func signInPage(_ request: HTTPRequest) -> HTTPResponse {
        form(container: request.query["container"], app: request.query["app"])
    }

    /// `POST`: the form as a browser sends it.
    func signInByForm(_ request: HTTPRequest, _ respond: @escaping @Sendable (HTTPResponse) -> Void) {
        guard isFromHere(request) else {
            return respond(page("Sign in", "<p>This form was sent from another site.</p>", status: 403))
        }
        guard let sent = SignInForm(request) else {
            return respond(form(container: nil, app: nil, problem: "Name and password are needed.", status: 400))
        }
        Self.signInQueue.async { [self] in
            do {
                let signedIn = try server.identity.signIn(
                    account: sent.account, password: sent.password, keepSignedIn: sent.keepSignedIn)
                respond(handOver(signedIn.webAuthToken, app: sent.app))
            } catch {
                let error = server.serverError(error, "sign-in")
                var response = form(
                    container: sent.container, app: sent.app, problem: Self.problem(error), status: error.code.status)
                response.headers += retryAfter(error)
                respond(response)
            }
        }
    }

    private static func problem(_ error: ServerError) -> String {
        switch error.code {
        case .authenticationFailed: "Name or password is wrong."
        case .throttled: "Too many attempts. Try again in \(Int(error.retryAfter ?? 1)) seconds."
        default: "The sign-in failed. Try again later."
        }
    }

    /// A browser says where a form comes from; another site's form must not sign its visitors in.
    private func isFromHere(_ request: HTTPRequest) -> Bool {
        guard let origin = request.headers["Origin"] else { return true }
        if let publicURL = server.configuration.publicURL, WebAddress.origin(of: publicURL) == origin { return true }
        guard let host = request.headers["Host"] else { return false }
        return origin == "http://\(host)" || origin == "https://\(host)"
    }

    /// nil for a hash that is no API token's.
    private func settings(_ app: String?) -> APITokenRow? {
        guard let app, app.utf8.count == 64, let hash = Hex.decode(app) else { return nil }
        return try? server.store.control.apiToken(hash: hash)
    }

    // MARK: - After the sign-in

    private func handOver(_ token: String, app: String?) -> HTTPResponse {
        let settings = settings(app)
        if let callback = settings?.callback, !callback.isEmpty {
            let escaped = Self.escaped(token)
            let joint = callback.contains("?") ? "&" : "?"
            var response = HTTPResponse(status: 303)
            response.headers = [
                ("Location", "\(callback)\(joint)ckWebAuthToken=\(escaped)&ckSession=\(escaped)"),
                ("Cache-Control", "no-store"), ("Referrer-Policy", "no-referrer"),
            ]
            return response
        }
        // Whom the browser may hand the message to: whoever else has the page open does not get it.
        var targets = (settings?.origins ?? "").split(separator: " ").map(String.init)
        let isEmulator = server.configuration.universalAPIToken != nil && app == nil
        if targets.isEmpty, settings != nil || isEmulator { targets = ["*"] }
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
        return page("Signed in", content, policy: "script-src 'nonce-\(nonce)'")
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

    // MARK: - Pages

    private func form(
        container: String?, app: String?, problem: String? = nil, status: Int = 200
    ) -> HTTPResponse {
        // Neither holds anything that could end the attribute it is written into.
        let container = container.flatMap { CloudServer.isContainerIdentifier($0) ? $0 : nil } ?? ""
        let settings = settings(app)
        let content = """
            \(container.isEmpty ? "" : "<p>An app wants to use your data in <b>\(container)</b>.</p>")
            \(problem.map { "<p role=\"alert\">\($0)</p>" } ?? "")
            <form method="post" action="\(Identity.signInPath)">
            <input type="hidden" name="container" value="\(container)">
            <input type="hidden" name="app" value="\(settings == nil ? "" : app ?? "")">
            <label>Account <input name="account" autocomplete="username" required autofocus></label>
            <label>Password <input name="password" type="password" autocomplete="current-password"></label>
            <label><input type="checkbox" name="keepSignedIn" value="true"> Keep me signed in</label>
            <button>Sign in</button>
            </form>
            """
        // Browsers hold a form's policy against the redirect that answers it as well.
        let callback = settings.flatMap { WebAddress.origin(of: $0.callback) }.map { " \($0)" } ?? ""
        return page("Sign in", content, policy: "form-action 'self'\(callback)", status: status)
    }

    private func page(_ title: String, _ content: String, policy: String = "", status: Int = 200) -> HTTPResponse {
        let text = """
            <!doctype html>
            <html lang="en">
            <meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
            <title>\(title)</title>
            <style>body { font: 1rem system-ui; max-width: 20rem; margin: 4rem auto } label, input, button, textarea { display: block; margin: .5rem 0; font: inherit } input:not([type=checkbox]), textarea { width: 100% } [role=alert] { color: #b00020 }</style>
            <h1>\(title)</h1>
            \(content)
            </html>
            """
        return HTTPResponse(
            status: status,
            headers: [
                ("Content-Type", "text/html; charset=UTF-8"), ("Cache-Control", "no-store"),
                ("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; \(policy)"),
                ("X-Frame-Options", "DENY"), ("Referrer-Policy", "same-origin"),
            ], body: Array(text.utf8))
    }
}
