import Cryptography
import WebServices

/// What the pages under `/stratus/` have in common.
///
/// A form is only taken from a page of this server that the same browser was shown: it holds a code of a cookie that no other
/// site can read or send along with a form of its own. The cookie proves nothing else.
extension Router {
    static let formCookie = "stratus-form"

    /// Whether people reach the server by HTTPS, maybe through a proxy.
    var isReachedSecurely: Bool { isSecure || server.configuration.publicURL?.hasPrefix("https://") == true }

    /// The code for the forms of a page, and the header that gives the browser its half.
    func formCode(_ request: HTTPRequest) -> (code: String, headers: [(String, String)]) {
        if let known = request.cookie(Self.formCookie), Self.isFormSecret(known) { return (code(known), []) }
        let secret = Hex.encode(server.random.bytes(16))
        return (code(secret), [("Set-Cookie", cookie(Self.formCookie, secret, path: "/stratus", sameSite: "Lax"))])
    }

    /// Whether a form was sent from a page that this server showed to the same browser.
    func isFromHere(_ request: HTTPRequest, code given: String?) -> Bool {
        guard isOwnOrigin(request), let secret = request.cookie(Self.formCookie), Self.isFormSecret(secret), let given
        else { return false }
        return ConstantTime.areEqual(Array(given.utf8), Array(code(secret).utf8))
    }

    private static func isFormSecret(_ text: String) -> Bool {
        text.utf8.count == 32 && text.utf8.allSatisfy { Hex.value(of: $0) != nil }
    }

    private func code(_ secret: String) -> String {
        Hex.encode(Array(server.secret.code(.form, Array(secret.utf8)).prefix(16)))
    }

    /// A browser says where a form comes from, if it says anything.
    private func isOwnOrigin(_ request: HTTPRequest) -> Bool {
        if let site = request.headers["Sec-Fetch-Site"], site != "same-origin", site != "none" { return false }
        // `null` is what a page says that tells nobody where it is from.
        guard let origin = request.headers["Origin"] else { return true }
        return isOwn(origin, request)
    }

    func isOwn(_ origin: String, _ request: HTTPRequest) -> Bool {
        if let publicURL = server.configuration.publicURL, WebAddress.origin(of: publicURL) == origin { return true }
        guard let host = request.headers["Host"] else { return false }
        return origin == "http://\(host)" || origin == "https://\(host)"
    }

    /// - Parameter value: empty to take the cookie away.
    func cookie(_ name: String, _ value: String, path: String, sameSite: String) -> String {
        "\(name)=\(value); Path=\(path); HttpOnly; SameSite=\(sameSite)\(isReachedSecurely ? "; Secure" : "")"
            + (value.isEmpty ? "; Max-Age=0" : "")
    }

    /// Does what takes long when its turn comes, or says that too many wait.
    func inTurn(
        _ line: WaitingLine, _ request: HTTPRequest, _ body: @escaping @Sendable () throws -> HTTPResponse,
        respond: @escaping @Sendable (Result<HTTPResponse, ServerError>) -> Void
    ) {
        do throws(ServerError) {
            try line.add(from: request.network) { [self] in
                do {
                    respond(.success(try body()))
                } catch {
                    respond(.failure(server.serverError(error, "a page of /stratus")))
                }
            }
        } catch {
            respond(.failure(error))
        }
    }

    static let expiredForm = "This page was open for too long, or the browser takes no cookies. Please try again."

    func page(
        _ title: String, _ content: String, policy: String = "form-action 'self'", status: Int = 200,
        headers: [(String, String)] = []
    ) -> HTTPResponse {
        let text = """
            <!doctype html>
            <html lang="en">
            <meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
            <title>\(title)</title>
            <style>\(Self.style)</style>
            <main>
            <h1>\(title)</h1>
            \(content)
            </main>
            </html>
            """
        return HTTPResponse(
            status: status,
            headers: [
                ("Content-Type", "text/html; charset=UTF-8"), ("Cache-Control", "no-store"),
                (
                    "Content-Security-Policy",
                    "default-src 'none'; base-uri 'none'; style-src 'unsafe-inline'; \(policy)"
                ),
                ("X-Frame-Options", "DENY"), ("Referrer-Policy", "same-origin"), ("X-Content-Type-Options", "nosniff"),
            ] + headers, body: Array(text.utf8))
    }

    private static let style = """
        body { font: 1rem/1.4 system-ui; margin: 4rem 1rem } main { max-width: 34rem; margin: auto } \
        label, input, button, textarea { display: block; margin: .5rem 0; font: inherit } \
        input:not([type=checkbox]):not([type=radio]), textarea { width: 100%; box-sizing: border-box } \
        input[type=checkbox], input[type=radio] { display: inline } table { border-collapse: collapse; width: 100% } \
        td, th { text-align: left; padding: .3rem .6rem .3rem 0; border-bottom: 1px solid #ddd } \
        [role=alert] { color: #b00020 } [role=status] { color: #006622 }
        """
}

extension HTTPRequest {
    /// The value of a cookie.
    func cookie(_ name: String) -> String? {
        for header in headers.values(of: "Cookie") {
            for pair in header.split(separator: ";") {
                let parts = pair.trimmingPrefix { $0 == " " }.split(separator: "=", maxSplits: 1)
                if parts.count == 2, parts[0] == name { return String(parts[1]) }
            }
        }
        return nil
    }

    /// The fields of an HTML form; nil for a body that is none.
    var form: HTTPQuery? {
        guard body.count <= 8192 else { return nil }
        return HTTPQuery(String(decoding: body, as: UTF8.self))
    }
}

extension String {
    /// As text of a page, or in a quoted attribute.
    var escapedHTML: String {
        var text = ""
        for scalar in unicodeScalars {
            switch scalar {
            case "&": text += "&amp;"
            case "<": text += "&lt;"
            case ">": text += "&gt;"
            case "\"": text += "&quot;"
            case "'": text += "&#39;"
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}
