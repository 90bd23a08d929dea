import Dispatch
import WebServices

/// Signing in and out over HTTP, for what has no sign-in of Apple's: our own client, the terminal, a plain page.
extension Router {
    /// `POST /stratus/session` with `{account, password, keepSignedIn?, container?}` as JSON or as an HTML form.
    func signIn(_ request: HTTPRequest, _ respond: @escaping @Sendable (HTTPResponse) -> Void) {
        guard let form = SignInForm(request) else {
            return respond(failure(.badRequest("BadRequestException: account and password are required")))
        }
        Self.signInQueue.async { [self] in
            do {
                let signedIn = try server.identity.signIn(
                    account: form.account, password: form.password, keepSignedIn: form.keepSignedIn)
                respond(answer(signedIn, form))
            } catch {
                respond(failure(server.serverError(error, "sign-in")))
            }
        }
    }

    private func answer(_ signedIn: Identity.SignedIn, _ form: SignInForm) -> HTTPResponse {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("webAuthToken", signedIn.webAuthToken)
        writer.member("userName", signedIn.userName)
        writer.member("expires", signedIn.expires)
        if let container = form.container {
            let recordName = server.secret.userRecordName(account: signedIn.account, container: container)
            writer.member("userRecordName", recordName)
        }
        writer.endObject()
        return .json(writer.finish(), headers: [("Cache-Control", "no-store")])
    }

    /// `DELETE /stratus/session?ckWebAuthToken=…`: ends the token's session.
    func signOut(_ request: HTTPRequest) -> HTTPResponse {
        do {
            guard let token = request.webAuthToken else { throw ServerError.authenticationFailed }
            try server.identity.signOut(webAuthToken: token)
            return .json(Array("{}".utf8))
        } catch {
            return failure(server.serverError(error, "sign-out"))
        }
    }

    /// `GET /stratus/sign-in`: where a 421 sends a person.
    func signInPage(_ request: HTTPRequest) -> HTTPResponse {
        // An identifier holds nothing that could end the attribute it is written into.
        let container = request.query["container"].flatMap { CloudServer.isContainerIdentifier($0) ? $0 : nil } ?? ""
        let page = """
            <!doctype html>
            <html lang="en">
            <meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
            <title>Sign in</title>
            <style>body { font: 1rem system-ui; max-width: 20rem; margin: 4rem auto } label, input, button { display: block; margin: .5rem 0; font: inherit } input:not([type=checkbox]) { width: 100% }</style>
            <h1>Sign in</h1>
            <form method="post" action="/stratus/session">
            <input type="hidden" name="container" value="\(container)">
            <label>Account <input name="account" autocomplete="username" required></label>
            <label>Password <input name="password" type="password" autocomplete="current-password"></label>
            <label><input type="checkbox" name="keepSignedIn" value="true"> Keep me signed in</label>
            <button>Sign in</button>
            </form>
            </html>
            """
        return HTTPResponse(
            headers: [
                ("Content-Type", "text/html; charset=UTF-8"), ("Cache-Control", "no-store"),
                ("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'"),
                ("X-Frame-Options", "DENY"),
            ], body: Array(page.utf8))
    }
}

/// What a person, or a program for one, sends to sign in.
private struct SignInForm: Sendable {
    var account: String
    var password: String
    var keepSignedIn: Bool
    var container: String?

    init?(_ request: HTTPRequest) {
        if let value = try? JSONDocument(parsing: request.body).root, value.object != nil {
            guard let account = value["account"]?.string else { return nil }
            self.account = account
            password = value["password"]?.string ?? ""
            keepSignedIn = value["keepSignedIn"]?.bool ?? false
            container = value["container"]?.string
        } else {
            guard request.body.count <= 8192, let form = HTTPQuery(String(decoding: request.body, as: UTF8.self)),
                let account = form["account"]
            else { return nil }
            self.account = account
            password = form["password"] ?? ""
            keepSignedIn = form["keepSignedIn"] == "true"
            container = form["container"].flatMap { $0.isEmpty ? nil : $0 }
        }
    }
}
