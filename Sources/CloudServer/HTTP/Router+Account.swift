import CloudStore
import WebServices

/// `/stratus/account`, where a person sees what they have and does what only they may. Works without scripts.
///
/// The browser holds the web token in a cookie that goes to these pages alone; every form has the code of Router+Forms.swift
/// besides. The pages themselves are in Router+AccountPages.swift.
extension Router {
    static let accountPath = "/stratus/account"
    private static let accountCookie = "stratus-account"

    /// What a person can send, by the last part of its address.
    enum AccountForm: String {
        case signIn = "sign-in"
        case password
        case signOut = "sign-out"
        case signOutEverywhere = "sign-out-everywhere"
        case erase
        case discoverability

        /// Whether a password is checked.
        var isProof: Bool { self == .signIn || self == .password }
    }

    func account(_ request: HTTPRequest, _ respond: @escaping @Sendable (HTTPResponse) -> Void) {
        let path = request.pathComponents.dropFirst(2).joined(separator: "/")
        let form = AccountForm(rawValue: path)
        guard path.isEmpty || form != nil else { return respond(noHandler()) }
        switch (request.method, form) {
        case ("GET", nil), ("GET", .erase):
            answer(request, server.accountPages, respond) { try page(for: form, request) }
        case ("POST", let form?):
            let fields = request.form ?? HTTPQuery()
            guard isFromHere(request, code: fields["form"]) else {
                return respond(accountSignIn(request, problem: Self.expiredForm, status: 403))
            }
            answer(request, form.isProof ? server.passwords : server.accountPages, respond) {
                try carryOut(form, fields, request)
            }
        default:
            respond(wrongMethod(form == nil ? ["GET"] : form == .erase ? ["GET", "POST"] : ["POST"]))
        }
    }

    private func answer(
        _ request: HTTPRequest, _ line: WaitingLine, _ respond: @escaping @Sendable (HTTPResponse) -> Void,
        _ body: @escaping @Sendable () throws -> HTTPResponse
    ) {
        inTurn(line, request, body) { result in
            switch result {
            case .success(let response): respond(response)
            case .failure(let error): respond(troublePage(error))
            }
        }
    }

    /// Who is signed in with this browser; nil where nobody is, or no longer.
    private func person(_ request: HTTPRequest) throws -> AccountRow? {
        try request.cookie(Self.accountCookie).flatMap { try server.identity.person(webAuthToken: $0) }
    }

    private func page(for form: AccountForm?, _ request: HTTPRequest) throws -> HTTPResponse {
        guard let person = try person(request) else {
            let wasSignedIn = request.cookie(Self.accountCookie) != nil
            return accountSignIn(request, problem: wasSignedIn ? Self.sessionEnded : nil)
        }
        guard form == .erase else { return try overview(request, person) }
        return erasePage(request, try container(request.query), try environment(request.query))
    }

    // MARK: - What they do

    private func carryOut(_ form: AccountForm, _ fields: HTTPQuery, _ request: HTTPRequest) throws -> HTTPResponse {
        if form == .signIn { return try signIn(request) }
        guard let person = try person(request) else {
            return accountSignIn(request, problem: Self.sessionEnded, status: 403)
        }
        switch form {
        case .signIn, .password:
            return try changePassword(of: person, fields, request)
        case .signOut:
            if let token = request.cookie(Self.accountCookie) { try server.identity.signOut(webAuthToken: token) }
            return back(withToken: "")
        case .signOutEverywhere:
            try server.identity.signOutEverywhere(person)
            return back(done: "signed-out", withToken: "")
        case .discoverability:
            try server.administration.setDiscoverable(
                fields["found"] == "true", account: person.name, in: try container(fields))
            return back(done: "discoverability")
        case .erase:
            return try erase(of: person, fields, request)
        }
    }

    private func signIn(_ request: HTTPRequest) throws -> HTTPResponse {
        guard let sent = SignInForm(request) else {
            return accountSignIn(request, problem: "Name and password are needed.", status: 400)
        }
        do {
            let signedIn = try server.identity.signIn(
                account: sent.account, password: sent.password, keepSignedIn: false, from: request.network)
            return back(withToken: signedIn.webAuthToken)
        } catch let error as ServerError {
            var response = accountSignIn(request, problem: Self.problem(error), status: error.code.status)
            response.headers += retryAfter(error)
            return response
        }
    }

    private func changePassword(
        of person: AccountRow, _ fields: HTTPQuery, _ request: HTTPRequest
    ) throws -> HTTPResponse {
        let new = fields["new"] ?? ""
        guard new == fields["again"] else {
            return try overview(request, person, problem: "The new passwords are not the same.", status: 400)
        }
        do {
            let signedIn = try server.identity.changePassword(
                of: person, from: fields["password"] ?? "", to: new, network: request.network)
            return back(done: "password", withToken: signedIn.webAuthToken)
        } catch let error as ServerError {
            let isWrong = error.code == .authenticationFailed
            var response = try overview(
                request, person, problem: isWrong ? "The present password is wrong." : Self.problem(error),
                status: error.code.status)
            response.headers += retryAfter(error)
            return response
        }
    }

    private func erase(of person: AccountRow, _ fields: HTTPQuery, _ request: HTTPRequest) throws -> HTTPResponse {
        let (container, environment) = (try container(fields), try environment(fields))
        guard fields["confirmed"] == "true" else {
            return erasePage(request, container, environment, problem: "Tick the box to confirm.", status: 400)
        }
        switch fields["what"] {
        case "all": try server.erase(account: person.name, in: container, environment)
        case "encrypted": try server.resetEncryptedData(ofAccount: person.name, in: container, environment)
        default:
            return erasePage(request, container, environment, problem: "Say what is to be erased.", status: 400)
        }
        return back(done: "erased")
    }

    // MARK: - Parts

    private static let sessionEnded = "Your session has ended. Please sign in again."

    /// To the overview, so that reloading a page repeats nothing.
    ///
    /// - Parameters:
    ///   - done: the word in the address by which the overview says what was done.
    ///   - token: for the browser to keep; empty has it forget.
    private func back(done: String? = nil, withToken token: String? = nil) -> HTTPResponse {
        var headers = [
            ("Location", Self.accountPath + (done.map { "?done=\($0)" } ?? "")), ("Cache-Control", "no-store"),
        ]
        if let token {
            let cookie = cookie(Self.accountCookie, token, path: Self.accountPath, sameSite: "Lax")
            headers.append(("Set-Cookie", cookie))
        }
        return HTTPResponse(status: 303, headers: headers)
    }

    private func container(_ fields: HTTPQuery) throws -> String {
        let container = fields["container"] ?? ""
        guard try server.administration.containers().contains(where: { $0.identifier == container }) else {
            throw ServerError.badRequest("There is no such container here.")
        }
        return container
    }

    private func environment(_ fields: HTTPQuery) throws -> CloudEnvironment {
        guard let environment = fields["environment"].flatMap(CloudEnvironment.init) else {
            throw ServerError.badRequest("There is no such environment.")
        }
        return environment
    }
}
