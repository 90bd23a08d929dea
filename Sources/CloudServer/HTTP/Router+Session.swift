import WebServices

/// Signing in and out over HTTP, for what has no sign-in of Apple's: our own client, the terminal, a plain page.
extension Router {
    /// `POST /stratus/session` with `{account, password, keepSignedIn?, container?}` as JSON or as an HTML form.
    func signIn(_ request: HTTPRequest, _ respond: @escaping @Sendable (HTTPResponse) -> Void) {
        guard let form = SignInForm(request) else {
            return respond(failure(.badRequest("BadRequestException: account and password are required")))
        }
        inTurn(server.passwords, request) { [self] in
            answer(
                try server.identity.signIn(
                    account: form.account, password: form.password, keepSignedIn: form.keepSignedIn,
                    from: request.network), form)
        } respond: { [self] result in
            switch result {
            case .success(let response): respond(response)
            case .failure(let error): respond(failure(error))
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
}

/// What a person, or a program for one, sends to sign in.
struct SignInForm: Sendable {
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
            guard let form = request.form, let account = form["account"] else { return nil }
            self.account = account
            password = form["password"] ?? ""
            keepSignedIn = form["keepSignedIn"] == "true"
            container = form["container"].flatMap { $0.isEmpty ? nil : $0 }
        }
    }
}
