import CloudStore
import Foundation
import WebServices

/// The pages of Router+Account.swift.
extension Router {
    func accountSignIn(_ request: HTTPRequest, problem: String? = nil, status: Int = 200) -> HTTPResponse {
        let (code, headers) = formCode(request)
        let content = """
            \(Self.alert(problem))
            \(Self.done(request))
            \(Self.form(.signIn, code, Self.credentialFields + "<button>Sign in</button>"))
            """
        return page("Your account", content, status: status, headers: headers)
    }

    func troublePage(_ error: ServerError) -> HTTPResponse {
        page(
            "Your account", "\(Self.alert(Self.problem(error)))\(Self.wayBack)", status: error.code.status,
            headers: retryAfter(error))
    }

    func overview(
        _ request: HTTPRequest, _ person: AccountRow, problem: String? = nil, status: Int = 200
    ) throws -> HTTPResponse {
        let (code, headers) = formCode(request)
        let password = """
            <label>Present password <input name="password" type="password" autocomplete="current-password"></label>
            <label>New password <input name="new" type="password" autocomplete="new-password" required></label>
            <label>New password again <input name="again" type="password" autocomplete="new-password" required></label>
            <button>Change the password</button>
            """
        let content = """
            <p>Signed in as <b>\(person.name.escapedHTML)</b>.</p>
            \(Self.alert(problem))
            \(Self.done(request))
            <h2>Data</h2>
            \(try usageTable(person))
            \(try discoverabilityTable(person, code))
            <h2>Password</h2>
            <p>A new password signs you out everywhere else.</p>
            \(Self.form(.password, code, password))
            <h2>Sign out</h2>
            \(Self.form(.signOut, code, "<button>Sign out here</button>"))
            \(Self.form(.signOutEverywhere, code, "<button>Sign out everywhere</button>"))
            """
        return page("Your account", content, status: status, headers: headers)
    }

    private func usageTable(_ person: AccountRow) throws -> String {
        let usage = try server.administration.usage(ofAccount: person.name)
        guard !usage.isEmpty else { return "<p>No app has stored anything for you.</p>" }
        let limit = server.configuration.accountQuota.map { " of \(Self.size($0))" } ?? ""
        let rows = usage.map { part in
            let place = "container=\(part.container)&amp;environment=\(part.environment.rawValue)"
            return """
                <tr><td>\(Self.place(part.container, part.environment))</td><td>\(part.zones)</td>\
                <td>\(part.records)</td><td>\(Self.size(part.bytes))\(limit)</td>\
                <td><a href="\(Self.accountPath)/erase?\(place)">Erase…</a></td></tr>
                """
        }
        return """
            <table id="data"><tr><th>App's container</th><th>Zones</th><th>Records</th><th>Storage</th><th></th></tr>
            \(rows.joined(separator: "\n"))
            </table>
            """
    }

    /// Only the apps of which it is a question: those that asked.
    private func discoverabilityTable(_ person: AccountRow, _ code: String) throws -> String {
        let answers = try server.administration.discoverability(ofAccount: person.name)
        guard !answers.isEmpty else { return "" }
        let rows = answers.map { container, isGranted in
            let fields = """
                <input type="hidden" name="container" value="\(container)">
                <input type="hidden" name="found" value="\(!isGranted)">
                <button>\(isGranted ? "Do not let them" : "Let them")</button>
                """
            return """
                <tr><td>\(container)</td><td>\(isGranted ? "can" : "cannot") find you</td>\
                <td>\(Self.form(.discoverability, code, fields))</td></tr>
                """
        }
        return """
            <h2>Who can find you</h2>
            <p>The people who use an app can find you by your address, or they cannot.</p>
            <table id="people">
            \(rows.joined(separator: "\n"))
            </table>
            """
    }

    func erasePage(
        _ request: HTTPRequest, _ container: String, _ environment: CloudEnvironment, problem: String? = nil,
        status: Int = 200
    ) -> HTTPResponse {
        let (code, headers) = formCode(request)
        let fields = """
            <input type="hidden" name="container" value="\(container)">
            <input type="hidden" name="environment" value="\(environment.rawValue)">
            <label><input type="radio" name="what" value="all" checked> Everything. It goes from all your devices.</label>
            <label><input type="radio" name="what" value="encrypted"> Encrypted data only. Your devices send again what \
            they have of it.</label>
            <label><input type="checkbox" name="confirmed" value="true" required> I know that this cannot be undone</label>
            <button>Erase</button>
            """
        let content = """
            <p>Erases what apps have stored for you in <b>\(Self.place(container, environment))</b>. What you made public \
            stays.</p>
            \(Self.alert(problem))
            \(Self.form(.erase, code, fields))
            \(Self.wayBack)
            """
        return page("Erase data", content, status: status, headers: headers)
    }

    // MARK: - Parts

    // A container's identifier holds nothing that means something in HTML.
    private static func place(_ container: String, _ environment: CloudEnvironment) -> String {
        environment == .production ? container : "\(container) (development)"
    }

    private static func form(_ form: AccountForm, _ code: String, _ fields: String) -> String {
        """
        <form id="\(form.rawValue)" method="post" action="\(accountPath)/\(form.rawValue)">
        <input type="hidden" name="form" value="\(code)">
        \(fields)
        </form>
        """
    }

    private static func alert(_ problem: String?) -> String {
        problem.map { "<p role=\"alert\">\($0.escapedHTML)</p>" } ?? ""
    }

    private static let wayBack = "<p><a href=\"\(accountPath)\">Back</a></p>"

    /// What was just done, by its name in the address: nothing of the address comes into the page.
    private static func done(_ request: HTTPRequest) -> String {
        let text: String? =
            switch request.query["done"] {
            case "password": "The password is changed, and you are signed out everywhere else."
            case "signed-out": "You are signed out everywhere."
            case "erased": "The data is erased. Devices that are switched off hear of it later."
            case "discoverability": "That is noted."
            default: nil
            }
        return text.map { "<p role=\"status\">\($0)</p>" } ?? ""
    }

    private static func size(_ bytes: Int64) -> String {
        var (value, unit) = (Double(bytes), "bytes")
        for larger in ["kB", "MB", "GB", "TB"] where value >= 1000 { (value, unit) = (value / 1000, larger) }
        return unit == "bytes" ? "\(bytes) bytes" : String(format: "%.1f \(unit)", value)
    }
}
